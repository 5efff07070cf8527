"""Scores pictures: wanted keys minus keys on disk, through the worker, into the score parts."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from b100tui.model.metric import Metric
from b100tui.model.records import Step
from b100tui.scoring.done import read_done
from b100tui.scoring.plan import Select, plan_scores
from b100tui.scoring.session import Options, Session
from b100tui.workspace.parts import PartWriter
from b100tui.workspace.places import workspace_dir

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]


class MetricTime(Struct, frozen=True):
    """How many values of a metric were made and how long one took on average."""

    n: int
    mean_seconds: float


class ScoreReport(Struct, frozen=True, kw_only=True):
    """What came of it: `wanted` = `skipped` + `done` + all of `failed` (less when cancelled).

    `failed` counts by metric and reason, failures of earlier times that were not asked to be
    retried among them.
    """

    wanted: int
    skipped: int
    done: int
    failed: dict[str, dict[str, int]] = field(default_factory=dict)
    seconds: float = 0.0
    by_metric: dict[str, MetricTime] = field(default_factory=dict)


def score(
    root: Path,
    steps: Iterable[Step],
    metrics: Sequence[Metric],
    *,
    unavailable: dict[str, str] | None = None,
    select: Select | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> ScoreReport:
    """Score `steps` (whole runs; `select` narrows them) and return what came of it.

    Equal bytes are measured once. Each picture's scores are on disk before it counts as done,
    so nothing acknowledged is lost whatever dies. `unavailable` metrics (id to reason) count as
    failed for every picture. `progress` is told (scores settled, scores wanted).
    Raises MetricError when the worker cannot start, StoreError when scores cannot be written.
    """
    started = time.monotonic()
    tasks = plan_scores(steps, metrics, select)
    missing = unavailable or {}
    session = Session(
        root,
        read_done(root),
        PartWriter(workspace_dir(root) / "scores"),
        options or Options(),
    )
    wanted = len(tasks) * (len(metrics) + len(missing))
    if tasks and metrics:
        shown = (lambda settled: progress(settled, wanted)) if progress else None
        session.run(tasks, tuple(metric.id for metric in metrics), shown, cancelled)
    failed = {name: dict(reasons) for name, reasons in session.failed.items()}
    for name, reason in missing.items():
        if tasks:
            failed[name] = {reason: len(tasks)}
    return ScoreReport(
        wanted=wanted,
        skipped=session.skipped,
        done=session.done,
        failed=failed,
        seconds=time.monotonic() - started,
        by_metric={
            name: MetricTime(n, total / n) for name, (n, total) in session.times.items() if n
        },
    )
