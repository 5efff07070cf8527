"""Measures pyiqa metrics in processes beside the worker: one BLAS thread each.

The pixels go over in shared memory, once a picture; a task is one metric of one picture, so the
processors share even a single picture. A process that dies takes the worker with it, and the
parent retries what was in flight.
"""

import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.shared_memory import SharedMemory

import numpy as np

from b100tui.metrics.protocol import Failure, Outcome, Pixels
from b100tui.metrics.pyiqa import Pyiqa
from b100tui.scoring.lanes import Answer, Clock, Piece

Place = tuple[str, tuple[int, ...], bytes]  # shared memory and shape, or the bytes themselves
Note = tuple[int, str, int] | tuple[int, None, None]  # pid, metric and job it began, or its end
Task = Future[tuple[Outcome, float]]
BROKEN = 71  # exit code of a worker one of whose processes died
_WATCH_SECONDS = 1.0


class PoolLane:
    """`processes` measure single pictures on the CPU."""

    def __init__(self, processes: int, dtype: str, clock: Clock) -> None:
        context = get_context("spawn")
        self.processes = processes
        self._clock = clock
        self._notes: SimpleQueue[Note] = context.SimpleQueue()
        self._pool = ProcessPoolExecutor(
            processes, context, initializer=_begin, initargs=(os.getpid(), dtype, self._notes)
        )
        threading.Thread(target=self._listen, name="pool-notes", daemon=True).start()

    def put(self, piece: Piece) -> None:
        """Share the pixels and line up a task for each metric."""
        shared = [Shared(piece.pixels)]
        if piece.reference is not None:
            shared.append(Shared(piece.reference))
        places = [one.place for one in shared]
        left = [len(piece.metrics)]
        lock = threading.Lock()

        def settle(name: str, outcome: object, seconds: float) -> None:
            with lock:
                left[0] -= 1
                last = not left[0]
            if last:
                for one in shared:
                    one.free()
            piece.answer(name, outcome, seconds)

        if piece.alone:
            lone = threading.Thread(
                target=self._one_by_one, args=(piece, places, settle), daemon=True
            )
            lone.start()
            return
        for name in piece.metrics:
            self._pool.submit(_measure, name, places, piece.job).add_done_callback(
                _Settle(name, settle)
            )

    def prove(self, metric: str, pixels: Pixels, reference: Pixels | None) -> "Future[Outcome]":
        """Measure a known picture with `metric`; the outcome comes as a future."""
        shared = Shared(pixels)
        places = [shared.place] * (1 if reference is None else 2)
        proved: Future[Outcome] = Future()

        def settle(task: Task) -> None:
            shared.free()
            error = task.exception()
            if error is None:
                proved.set_result(task.result()[0])
            else:
                proved.set_result(Failure("crashed", f"its process died of it: {error}"))

        self._pool.submit(_measure, metric, places, None).add_done_callback(settle)
        return proved

    def pids(self) -> list[int]:
        """Return the processes there are."""
        return list(self._pool._processes)

    def _one_by_one(self, piece: Piece, places: Sequence[Place], settle: Answer) -> None:
        for name in piece.metrics:
            token = self._clock.begin(name, [piece.job], True)
            task = self._pool.submit(_measure, name, places, None)
            task.exception()
            self._clock.end(token)
            _Settle(name, settle)(task)

    def _listen(self) -> None:
        """Keep the clock by what the processes note."""
        tokens: dict[int, int] = {}
        while True:
            pid, metric, job = self._notes.get()
            if metric is None or job is None:
                self._clock.end(tokens.pop(pid))
            else:
                tokens[pid] = self._clock.begin(metric, [job], False)


class _Settle:
    """Passes a task's end on; a broken pool ends the worker, whose parent starts another."""

    def __init__(self, name: str, settle: Answer) -> None:
        self._name = name
        self._settle = settle

    def __call__(self, task: Task) -> None:
        error = task.exception()
        if isinstance(error, BrokenProcessPool):
            os._exit(BROKEN)
        if error is not None:
            self._settle(self._name, Failure("error", f"{type(error).__name__}: {error}"), 0.0)
        else:
            self._settle(self._name, *task.result())


class Shared:
    """A copy of a picture that other processes can see: in shared memory where that has room."""

    def __init__(self, pixels: Pixels) -> None:
        self._block: SharedMemory | None = None
        if not _has_room(pixels.nbytes):
            self.place: Place = ("", pixels.shape, pixels.tobytes())
            return
        self._block = SharedMemory(create=True, size=pixels.nbytes)
        view: Pixels = np.ndarray(pixels.shape, np.uint8, buffer=self._block.buf)
        view[...] = pixels
        del view
        self.place = (self._block.name, pixels.shape, b"")

    def free(self) -> None:
        """Let the copy go."""
        if self._block is not None:
            self._block.close()
            self._block.unlink()


def _has_room(size: int) -> bool:
    """Say whether shared memory has room: containers often give it 64 MB, and a write beyond
    that kills the writer.
    """
    try:
        facts = os.statvfs("/dev/shm")
    except OSError:
        return True  # no such folder: shared memory is not a file system here
    return facts.f_bavail * facts.f_frsize > 2 * size


class _Child:
    """What one process keeps: its backend, and the pictures of the task before."""

    def __init__(self, dtype: str, notes: "SimpleQueue[Note]") -> None:
        self.backend = Pyiqa("cpu", dtype)
        self.notes = notes
        self._kept: dict[Place, Pixels] = {}

    def pixels(self, places: Sequence[Place]) -> list[Pixels]:
        """Return the pictures at `places`; the next task often wants the same ones."""
        if list(self._kept) != list(dict.fromkeys(places)):
            self._kept = {place: _copied(place) for place in places}
        return [self._kept[place] for place in places]


_child: list[_Child] = []


def _begin(parent: int, dtype: str, notes: "SimpleQueue[Note]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _child.append(_Child(dtype, notes))


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(0)


def _measure(metric: str, places: Sequence[Place], job: int | None) -> tuple[Outcome, float]:
    (child,) = _child
    if job is not None:
        child.notes.put((os.getpid(), metric, job))
    try:
        pictures = child.pixels(places)
        started = time.perf_counter()
        reference = pictures[1] if len(pictures) > 1 else None
        (outcome,) = child.backend.measure_batch(metric, pictures[:1], [reference])
        return outcome, time.perf_counter() - started
    finally:
        if job is not None:
            child.notes.put((os.getpid(), None, None))


def _copied(place: Place) -> Pixels:
    name, shape, data = place
    if not name:
        return np.frombuffer(data, np.uint8).reshape(shape)
    block = SharedMemory(name)
    try:
        view: Pixels = np.ndarray(shape, np.uint8, buffer=block.buf)
        pixels = view.copy()
        del view
        return pixels
    finally:
        block.close()
