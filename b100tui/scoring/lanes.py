"""The ways a decoded picture can be measured: at once, in batches on one device, by outsiders.

A lane takes pieces (one picture, some metrics) and answers each metric when it is known. What it
holds is bounded by the pictures the parent lets fly.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from b100tui.metrics.protocol import Backend, Failure, Outcome, Pixels

Answer = Callable[[str, object, float], None]  # metric, outcome, seconds


class Piece(Struct, frozen=True, eq=False):
    """A picture in the hands of a lane; `answer` is called once for each of `metrics`."""

    job: int
    metrics: tuple[str, ...]
    pixels: Pixels
    reference: Pixels | None
    alone: bool
    answer: Answer


class Lane(Protocol):
    """Measures pieces; `put` may block no longer than it takes to hand them over."""

    def put(self, piece: Piece) -> None:
        """Take a piece; its answers may come from any thread."""
        ...


class BatchBackend(Protocol):
    """A backend that measures pictures of one size together."""

    def measure_batch(
        self, metric: str, pictures: Sequence[Pixels], references: Sequence[Pixels | None]
    ) -> Sequence[Outcome]:
        """Return an outcome for each picture."""
        ...


class Clock:
    """Which metric has been at which jobs since when; a watchdog looks for the overdue.

    `doing` hears of every metric a lone job goes on with.
    """

    def __init__(self, doing: Callable[[int, str], None]) -> None:
        self._doing = doing
        self._running: dict[int, tuple[float, str, tuple[int, ...], int]] = {}
        self._lock = threading.Lock()
        self._next = 0

    def begin(self, metric: str, jobs: Sequence[int], alone: bool) -> int:
        """Note a start and return the token that ends it."""
        if alone:
            self._doing(jobs[0], metric)
        with self._lock:
            self._next += 1
            self._running[self._next] = (time.monotonic(), metric, tuple(jobs), len(jobs))
            return self._next

    def end(self, token: int) -> float:
        """Return the seconds since the start `token` stands for."""
        with self._lock:
            return time.monotonic() - self._running.pop(token)[0]

    def overdue(self, seconds: float) -> tuple[str, tuple[int, ...], float] | None:
        """Return metric, jobs and seconds of work that overran `seconds` a picture."""
        now = time.monotonic()
        with self._lock:
            for since, metric, jobs, count in self._running.values():
                if now - since > seconds * count:
                    return metric, jobs, now - since
        return None


class DirectLane:
    """Measures in the thread that decoded: for backends that many threads may call."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self._backend = backend
        self._clock = clock

    def put(self, piece: Piece) -> None:
        """Measure at once; a lone picture one metric after another."""
        groups = [(name,) for name in piece.metrics] if piece.alone else [piece.metrics]
        for names in groups:
            token = self._clock.begin(", ".join(names), [piece.job], piece.alone)
            outcomes = ask(self._backend, names, piece.pixels, piece.reference)
            each = self._clock.end(token) / len(names)
            for name in names:
                piece.answer(name, outcomes.get(name), each)


class BatchLane:
    """One thread that measures buckets of equal size in batches, the fullest bucket first.

    While a batch runs the next ones fill, so the device waits for nothing but the first.
    `busy` is the share of the time since then in which it had work.
    """

    def __init__(self, backend: BatchBackend, clock: Clock, most: int) -> None:
        self._backend = backend
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[object, list[Piece]] = OrderedDict()
        self._some = threading.Condition()
        self._since: float | None = None
        self._until = self._worked = 0.0
        threading.Thread(target=self._run, name="device", daemon=True).start()

    def put(self, piece: Piece) -> None:
        """Add a picture to the bucket of its size and metrics."""
        size = piece.reference.shape if piece.reference is not None else None
        key = (piece.pixels.shape, size, piece.metrics, piece.alone)
        with self._some:
            self._buckets.setdefault(key, []).append(piece)
            self._some.notify()

    def busy(self) -> float | None:
        """Return the share of the time from the first to the last batch that was measured in."""
        if self._since is None or self._until <= self._since:
            return None
        return min(1.0, self._worked / (self._until - self._since))

    def _run(self) -> None:
        while True:
            batch = self._take()
            started = time.monotonic()
            if self._since is None:
                self._since = started
            self._measure(batch)
            self._until = time.monotonic()
            self._worked += self._until - started

    def _take(self) -> list[Piece]:
        with self._some:
            while not self._buckets:
                self._some.wait()
            key = max(self._buckets, key=lambda each: min(len(self._buckets[each]), self._most))
            bucket = self._buckets[key]
            batch, rest = bucket[: self._most], bucket[self._most :]
            if rest:
                self._buckets[key] = rest
            else:
                del self._buckets[key]
            return batch

    def _measure(self, batch: Sequence[Piece]) -> None:
        pictures = [piece.pixels for piece in batch]
        references = [piece.reference for piece in batch]
        for name in batch[0].metrics:
            token = self._clock.begin(name, [piece.job for piece in batch], batch[0].alone)
            outcomes = _batch(self._backend, name, pictures, references)
            each = self._clock.end(token) / len(batch)
            for piece, outcome in zip(batch, outcomes, strict=True):
                piece.answer(name, outcome, each)


def _batch(
    backend: BatchBackend,
    name: str,
    pictures: Sequence[Pixels],
    references: Sequence[Pixels | None],
) -> Sequence[object]:
    try:
        outcomes = backend.measure_batch(name, pictures, references)
    except MemoryError:
        return [Failure("oom", "not enough memory for this picture")] * len(pictures)
    except Exception as error:  # the border to foreign code: whatever it raises costs this batch
        return [Failure("error", f"{type(error).__name__}: {error}")] * len(pictures)
    if len(outcomes) != len(pictures):
        words = f"the backend gave {len(outcomes)} values for {len(pictures)} pictures"
        return [Failure("wrong_answer", words)] * len(pictures)
    return outcomes


def ask(
    backend: Backend, names: Sequence[str], pixels: Pixels, against: Pixels | None
) -> dict[str, object]:
    """Return what `backend` answers for one picture, or why it did not."""
    try:
        return dict(backend.measure(names, pixels, against))
    except MemoryError:
        failure = Failure("oom", "not enough memory for this picture")
    except Exception as error:  # the border to foreign code: whatever it raises costs this cell
        failure = Failure("error", f"{type(error).__name__}: {error}")
    return dict.fromkeys(names, failure)
