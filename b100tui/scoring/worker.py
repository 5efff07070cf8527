"""The scoring worker: a process of its own that reads, decodes and measures pictures.

Started as `python -m b100tui.scoring.worker IN OUT` with two inherited pipe ends that carry the
messages; standard output belongs to the backends, who print on it, and goes to the log. The
worker writes no file. It ends when its parent does: IN then reads as closed.

A picture is read and decoded once, in one of a few threads, and goes as pixels to the lanes of
the metrics asked for; when the last metric has answered, the result is sent.
"""

import math
import os
import queue
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import msgspec

from b100tui.imaging.decode import decode
from b100tui.metrics.protocol import Failure, Measured, Pixels
from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.scoring.lanes import Clock, Piece
from b100tui.scoring.messages import (
    Begin,
    Doing,
    Failed,
    Found,
    Measure,
    Prove,
    Proved,
    Read,
    Reply,
    Request,
    Result,
    Stuck,
    Usage,
)
from b100tui.scoring.reading import Bytes, ChangedError, read_bytes, still_the_same
from b100tui.scoring.routes import Routes

Say = Callable[[Reply], None]
KEPT_REFERENCES = 2
STUCK = 72  # exit code after a metric overran its time
_WATCH_SECONDS = 1.0
_USAGE_EVERY = 5.0


class Worker:
    """Serves the requests of one parent; decoding threads hand pictures on to the lanes."""

    def __init__(self, begin: Begin, out: BinaryIO) -> None:
        self.root = Path(begin.root)
        self._out = out
        self._writing = threading.Lock()
        self._clock = Clock(lambda job, metric: self.say(Doing(job, metric)))
        self._threads = ThreadPoolExecutor(begin.threads, "score")
        self._wanted: dict[int, queue.SimpleQueue[tuple[str, ...]]] = {}
        self._references: OrderedDict[PictureRef, Future[_Reference]] = OrderedDict()
        self._listing = threading.Lock()
        self._peak = 0
        self._routes = Routes(begin, self._clock)
        self.say(self._routes.hello())
        threading.Thread(target=self._watch, args=(begin.timeout,), daemon=True).start()

    def say(self, message: Reply) -> None:
        """Send one message; the worker ends when nobody listens any more."""
        line = msgspec.json.encode(message) + b"\n"
        with self._writing:
            try:
                self._out.write(line)
                self._out.flush()
            except OSError:
                os._exit(1)

    def take(self, request: Request) -> None:
        """Start or continue a job; never blocks."""
        if isinstance(request, Read):
            self._wanted[request.job] = queue.SimpleQueue()
            self._threads.submit(self._serve, request).add_done_callback(_end_on_fault)
        elif isinstance(request, Measure):
            self._wanted[request.job].put(request.metrics)
        elif isinstance(request, Prove):
            self._threads.submit(self._prove, request.metrics).add_done_callback(_end_on_fault)

    def _prove(self, metrics: Sequence[str]) -> None:
        failures = {
            name: Failed(failure.error, failure.message)
            for name, failure in self._routes.prove(metrics).items()
        }
        self._tell_usage()
        self.say(Proved(failures))

    def _serve(self, request: Read) -> None:
        reference = None
        try:
            read = read_bytes(self.root, request.picture)
            if request.reference is not None:
                reference = self._reference(request.reference)
        except ChangedError as error:
            self.say(Found(request.job, failed=Failed("changed", error.message)))
            return
        except PictureError as error:
            self.say(Found(request.job, failed=Failed("unreadable", error.message)))
            return
        except MemoryError:
            self.say(Found(request.job, failed=Failed("oom", "not enough memory to read it")))
            return
        sha256 = reference.sha256 if reference else None
        self.say(Found(request.job, read.sha256, read.bytes, read.mtime_ns, sha256))
        metrics = self._wanted[request.job].get()
        del self._wanted[request.job]
        if not metrics:
            return
        try:
            self._hand_over(request, read, reference, metrics)
        except MemoryError:
            failed = Failed("oom", "not enough memory for this picture")
            self.say(Result(request.job, None, {}, dict.fromkeys(metrics, failed), {}))

    def _hand_over(
        self, request: Read, read: Bytes, reference: "_Reference | None", metrics: Sequence[str]
    ) -> None:
        """Decode and give the picture to the lanes; the last answer sends the result."""
        try:
            decoded = decode(read.data)
        except PictureError as error:
            words = error.message.replace("picture: ", f"{request.picture.path}: ", 1)
            same = still_the_same(self.root, request.picture, read)
            failed = Failed("unreadable" if same else "changed", words)
            self.say(Result(request.job, None, {}, dict.fromkeys(metrics, failed), {}))
            return
        answers = _Answers(request.job, (decoded.width, decoded.height), len(metrics), self.say)
        against = reference.pixels() if reference else None
        for names in self._routes.split(metrics):
            base = against if self._routes.compares(names[0]) else None
            self._routes.lane(names[0]).put(
                Piece(request.job, names, decoded.pixels, base, request.alone, answers.add)
            )

    def _reference(self, ref: PictureRef) -> "_Reference":
        """Return the reference, read once for all the steps that follow it."""
        with self._listing:
            made = self._references.get(ref)
            mine = made is None
            if made is not None:
                self._references.move_to_end(ref)
            if made is None:
                made = self._references[ref] = Future()
                while len(self._references) > KEPT_REFERENCES:
                    self._references.popitem(last=False)
        if mine:
            try:
                made.set_result(_Reference(read_bytes(self.root, ref)))
            except (PictureError, ChangedError, MemoryError):
                made.set_result(_Reference(None))
        return made.result()

    def _watch(self, timeout: float) -> None:
        """End the worker when a metric overruns its time; say what it takes."""
        told = time.monotonic()
        while True:
            time.sleep(_WATCH_SECONDS)
            late = self._clock.overdue(timeout)
            if late is not None:
                metric, jobs, seconds = late
                self.say(Stuck(jobs, metric, seconds))
                self._routes.kill()
                os._exit(STUCK)
            if time.monotonic() - told >= _USAGE_EVERY:
                told = time.monotonic()
                self._tell_usage()

    def _tell_usage(self) -> None:
        resident = self._routes.resident()
        self._peak = max(self._peak, resident)
        self.say(Usage(resident, self._peak, self._routes.busy()))


class _Answers:
    """Gathers the answers of a picture's metrics, from any thread, into one result."""

    def __init__(self, job: int, size: tuple[int, int], count: int, say: Say) -> None:
        self._result = Result(job, size, {}, {}, {})
        self._left = count
        self._lock = threading.Lock()
        self._say = say

    def add(self, metric: str, outcome: object, seconds: float) -> None:
        """Take one answer; the last one sends them all."""
        note = outcome.note if isinstance(outcome, Measured) else ""
        value = checked(outcome.value if isinstance(outcome, Measured) else outcome)
        with self._lock:
            if note:
                self._result.notes[metric] = note
            self._result.seconds[metric] = seconds
            if isinstance(value, Failed):
                self._result.failures[metric] = value
            else:
                self._result.values[metric] = value
            self._left -= 1
            last = self._left == 0
        if last:
            self._say(self._result)


class _Reference:
    """A reference picture: its hash at once, its pixels when first asked for."""

    def __init__(self, read: Bytes | None) -> None:
        self._data = read.data if read else None
        self.sha256 = read.sha256 if read else None
        self._pixels: Pixels | None = None
        self._lock = threading.Lock()

    def pixels(self) -> Pixels | None:
        """Return the decoded reference, or None when it cannot be read."""
        with self._lock:
            if self._data is not None:
                data, self._data = self._data, None
                try:
                    self._pixels = decode(data).pixels
                except PictureError:
                    self._pixels = None
            return self._pixels


def checked(outcome: object) -> float | Failed:
    """Return a backend's answer as a finite value or a named failure, whatever it was."""
    if isinstance(outcome, Failure):
        return Failed(outcome.error, outcome.message)
    if outcome is None:
        return Failed("no_answer", "the backend gave no value for this picture")
    if isinstance(outcome, bool) or not isinstance(outcome, int | float):
        return Failed("wrong_answer", f"the backend gave a {type(outcome).__name__}, not a number")
    if math.isnan(outcome):
        return Failed("nan", "the backend gave NaN")
    if math.isinf(outcome):
        return Failed("inf", "the backend gave an infinite value")
    return float(outcome)


def _end_on_fault(job: Future[None]) -> None:
    """End the worker on a fault of its own, with the traceback in the log: the parent retries."""
    error = job.exception()
    if error is not None:
        traceback.print_exception(error)
        sys.stderr.flush()
        os._exit(70)


def main(arguments: Sequence[str]) -> int:
    """Serve the parent on the two pipe ends named in `arguments` until it closes its own."""
    incoming, outgoing = int(arguments[0]), int(arguments[1])
    os.dup2(2, 1)
    decoder = msgspec.json.Decoder(Request)
    with os.fdopen(incoming, "rb") as requests, os.fdopen(outgoing, "wb") as out:
        begin = decoder.decode(requests.readline())
        if not isinstance(begin, Begin):
            return 2
        if begin.nice:
            os.nice(15)
        import cv2

        cv2.setNumThreads(1)
        worker = Worker(begin, out)
        for line in requests:
            worker.take(decoder.decode(line))
        os._exit(0)  # the parent is gone or done: nothing in flight is wanted any more


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
