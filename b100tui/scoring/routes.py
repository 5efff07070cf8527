"""Which lane of the worker measures which metric, and what the worker says of itself."""

import os
import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from b100tui.metrics import registry
from b100tui.metrics.preflight import has_cuda
from b100tui.metrics.protocol import Backend, Failure
from b100tui.scoring import backends, memory, selftest
from b100tui.scoring.lanes import BatchLane, Clock, DirectLane, Lane, Piece, ask
from b100tui.scoring.messages import Begin, Hello

DEVICE_BATCH = 16
REMOTE_AT_ONCE = 8
_IN_FLIGHT_BYTES = 2e9
_MOST_IN_FLIGHT = 64


class Routes:
    """The lanes of one worker; a lane is made when its first metric is asked for."""

    def __init__(self, begin: Begin, clock: Clock) -> None:
        self._begin = begin
        self._clock = clock
        self._lanes: dict[str, Lane] = {}
        self._pool: Any = None
        self._device: BatchLane | None = None
        self._making = threading.Lock()
        self.pixels = begin.pixels or memory.USUAL_PIXELS
        pyiqa = [name for name in begin.metrics if registry.metric(name).backend == "pyiqa"]
        self.device = resolved(begin.device) if pyiqa else "cpu"
        self._backends, self._failures = backends.load(begin.metrics, self.device, begin.dtype)
        self._on_pool = [name for name in pyiqa if self._kind(name) == "pool"]
        self.processes = (
            memory.processes(self._on_pool, self.pixels, begin.threads, memory.free_memory())
            if self._on_pool
            else 0
        )

    def hello(self) -> Hello:
        """Return what the parent needs to know before it asks for anything."""
        versions = {name: made.version_parts(name) for name, made in self._backends.items()}
        window = self._begin.threads + 1
        if self.processes:
            window = max(window, 2 * self.processes + 1)
        if any(self._kind(name) == "batch" for name in self._backends):
            most = int(_IN_FLIGHT_BYTES / (3 * self.pixels))
            window = max(window, min(_MOST_IN_FLIGHT, 4 * DEVICE_BATCH, most))
        if any(self._kind(name) == "remote" for name in self._backends):
            window = max(window, 2 * REMOTE_AT_ONCE)
        return Hello(versions, self._failures, window, self.device, self.processes)

    def split(self, metrics: Sequence[str]) -> list[tuple[str, ...]]:
        """Return `metrics` in groups: one lane, one backend, with a reference or without."""
        groups: dict[tuple[str, int, bool], list[str]] = {}
        for name in metrics:
            key = (self._kind(name), id(self._backends[name]), self.compares(name))
            groups.setdefault(key, []).append(name)
        # lanes that only take the picture come first; measuring at once comes last
        ordered = sorted(groups.items(), key=lambda item: item[0][0] == "direct")
        return [tuple(names) for _, names in ordered]

    def compares(self, name: str) -> bool:
        """Say whether the metric compares against a reference step."""
        return registry.metric(name).needs_reference

    def lane(self, name: str) -> Lane:
        """Return the lane of a metric."""
        kind = self._kind(name)
        key = kind if kind == "pool" else f"{kind} {id(self._backends[name])}"
        with self._making:
            if key not in self._lanes:
                self._lanes[key] = self._made(kind, name)
            return self._lanes[key]

    def prove(self, metrics: Sequence[str]) -> Mapping[str, Failure]:
        """Measure the known picture with each metric; return what went wrong."""
        known = selftest.known_picture()
        waiting, outcomes = {}, {}
        for name in metrics:
            base = known if self.compares(name) else None
            if self._kind(name) == "pool":
                lane: Any = self.lane(name)
                waiting[name] = lane.prove(name, known, base)
            else:
                outcomes[name] = ask(self._backends[name], (name,), known, base).get(name)
        outcomes |= {name: proved.result() for name, proved in waiting.items()}
        faults = {name: selftest.verdict(name, outcome) for name, outcome in outcomes.items()}
        return {name: fault for name, fault in faults.items() if fault is not None}

    def resident(self) -> int:
        """Return the resident bytes of the worker and its processes."""
        return memory.resident([os.getpid(), *(self._pool.pids() if self._pool else ())])

    def busy(self) -> float | None:
        """Return how busy the device was since its first batch."""
        return self._device.busy() if self._device else None

    def kill(self) -> None:
        """End the processes at once: one of them hangs."""
        for pid in self._pool.pids() if self._pool else ():
            os.kill(pid, 9)

    def _kind(self, name: str) -> str:
        backend = registry.metric(name).backend
        if backend == "pyiqa":
            from b100tui.metrics.pyiqa import CLASSICS

            return "pool" if self.device == "cpu" or name in CLASSICS else "batch"
        return {"endpoint": "remote", "command": "batch"}.get(backend, "direct")

    def _made(self, kind: str, name: str) -> Lane:
        backend = self._backends[name]
        if kind == "pool":
            from b100tui.scoring.pool import PoolLane

            made = PoolLane(self.processes, self._begin.dtype, self._clock)
            self._pool = made
            return made
        if kind == "batch":
            lane = BatchLane(backend, self._clock, DEVICE_BATCH)
            if registry.metric(name).backend == "pyiqa":
                self._device = lane
            return lane
        if kind == "remote":
            return RemoteLane(backend, self._clock, REMOTE_AT_ONCE)
        return DirectLane(backend, self._clock)


class RemoteLane:
    """A few threads that wait for somebody else's answers."""

    def __init__(self, backend: Backend, clock: Clock, threads: int) -> None:
        self._direct = DirectLane(backend, clock)
        self._pieces: queue.SimpleQueue[Piece] = queue.SimpleQueue()
        for number in range(threads):
            threading.Thread(target=self._run, name=f"remote-{number}", daemon=True).start()

    def put(self, piece: Piece) -> None:
        """Line the piece up."""
        self._pieces.put(piece)

    def _run(self) -> None:
        while True:
            self._direct.put(self._pieces.get())


def resolved(device: str) -> str:
    """Return the torch device meant by `device`: auto takes a GPU where there is one."""
    if device != "auto":
        return device
    if not has_cuda():
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
