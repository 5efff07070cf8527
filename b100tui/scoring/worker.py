"""The scoring worker: a process of its own that reads, decodes and measures pictures.

Started as `python -m b100tui.scoring.worker IN OUT` with two inherited pipe ends that carry the
messages; standard output belongs to the backends, who print on it, and goes to the log. The
worker writes no file. It ends when its parent does: IN then reads as closed.
"""

import math
import os
import queue
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import msgspec

from b100tui.imaging.decode import decode
from b100tui.metrics.protocol import Backend, Failure, Pixels
from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.scoring import backends
from b100tui.scoring.messages import Begin, Failed, Found, Hello, Measure, Read, Request, Result
from b100tui.scoring.reading import Bytes, ChangedError, read_bytes, still_the_same

KEPT_REFERENCES = 2


class Worker:
    """Serves the requests of one parent with a pool of threads, one picture a thread."""

    def __init__(self, begin: Begin, out: BinaryIO) -> None:
        self.root = Path(begin.root)
        self._out = out
        self._writing = threading.Lock()
        self._pool = ThreadPoolExecutor(begin.threads, "score")
        self._wanted: dict[int, queue.SimpleQueue[tuple[str, ...]]] = {}
        self._references: OrderedDict[PictureRef, Future[_Reference]] = OrderedDict()
        self._listing = threading.Lock()
        self._backends, failures = backends.load(begin.metrics)
        versions = {name: made.version_parts(name) for name, made in self._backends.items()}
        self.say(Hello(versions, failures))

    def say(self, message: Hello | Found | Result) -> None:
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
            self._pool.submit(self._serve, request).add_done_callback(_end_on_fault)
        elif isinstance(request, Measure):
            self._wanted[request.job].put(request.metrics)

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
            result = self._measured(request, read, reference, metrics)
        except MemoryError:
            failed = Failed("oom", "not enough memory for this picture")
            result = Result(request.job, None, {}, dict.fromkeys(metrics, failed), {})
        self.say(result)

    def _measured(
        self, request: Read, read: Bytes, reference: "_Reference | None", metrics: Sequence[str]
    ) -> Result:
        try:
            decoded = decode(read.data)
        except PictureError as error:
            words = error.message.replace("picture: ", f"{request.picture.path}: ", 1)
            same = still_the_same(self.root, request.picture, read)
            failed = Failed("unreadable" if same else "changed", words)
            return Result(request.job, None, {}, dict.fromkeys(metrics, failed), {})
        values: dict[str, float] = {}
        failures: dict[str, Failed] = {}
        seconds: dict[str, float] = {}
        against = reference.pixels() if reference else None
        groups: dict[int, list[str]] = {}
        for name in metrics:
            groups.setdefault(id(self._backends[name]), []).append(name)
        for names in groups.values():
            started = time.perf_counter()
            outcomes = _ask(self._backends[names[0]], names, decoded.pixels, against)
            each = (time.perf_counter() - started) / len(names)
            for name in names:
                outcome = checked(outcomes.get(name))
                seconds[name] = each
                if isinstance(outcome, Failed):
                    failures[name] = outcome
                else:
                    values[name] = outcome
        return Result(request.job, (decoded.width, decoded.height), values, failures, seconds)

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


def _ask(
    backend: Backend, names: Sequence[str], pixels: Pixels, against: Pixels | None
) -> Mapping[str, object]:
    try:
        return backend.measure(names, pixels, against)
    except MemoryError:
        failure = Failure("oom", "not enough memory for this picture")
    except Exception as error:  # the border to foreign code: whatever it raises costs this cell
        failure = Failure("error", f"{type(error).__name__}: {error}")
    return dict.fromkeys(names, failure)


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
