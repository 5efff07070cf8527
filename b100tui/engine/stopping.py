"""How work is asked to end: first finish the running steps, then abort them."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_FINISHING = "finishing the running steps; ask again to abort them"
_ABORTING = "aborting the running steps; they count as possibly billed"


class Stop:
    """Two flags: `finish` (no new step begins) and `abort` (running calls end now).

    `say` is told in words what was asked; it runs inside a signal handler.
    """

    def __init__(self, say: Callable[[str], None] = lambda words: None) -> None:
        self._say = say
        self._asked = 0
        self.finish = threading.Event()
        self.abort = threading.Event()
        self.reason = ""

    def ask(self, reason: str = "stopped by a person") -> None:
        """Ask once to finish, a second time to abort."""
        self._asked += 1  # first, because a second signal may interrupt the handler of the first
        again = self._asked > 1
        self.reason = self.reason or reason
        self.finish.set()
        if again:
            self.abort.set()
        self._say(_ABORTING if again else _FINISHING)

    def end(self, reason: str) -> None:
        """Begin no further step because of `reason`; running steps finish."""
        self.reason = self.reason or reason
        self.finish.set()

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds`; True when asked to finish meanwhile."""
        return self.finish.wait(seconds)


@contextmanager
def interruptible(stop: Stop) -> Iterator[None]:
    """Turn the first ctrl-c (and SIGTERM) into `finish`, the second into `abort`.

    Does nothing outside the main thread: an explorer steers its own Stop.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def asked(number: int, frame: FrameType | None) -> None:
        stop.ask("interrupted")

    before = {one: signal.signal(one, asked) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
