"""Scoring on a Ray cluster: the same sessions as Ray actors, over storage that all of them see."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.metrics import registry
from b100tui.model.errors import MetricError
from b100tui.model.records import Step
from b100tui.model.steps import parse_steps
from b100tui.scoring.run import MetricTime, ScoreReport, Standing, score
from b100tui.scoring.session import Options
from b100tui.scoring.shards import Shard

SHARDS_AN_ACTOR = 4
TRIES = 5
Progress = Callable[[Standing], None]


class Work(Struct, frozen=True):
    """All that an actor needs to know; `root` must be the same folder on every node."""

    root: str
    steps: tuple[Step, ...]
    metrics: tuple[str, ...]
    select: str
    options: Options


class Scorer:
    """What one actor does: score parts of the work, each with a worker process of its own."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def score(self, shard: Shard) -> ScoreReport:
        """Score one part; what is on disk already is skipped."""
        work = self._work
        return score(
            Path(work.root),
            work.steps,
            [registry.metric(name) for name in work.metrics],
            select=parse_steps(work.select) if work.select else None,
            options=msgspec.structs.replace(work.options, shard=shard),
        )


def score_on_ray(
    address: str,
    work: Work,
    unavailable: dict[str, str],
    progress: Progress | None = None,
    actors: int = 0,
) -> ScoreReport:
    """Score on the cluster at `address` (auto, local, HOST:PORT, ray://HOST:PORT).

    One actor a GPU, or one a node where there is none (`actors` overrides it); the work is cut
    into more parts than actors, and a part whose actor dies is given to a new one: what it had
    acknowledged is on disk and is skipped.
    Raises MetricError when Ray is missing or cannot be reached, or a part keeps failing.
    """
    ray = _connected(address)
    try:
        gpus = int(ray.cluster_resources().get("GPU", 0))
        count = actors or gpus or sum(1 for node in ray.nodes() if node["Alive"]) or 1
        remote = ray.remote(num_gpus=1 if gpus and not actors else 0, max_restarts=0)(Scorer)
        shared = ray.put(work)
        cut = count * SHARDS_AN_ACTOR
        parts = [Shard(number, cut) for number in range(cut)]
        reports = _spread(ray, lambda: remote.remote(shared), count, parts, progress)
    finally:
        ray.shutdown()
    return merged(reports, unavailable)


def _spread(
    ray: Any,
    make: Callable[[], Any],
    count: int,
    parts: Sequence[Shard],
    progress: Progress | None,
) -> list[ScoreReport]:
    waiting = [(part, 1) for part in parts]
    running: dict[Any, tuple[Any, Shard, int]] = {}
    idle = [make() for _ in range(count)]
    reports: list[ScoreReport] = []
    while waiting or running:
        while waiting and idle:
            actor = idle.pop()
            part, tries = waiting.pop(0)
            running[actor.score.remote(part)] = (actor, part, tries)
        (ready,), _ = ray.wait(list(running), num_returns=1)
        actor, part, tries = running.pop(ready)
        try:
            reports.append(ray.get(ready))
            idle.append(actor)
        except ray.exceptions.RayError as error:
            if tries == TRIES:
                raise MetricError(
                    f"part {part.index} of {part.count} failed {TRIES} times: {error}",
                    "run the command again: it goes on with what is missing",
                ) from error
            waiting.append((part, tries + 1))
            idle.append(make())
        if progress is not None:
            progress(_standing(merged(reports, {}), len(parts), len(reports)))
    return reports


def merged(reports: Sequence[ScoreReport], unavailable: dict[str, str]) -> ScoreReport:
    """Return the reports of parts as one: counts add up, the longest time counts.

    `unavailable` metrics count as failed for every picture.
    """
    failed: dict[str, dict[str, int]] = {}
    times: dict[str, tuple[int, float]] = {}
    for report in reports:
        for metric, reasons in report.failed.items():
            mine = failed.setdefault(metric, {})
            for reason, number in reasons.items():
                mine[reason] = mine.get(reason, 0) + number
        for metric, one in report.by_metric.items():
            n, total = times.get(metric, (0, 0.0))
            times[metric] = (n + one.n, total + one.n * one.mean_seconds)
    wanted = sum(report.wanted for report in reports)
    pictures = sum(report.pictures for report in reports)
    for metric, reason in unavailable.items():
        if pictures:
            failed[metric] = {reason: pictures}
            wanted += pictures
    shares = [report.device_busy for report in reports if report.device_busy is not None]
    return ScoreReport(
        wanted=wanted,
        skipped=sum(report.skipped for report in reports),
        done=sum(report.done for report in reports),
        failed=failed,
        seconds=max((report.seconds for report in reports), default=0.0),
        by_metric={name: MetricTime(n, total / n) for name, (n, total) in times.items()},
        peak_bytes=max((report.peak_bytes for report in reports), default=0),
        device_busy=min(shares) if shares else None,
        pictures=pictures,
    )


def _standing(so_far: ScoreReport, parts: int, ended: int) -> Standing:
    """Return how far the work is, by parts: a part tells nothing before it ends."""
    failures = sum(sum(reasons.values()) for reasons in so_far.failed.values())
    settled = so_far.skipped + so_far.done + failures
    return Standing(
        settled=settled,
        wanted=so_far.wanted * parts // ended if ended else 0,
        failed=failures,
        eta_seconds=None,
        by_metric={},
        failures=so_far.failed,
        resident=0,
        peak=so_far.peak_bytes,
        busy=so_far.device_busy,
    )


def _connected(address: str) -> Any:
    try:
        import ray
    except ImportError as error:
        raise MetricError("Ray is not installed", "pip install '.[ray]'") from error
    try:
        ray.init(
            address=None if address == "local" else address,
            include_dashboard=False if address == "local" else None,
            log_to_driver=False,
            configure_logging=False,
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise MetricError(
            f"no Ray cluster at {address}: {error}", "ray start --head, or --ray local"
        ) from error
    return ray
