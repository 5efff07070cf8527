"""One event loop for the process's life: async clients stay usable, and calls can be cut off."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")
_LOOK_SECONDS = 0.2
_CLOSING_SECONDS = 2.0


class DeadlineError(Exception):
    """The whole attempt took longer than its deadline."""


class CutError(Exception):
    """A person aborted the call."""


def elapsed_clock() -> float:
    """Return seconds that go on while the machine sleeps and do not jump with the wall clock."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class CallLoop:
    """Runs coroutines of many threads in one thread of its own."""

    def __init__(self, clock: Callable[[], float] = elapsed_clock) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(
        self,
        make: Callable[[], Coroutine[Any, Any, Result]],
        *,
        deadline: float | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Result:
        """Run the coroutine that `make` gives and return its result, from any thread.

        Raises DeadlineError after `deadline` seconds whatever trickles in meanwhile, CutError
        soon after `cancelled` turns true; else what the coroutine raises.
        """
        return asyncio.run_coroutine_threadsafe(
            self._guarded(make, deadline, cancelled), self._running()
        ).result()

    async def _guarded(
        self,
        make: Callable[[], Coroutine[Any, Any, Result]],
        deadline: float | None,
        cancelled: Callable[[], bool] | None,
    ) -> Result:
        begin = self._clock()
        task = asyncio.ensure_future(make())
        while True:
            left = None if deadline is None else deadline - (self._clock() - begin)
            if not task.done() and left is not None and left <= 0:
                await _drop(task)
                raise DeadlineError
            if not task.done() and cancelled is not None and cancelled():
                await _drop(task)
                raise CutError
            if task.done():
                return task.result()
            await asyncio.wait({task}, timeout=min(_LOOK_SECONDS, left or _LOOK_SECONDS))

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._mutex:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="editor-calls", daemon=True
                ).start()
            return self._loop


async def _drop(task: "asyncio.Task[Any]") -> None:
    """Cancel `task`; one that does not end is left to its loop."""
    task.cancel()
    await asyncio.wait({task}, timeout=_CLOSING_SECONDS)


SHARED = CallLoop()
