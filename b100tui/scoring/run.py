"""Scores pictures: wanted keys minus keys on disk, through the worker, into the score parts."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from msgspec import Struct, field

from b100tui.model.metric import Metric
from b100tui.model.records import Step
from b100tui.scoring import memory
from b100tui.scoring.done import read_done
from b100tui.scoring.ledger import Ledger, compares
from b100tui.scoring.plan import Select, Task, plan_scores
from b100tui.scoring.session import Options, Session, default_threads
from b100tui.workspace.parts import PartWriter
from b100tui.workspace.places import workspace_dir

Progress = Callable[["Standing"], None]
Cancelled = Callable[[], bool]


class MetricTime(Struct, frozen=True):
    """How many values of a metric were made and how long one took on average."""

    n: int
    mean_seconds: float


class MetricStanding(Struct, frozen=True):
    """How far one metric is; `eta_seconds` comes from its measured mean."""

    settled: int
    total: int
    failed: int
    mean_seconds: float | None
    eta_seconds: float | None


class Standing(Struct, frozen=True, kw_only=True):
    """How far a session is: scores settled of those wanted, by metric, and what it takes."""

    settled: int
    wanted: int
    failed: int
    eta_seconds: float | None
    by_metric: dict[str, MetricStanding]
    failures: dict[str, dict[str, int]]
    resident: int
    peak: int
    busy: float | None


class ScoreReport(Struct, frozen=True, kw_only=True):
    """What came of it: `wanted` = `skipped` + `done` + all of `failed` (less when cancelled).

    `failed` counts by metric and reason, failures of earlier times that were not asked to be
    retried among them. `peak_bytes` is the most that the worker and its processes held, seen
    every few seconds; `device_busy` the share of its time in which the GPU lane measured.
    """

    wanted: int
    skipped: int
    done: int
    failed: dict[str, dict[str, int]] = field(default_factory=dict)
    seconds: float = 0.0
    by_metric: dict[str, MetricTime] = field(default_factory=dict)
    peak_bytes: int = 0
    device_busy: float | None = None
    pictures: int = 0


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
    failed for every picture. `progress` is told how far it is.
    Raises MetricError when the worker cannot start, StoreError when scores cannot be written.
    """
    started = time.monotonic()
    chosen = options or Options()
    tasks = plan_scores(steps, metrics, select)
    if chosen.shard is not None:
        tasks = chosen.shard.part(tasks)
    missing = unavailable or {}
    parts = PartWriter(workspace_dir(root) / "scores")
    ledger = Ledger(read_done(root), parts, retry_failed=chosen.retry_failed)
    wanted = len(tasks) * (len(metrics) + len(missing))
    for name, reason in missing.items():
        if tasks:
            ledger.fail(name, reason, len(tasks))
    peak, busy = 0, None
    try:
        for names in _groups(metrics, tasks, chosen):
            some = [Task(task.step, names, _base(task, names)) for task in tasks]
            crew = _crew(root, ledger, chosen, some)
            teller = _Teller(ledger, [session for session, _ in crew], len(tasks), wanted, progress)
            _run(crew, names, teller.tell, cancelled)
            teller.tell()
            peak = max(peak, sum(session.usage.peak for session, _ in crew))
            shares = [session.usage.busy for session, _ in crew if session.usage.busy is not None]
            busy = min(shares) if shares else busy
            if cancelled is not None and cancelled():
                break
    finally:
        parts.close()
    failed = {name: dict(reasons) for name, reasons in ledger.failed.items()}
    return ScoreReport(
        wanted=wanted,
        skipped=ledger.skipped,
        done=ledger.done,
        failed=failed,
        seconds=time.monotonic() - started,
        by_metric={
            name: MetricTime(n, total / n) for name, (n, total) in ledger.times.items() if n
        },
        peak_bytes=peak,
        device_busy=busy,
        pictures=len(tasks),
    )


def _crew(
    root: Path, ledger: Ledger, options: Options, tasks: Sequence[Task]
) -> list[tuple[Session, list[Task]]]:
    """Return a session a device, each with its part of the pictures."""
    devices = memory.devices(options.device)
    threads = max(1, (options.threads or default_threads()) // len(devices))
    return [
        (
            Session(
                root,
                ledger,
                msgspec.structs.replace(options, device=device, threads=threads),
                largest(tasks),
            ),
            list(tasks[number :: len(devices)]),
        )
        for number, device in enumerate(devices)
    ]


def _run(
    crew: Sequence[tuple[Session, list[Task]]],
    names: tuple[str, ...],
    settled: Callable[[], None],
    cancelled: Cancelled | None,
) -> None:
    """Run the sessions side by side; the first error of one stops the others in order."""
    if len(crew) == 1:
        crew[0][0].run(crew[0][1], names, settled, cancelled)
        return
    stop = threading.Event()

    def over() -> bool:
        return stop.is_set() or (cancelled is not None and cancelled())

    def work(session: Session, tasks: list[Task]) -> None:
        try:
            session.run(tasks, names, settled, over)
        except BaseException:  # whatever ended it, the others shall not go on alone
            stop.set()
            raise

    with ThreadPoolExecutor(len(crew)) as pool:
        running = [pool.submit(work, session, tasks) for session, tasks in crew]
        try:
            for each in running:
                each.result()
        finally:  # an error or ctrl-c: leaving the pool waits for those that still work
            stop.set()


def largest(tasks: Sequence[Task]) -> int:
    """Return the pixels of the largest picture, 0 where no size is known."""
    return max(((t.step.width or 0) * (t.step.height or 0) for t in tasks), default=0)


def _groups(
    metrics: Sequence[Metric], tasks: Sequence[Task], options: Options
) -> list[tuple[str, ...]]:
    """Return metric ids in groups that fit into memory; light ones go with the first."""
    if not tasks or not metrics:
        return []
    light = tuple(metric.id for metric in metrics if metric.backend != "pyiqa")
    heavy = [metric.id for metric in metrics if metric.backend == "pyiqa"]
    pixels = largest(tasks) or memory.USUAL_PIXELS
    free = memory.free_memory()
    if options.device != "cpu" and (onboard := memory.free_gpu_memory()):
        free = onboard
    made = memory.groups(heavy, pixels, free)
    return [(*light, *made[0]), *made[1:]] if made else [light]


def _base(task: Task, names: Sequence[str]) -> Step | None:
    return task.reference if any(compares(name) for name in names) else None


class _Teller:
    """Tells how far a session is."""

    def __init__(
        self,
        ledger: Ledger,
        sessions: Sequence[Session],
        pictures: int,
        wanted: int,
        progress: Progress | None,
    ) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._lock = threading.Lock()
        self._pictures = pictures
        self._wanted = wanted
        self._progress = progress
        self._made_before = ledger.done + ledger.failures()
        self._since = time.monotonic()

    def tell(self) -> None:
        """Tell who listens."""
        if self._progress is not None:
            ledger = self._ledger
            with self._lock:
                self._progress(self._standing(ledger.skipped + ledger.done + ledger.failures()))

    def _standing(self, settled: int) -> Standing:
        ledger = self._ledger
        by = {}
        hands = sum(session.processes for session in self._sessions)
        usages = [session.usage for session in self._sessions]
        for name in list(ledger.versions | ledger.failed):
            n, total = ledger.times.get(name, (0, 0.0))
            mean = total / n if n else None
            left = max(0, self._pictures - ledger.settled[name])
            by[name] = MetricStanding(
                ledger.settled[name],
                self._pictures,
                sum(ledger.failed.get(name, {}).values()),
                mean,
                mean * left / hands if mean is not None else None,
            )
        made = ledger.done + ledger.failures() - self._made_before
        left = max(0, self._wanted - settled)
        pace = (time.monotonic() - self._since) / made if made else None
        return Standing(
            settled=settled,
            wanted=self._wanted,
            failed=ledger.failures(),
            eta_seconds=pace * left if pace is not None else None,
            by_metric=by,
            failures={name: dict(reasons) for name, reasons in list(ledger.failed.items())},
            resident=sum(usage.resident for usage in usages),
            peak=sum(usage.peak for usage in usages),
            busy=min((usage.busy for usage in usages if usage.busy is not None), default=None),
        )
