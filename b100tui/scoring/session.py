"""One scoring session: feeds the worker, stores what it answers, outlives its crashes."""

import os
import queue
import socket
from collections import Counter, deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from b100tui.metrics.protocol import metric_version
from b100tui.model.errors import MetricError
from b100tui.model.records import PictureRef, ScoreRecord
from b100tui.model.text import clean
from b100tui.scoring.done import Done, Key
from b100tui.scoring.messages import Begin, Failed, Found, Hello, Measure, Read, Result
from b100tui.scoring.plan import Task
from b100tui.scoring.process import WorkerProcess
from b100tui.workspace.parts import PartWriter

_START_SECONDS = 120.0  # importing a heavy backend on a busy machine takes most of a minute
Settled = Callable[[int], None]
Cancelled = Callable[[], bool]


class Options(Struct, frozen=True, kw_only=True):
    """How to score: `threads` pictures at a time (0: one a processor), `python` of the worker.

    A worker silent for `patience` seconds is ended; its pictures are retried alone.
    """

    retry_failed: bool = False
    threads: int = 0
    nice: bool = False
    python: str = ""
    patience: float = 600.0


class Job(Struct):
    """A task in the worker's hands. `alone` once a worker died with it; `tries` counts reads."""

    task: Task
    alone: bool = False
    tries: int = 1
    found: Found | None = None
    missing: tuple[str, ...] = ()


class Session:
    """Counts end up in `skipped`, `done`, `failed` (metric, reason) and `times` (n, seconds)."""

    def __init__(self, root: Path, known: Done, parts: PartWriter, options: Options) -> None:
        self.root = root
        self.skipped = 0
        self.done = 0
        self.failed: dict[str, Counter[str]] = {}
        self.times: dict[str, tuple[int, float]] = {}
        self._known = known
        self._parts = parts
        self._options = options
        self._threads = options.threads or default_threads()
        self._pending: deque[Job] = deque()
        self._flying: dict[int, Job] = {}
        self._waiting: dict[tuple[str, str], list[Job]] = {}
        self._tried: set[Key] = set()
        self._versions: dict[str, dict[str, str]] = {}
        self._worker: WorkerProcess | None = None
        self._next = 0

    def run(
        self,
        tasks: Sequence[Task],
        metrics: tuple[str, ...],
        settled: Settled | None = None,
        cancelled: Cancelled | None = None,
    ) -> None:
        """Score all `tasks`, or as many as are done when `cancelled` first answers True."""
        try:
            self._start(metrics)
            self._sift(tasks)
            while self._pending or self._flying:
                if cancelled is not None and cancelled():
                    break
                self._feed()
                self._answer(metrics)
                if settled is not None:
                    settled(self.skipped + self.done + self._failures())
        finally:
            self._parts.close()
            if self._worker is not None:
                self._worker.close()

    def _start(self, metrics: tuple[str, ...]) -> None:
        begin = Begin(str(self.root), metrics, self._threads, self._options.nice)
        self._worker = WorkerProcess(begin, self._options.python)
        try:
            hello = self._worker.receive(_START_SECONDS)
        except queue.Empty:
            hello = None
        if not isinstance(hello, Hello):
            self._worker.kill()
            raise MetricError(
                f"the scoring worker did not start: {self._worker.ending()}",
                f"see {self._worker.log}",
            )
        self._versions = hello.versions
        for name, failed in hello.failures.items():
            self._versions[name] = {"unavailable": failed.message}

    def _sift(self, tasks: Sequence[Task]) -> None:
        """Settle what is known without reading a file, and line up the rest."""
        planned: set[Key] = set()
        for task in tasks:
            identity = self._hash(task.step.picture, task.step.sha256)
            base = task.reference
            reference = self._hash(base.picture, base.sha256) if base else None
            if identity is None or (base is not None and reference is None):
                self._pending.append(Job(task))
                continue
            missing = self._unsettled(task, identity, reference)
            keys = {self._key(name, identity, reference) for name in missing}
            if task.step.sha256 and keys <= planned:  # its score will be another step's
                self.skipped += len(keys)
                continue
            planned |= keys
            if missing:
                rest = tuple(name for name in task.metrics if name in missing)
                self._pending.append(Job(Task(task.step, rest, task.reference)))

    def _hash(self, ref: PictureRef | None, given: str | None) -> str | None:
        return given or (self._known.sha256(ref) if ref is not None else None)

    def _unsettled(self, task: Task, identity: str, reference: str | None) -> list[str]:
        """Return the metrics still to be measured; count the others as skipped or failed."""
        missing = []
        for name in task.metrics:
            key = self._key(name, identity, reference)
            known = self._known.outcomes.get(key)
            retry = self._options.retry_failed and key not in self._tried
            if known is None or (known.value is None and retry):
                missing.append(name)
            elif known.value is None:
                self._fail(name, known.error or "error")
            else:
                self.skipped += 1
        return missing

    def _feed(self) -> None:
        """Keep the worker busy; a picture that a worker died with is its only one."""
        assert self._worker is not None
        while self._pending and len(self._flying) < self._threads + 1:
            if any(job.alone for job in self._flying.values()):
                return
            if self._pending[0].alone and self._flying:
                return
            job = self._pending.popleft()
            picture, base = job.task.step.picture, job.task.reference
            assert picture is not None
            self._flying[self._next] = job
            self._worker.send(Read(self._next, picture, base.picture if base else None))
            self._next += 1

    def _answer(self, metrics: tuple[str, ...]) -> None:
        assert self._worker is not None
        try:
            reply = self._worker.receive(self._options.patience)
            cause = Failed("crashed", "")
        except queue.Empty:
            self._worker.kill()
            reply = None
            cause = Failed("timed_out", f"no answer for {self._options.patience:.0f} s")
        if isinstance(reply, Found):
            self._found(reply)
        elif isinstance(reply, Result):
            self._result(reply)
        elif reply is None:
            ending = self._worker.ending()
            self._worker.close()
            self._worker = None
            self._crashed(cause if cause.message else Failed("crashed", ending))
            if self._pending:
                self._start(metrics)

    def _found(self, found: Found) -> None:
        assert self._worker is not None
        job = self._flying[found.job]
        job.found = found
        if found.failed is not None:
            del self._flying[found.job]
            self._give_up(job, found.failed)
            return
        identity = found.sha256 or ""
        pair = (identity, found.reference_sha256 or "")
        if pair in self._waiting:
            self._waiting[pair].append(job)
            del self._flying[found.job]
            self._worker.send(Measure(found.job, ()))
            return
        job.missing = tuple(self._unsettled(job.task, identity, found.reference_sha256))
        self._copy(job, set(job.task.metrics) - set(job.missing))
        self._worker.send(Measure(found.job, job.missing))
        if job.missing:
            self._waiting[pair] = []
        else:
            del self._flying[found.job]

    def _result(self, result: Result) -> None:
        job = self._flying.pop(result.job)
        assert job.found is not None
        changed = {failed.error for failed in result.failures.values()} == {"changed"}
        if changed and job.tries == 1:
            self._again(job)
        else:
            records = [self._record(job, name, result) for name in job.missing]
            self._store(records)
            for name, seconds in result.seconds.items():
                n, total = self.times.get(name, (0, 0.0))
                self.times[name] = (n + 1, total + seconds)
        self._release(job)

    def _crashed(self, failed: Failed) -> None:
        """Retry what was in flight, each alone; what was alone already is marked."""
        flying, self._flying = list(self._flying.values()), {}
        for job in flying:
            if job.alone:
                self._give_up(job, failed)
            else:
                self._pending.appendleft(
                    Job(
                        Task(job.task.step, job.missing or job.task.metrics, job.task.reference),
                        True,
                    )
                )
            self._release(job)

    def _give_up(self, job: Job, failed: Failed) -> None:
        if failed.error == "changed" and job.tries == 1:
            self._again(job)
            return
        names = job.missing or job.task.metrics
        found = job.found
        if found is None or found.sha256 is None:
            identity = f"{job.task.step.run}@{job.task.step.step}"
            names = tuple(self._unsettled(job.task, identity, None))
        empty = Result(-1, None, {}, dict.fromkeys(names, failed), {})
        self._store([self._record(job, name, empty) for name in names])

    def _again(self, job: Job) -> None:
        left = Task(job.task.step, job.missing or job.task.metrics, job.task.reference)
        self._pending.append(Job(left, job.alone, job.tries + 1))

    def _release(self, job: Job) -> None:
        """Line up the steps with the same bytes, whose values are known now."""
        if job.found is not None and job.missing:
            pair = (job.found.sha256 or "", job.found.reference_sha256 or "")
            self._pending.extendleft(self._waiting.pop(pair, []))

    def _copy(self, job: Job, names: set[str]) -> None:
        """Store known values for a file whose hash nobody had noted, so that it joins them."""
        step, found = job.task.step, job.found
        assert found is not None and step.picture is not None
        ref = PictureRef(
            step.picture.path, step.picture.member, found.bytes or 0, found.mtime_ns or 0
        )
        if step.sha256 == found.sha256 or self._known.sha256(ref) == found.sha256:
            return
        records = []
        for name in sorted(names):
            key = self._key(name, found.sha256 or "", found.reference_sha256)
            known = self._known.outcomes[key]
            record = self._record(job, name, Result(-1, known.pixels, {}, {}, {}))
            records.append(
                msgspec.structs.replace(
                    record, value=known.value, error=known.error, message=known.message
                )
            )
        self._parts.append(*records)
        for record in records:
            self._known.add(record)

    def _store(self, records: Sequence[ScoreRecord]) -> None:
        self._parts.append(*records)
        for record in records:
            self._known.add(record)
            self._tried.add(
                Key(
                    record.sha256 or f"{record.run}@{record.step}",
                    record.metric,
                    record.metric_version,
                    record.reference_sha256 or "",
                )
            )
            if record.value is None:
                self._fail(record.metric, record.error or "error")
            else:
                self.done += 1

    def _record(self, job: Job, name: str, result: Result) -> ScoreRecord:
        step, base, found = job.task.step, job.task.reference, job.found or Found(-1)
        assert step.picture is not None
        failed = result.failures.get(name)
        parts = self._versions[name]
        against = base is not None and compares(name)
        return ScoreRecord(
            run=step.run,
            step=step.step,
            metric=name,
            metric_version=metric_version(parts),
            value=result.values.get(name),
            error=failed.error if failed else None,
            message=clean(failed.message) if failed else None,
            sha256=found.sha256,
            path=step.picture.path,
            member=step.picture.member,
            bytes=found.bytes if found.sha256 else step.picture.bytes,
            mtime_ns=found.mtime_ns if found.sha256 else step.picture.mtime_ns,
            pixels=result.pixels,
            reference=base.step if base is not None and against else None,
            reference_sha256=found.reference_sha256 if against else None,
            seconds=result.seconds.get(name),
            host=socket.gethostname(),
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            parts=parts,
        )

    def _key(self, name: str, identity: str, reference: str | None) -> Key:
        version = metric_version(self._versions[name])
        return Key(identity, name, version, (reference or "") if compares(name) else "")

    def _fail(self, metric: str, error: str) -> None:
        self.failed.setdefault(metric, Counter())[error] += 1

    def _failures(self) -> int:
        return sum(sum(reasons.values()) for reasons in self.failed.values())


def compares(name: str) -> bool:
    """Say whether the metric compares against a reference step."""
    from b100tui.metrics.registry import metric

    return metric(name).needs_reference


def default_threads() -> int:
    """Return how many pictures are worked on at a time: the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(16, len(os.sched_getaffinity(0)))
    return min(16, os.cpu_count() or 1)
