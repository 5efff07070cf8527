"""One scoring session: feeds the worker, stores what it answers, outlives its crashes."""

import os
import queue
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from b100tui.model.errors import MetricError
from b100tui.model.records import PictureRef
from b100tui.scoring.done import Key
from b100tui.scoring.ledger import Ledger
from b100tui.scoring.messages import (
    Begin,
    Doing,
    Failed,
    Found,
    Hello,
    Measure,
    Prove,
    Proved,
    Read,
    Result,
    Stuck,
    Usage,
)
from b100tui.scoring.plan import Task
from b100tui.scoring.process import WorkerProcess
from b100tui.scoring.shards import Shard

START_SECONDS = 300.0  # importing a heavy backend on a busy machine takes most of a minute
PROVE_SECONDS = 900.0  # loading 16 GB of weights from a slow disk
Settled = Callable[[], None]
Cancelled = Callable[[], bool]


class Options(Struct, frozen=True, kw_only=True):
    """How to score: `threads` pictures at a time (0: one a processor), `python` of the worker.

    `device` is auto, cpu, cuda, cuda:N or several with commas, each with a worker; `dtype` is
    float32 or bf16 (another metric version). A metric that takes longer than `timeout` seconds a
    picture, and a worker silent for `patience` seconds, is ended; what was in flight is retried,
    each picture alone. `prove` measures a known picture with each learned metric first. With
    `shard` only its part of the pictures is wanted.
    """

    retry_failed: bool = False
    threads: int = 0
    nice: bool = False
    python: str = ""
    device: str = "auto"
    dtype: str = "float32"
    timeout: float = 600.0
    patience: float = 1800.0
    prove: bool = True
    shard: Shard | None = None


class Job(Struct):
    """A task in the worker's hands. `alone` once a worker died with it; `tries` counts reads.

    `doing` is the metric a lone job was at.
    """

    task: Task
    alone: bool = False
    tries: int = 1
    found: Found | None = None
    missing: tuple[str, ...] = ()
    doing: str = ""


class Session:
    """Feeds one worker with the tasks of one group of metrics."""

    def __init__(self, root: Path, ledger: Ledger, options: Options, pixels: int = 0) -> None:
        self.root = root
        self.ledger = ledger
        self.usage = Usage(0, 0)
        self.processes = 1
        self._options = options
        self._pixels = pixels
        self._threads = options.threads or default_threads()
        self._window = self._threads + 1
        self._pending: deque[Job] = deque()
        self._flying: dict[int, Job] = {}
        self._waiting: dict[tuple[str, str], list[Job]] = {}
        self._unproved: set[str] = set()
        self._worker: WorkerProcess | None = None
        self._next = 0
        self._heard = 0.0

    def run(
        self,
        tasks: Sequence[Task],
        metrics: tuple[str, ...],
        settled: Settled | None = None,
        cancelled: Cancelled | None = None,
    ) -> None:
        """Score all `tasks`, or as many as are done when `cancelled` first answers True."""
        try:
            metrics, tasks = self._without(self._start(metrics), metrics, tasks)
            self._sift(tasks)
            if self._pending and self._options.prove:
                metrics = self._prove(metrics)
            self._heard = time.monotonic()
            while self._pending or self._flying:
                if cancelled is not None and cancelled():
                    break
                self._feed()
                self._answer(metrics)
                if settled is not None:
                    settled()
        finally:
            if self._worker is not None:
                self._worker.close()

    def _start(self, metrics: tuple[str, ...]) -> dict[str, Failed]:
        """Start a worker; return the metrics it cannot load."""
        options = self._options
        begin = Begin(
            str(self.root),
            metrics,
            self._threads,
            options.nice,
            options.device,
            options.dtype,
            self._pixels,
            options.timeout,
        )
        self._worker = WorkerProcess(begin, options.python)
        hello = self._reply_within(START_SECONDS)
        if not isinstance(hello, Hello):
            self._worker.kill()
            raise MetricError(
                f"the scoring worker did not start: {self._worker.ending()}",
                f"see {self._worker.log}",
            )
        self.ledger.versions |= hello.versions
        self._window = max(self._threads + 1, hello.window)
        self.processes = hello.processes or self._threads
        return hello.failures

    def _without(
        self, failures: dict[str, Failed], metrics: tuple[str, ...], tasks: Sequence[Task]
    ) -> tuple[tuple[str, ...], list[Task]]:
        """Drop metrics that cannot be loaded: they are counted, not recorded for each picture."""
        for name, failed in failures.items():
            self.ledger.fail(name, failed.message, len(tasks))
        kept = tuple(name for name in metrics if name not in failures)
        return kept, [
            Task(
                task.step,
                tuple(name for name in task.metrics if name not in failures),
                task.reference,
            )
            for task in tasks
        ]

    def _prove(self, metrics: tuple[str, ...]) -> tuple[str, ...]:
        """Measure a known picture with each metric wanted; drop those that cannot."""
        assert self._worker is not None
        wanted = {name for job in self._pending for name in job.task.metrics}
        learned = tuple(n for n in metrics if n in wanted and "torch" in self.ledger.versions[n])
        if not learned:
            return metrics
        self._worker.send(Prove(learned))
        reply = self._reply_within(PROVE_SECONDS)
        while isinstance(reply, Usage):
            self.usage = reply
            reply = self._reply_within(PROVE_SECONDS)
        if isinstance(reply, Proved):
            failures = reply.failures
        else:
            words = f"the self-test ended the worker: {self._worker.ending()}"
            failures = (
                dict.fromkeys(learned, Failed("self_test", words)) if len(learned) == 1 else {}
            )
            self._worker.close()
            self._worker = None
        pending = list(self._pending)
        self._pending.clear()
        for job in pending:
            for name in failures.keys() & set(job.task.metrics):
                failed = failures[name]
                self.ledger.fail(name, f"{failed.error}: {failed.message}")
            rest = tuple(name for name in job.task.metrics if name not in failures)
            if rest:
                self._pending.append(Job(Task(job.task.step, rest, job.task.reference)))
        kept = tuple(name for name in metrics if name not in failures)
        if self._worker is None and self._pending:
            self._start(kept)
        return kept

    def _reply_within(self, seconds: float) -> object:
        assert self._worker is not None
        try:
            return self._worker.receive(seconds)
        except queue.Empty:
            self._worker.kill()
            return None

    def _sift(self, tasks: Sequence[Task]) -> None:
        """Settle what is known without reading a file, and line up the rest."""
        planned: set[Key] = set()
        for task in tasks:
            if not task.metrics:
                continue
            identity = self._hash(task.step.picture, task.step.sha256)
            base = task.reference
            reference = self._hash(base.picture, base.sha256) if base else None
            if identity is None or (base is not None and reference is None):
                self._pending.append(Job(task))
                continue
            missing = self.ledger.unsettled(task.metrics, identity, reference)
            keys = {self.ledger.key(name, identity, reference) for name in missing}
            if task.step.sha256 and keys <= planned:  # its score will be another step's
                for name in missing:
                    self.ledger.skip(name)
                continue
            planned |= keys
            if missing:
                self._pending.append(Job(Task(task.step, tuple(missing), task.reference)))

    def _hash(self, ref: PictureRef | None, given: str | None) -> str | None:
        return given or (self.ledger.known.sha256(ref) if ref is not None else None)

    def _feed(self) -> None:
        """Keep the worker busy; a picture that a worker died with is its only one."""
        assert self._worker is not None
        while self._pending and len(self._flying) < self._window:
            if any(job.alone for job in self._flying.values()):
                return
            if self._pending[0].alone and self._flying:
                return
            job = self._pending.popleft()
            picture, base = job.task.step.picture, job.task.reference
            assert picture is not None
            self._flying[self._next] = job
            reference = base.picture if base else None
            self._worker.send(Read(self._next, picture, reference, job.alone))
            self._next += 1

    def _answer(self, metrics: tuple[str, ...]) -> None:
        assert self._worker is not None
        cause = Failed("crashed", "")
        waited = time.monotonic() - self._heard
        try:
            reply = self._worker.receive(max(0.0, self._options.patience - waited))
        except queue.Empty:
            self._worker.kill()
            reply = None
            cause = Failed("timed_out", f"no answer for {self._options.patience:.0f} s")
        if not isinstance(reply, Usage):  # which a worker whose lanes hang sends all the same
            self._heard = time.monotonic()
        if isinstance(reply, Stuck):
            words = f"{reply.metric} took over {reply.seconds:.0f} s"
            for number in reply.jobs:
                if number in self._flying:
                    self._flying[number].doing = reply.metric
            self._worker.kill()
            reply = None
            cause = Failed("timed_out", words)
        if isinstance(reply, Found):
            self._found(reply)
        elif isinstance(reply, Result):
            self._result(reply)
        elif isinstance(reply, Doing):
            if reply.job in self._flying:
                self._flying[reply.job].doing = reply.metric
        elif isinstance(reply, Usage):
            self.usage = reply
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
        names = job.task.metrics
        job.missing = tuple(self.ledger.unsettled(names, identity, found.reference_sha256))
        self.ledger.copy(job.task, found, set(names) - set(job.missing))
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
            found = job.found
            self.ledger.store(
                [self.ledger.record(job.task, found, name, result) for name in job.missing]
            )
            self.ledger.time(result.seconds)
        self._release(job)

    def _crashed(self, failed: Failed) -> None:
        """Retry what was in flight, each alone; what was alone loses the metric it was at."""
        flying, self._flying = list(self._flying.values()), {}
        for job in flying:
            left = job.missing or job.task.metrics
            if job.alone and job.doing and job.found is not None:
                guilty = tuple(name for name in left if name in job.doing.split(", "))
                rest = tuple(name for name in left if name not in guilty)
                self._mark(job, guilty, failed)
                if rest:
                    self._pending.appendleft(
                        Job(Task(job.task.step, rest, job.task.reference), True)
                    )
            elif job.alone:
                self._give_up(job, failed)
            else:
                self._pending.appendleft(Job(Task(job.task.step, left, job.task.reference), True))
            self._release(job)

    def _give_up(self, job: Job, failed: Failed) -> None:
        if failed.error == "changed" and job.tries == 1:
            self._again(job)
            return
        names = job.missing or job.task.metrics
        if job.found is None or job.found.sha256 is None:
            identity = f"{job.task.step.run}@{job.task.step.step}"
            names = tuple(self.ledger.unsettled(names, identity, None))
        self._mark(job, names, failed)

    def _mark(self, job: Job, names: Sequence[str], failed: Failed) -> None:
        """Record that these metrics have no value for the job's picture."""
        empty = Result(-1, None, {}, dict.fromkeys(names, failed), {})
        found = job.found or Found(-1)
        self.ledger.store([self.ledger.record(job.task, found, name, empty) for name in names])

    def _again(self, job: Job) -> None:
        left = Task(job.task.step, job.missing or job.task.metrics, job.task.reference)
        self._pending.append(Job(left, job.alone, job.tries + 1))

    def _release(self, job: Job) -> None:
        """Line up the steps with the same bytes, whose values are known now."""
        if job.found is not None and job.missing:
            pair = (job.found.sha256 or "", job.found.reference_sha256 or "")
            self._pending.extendleft(self._waiting.pop(pair, []))


def default_threads() -> int:
    """Return how many pictures are worked on at a time: the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(16, len(os.sched_getaffinity(0)))
    return min(16, os.cpu_count() or 1)
