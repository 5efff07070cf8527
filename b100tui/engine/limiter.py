"""One limiter for all runs of a model: calls at once, calls a minute, dollars in ten minutes.

Additive up on success, halved on 429 and 503; a named quota window holds every run back.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MINUTE = 60.0
_TEN_MINUTES = 600.0
_LOOK_SECONDS = 0.5


class Limiter:
    """Slots for calls to one model; all times in seconds of `clock`."""

    def __init__(
        self,
        most: int,
        *,
        per_minute: int | None = None,
        usd_per_ten_minutes: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = max(1, most)
        self.allowed = float(self.most)
        self.running = 0
        self._per_minute = per_minute
        self._usd = usd_per_ten_minutes
        self._clock = clock
        self._calls: deque[float] = deque()
        self._spent: deque[tuple[float, float]] = deque()
        self._paused_until = 0.0
        self._free = threading.Condition()

    def missing(self, usd: float = 0.0) -> float:
        """Return the seconds until a call of `usd` may begin; 0 when it may begin now."""
        now = self._clock()
        while self._calls and self._calls[0] <= now - _MINUTE:
            self._calls.popleft()
        while self._spent and self._spent[0][0] <= now - _TEN_MINUTES:
            self._spent.popleft()
        wait = self._paused_until - now
        if self._per_minute is not None and len(self._calls) >= self._per_minute:
            wait = max(wait, self._calls[0] + _MINUTE - now)
        spent = sum(cost for _, cost in self._spent)
        if self._usd is not None and self._spent and spent + usd > self._usd:
            wait = max(wait, self._spent[0][0] + _TEN_MINUTES - now)
        if self.running >= max(1, int(self.allowed)):
            wait = max(wait, _LOOK_SECONDS)
        return max(0.0, wait)

    @contextmanager
    def slot(
        self,
        usd: float = 0.0,
        *,
        given_up: Callable[[], bool] = lambda: False,
        waiting: Callable[[float], None] = lambda seconds: None,
    ) -> Iterator[bool]:
        """Hold a slot while the block runs; yields False, without one, when `given_up` is true.

        `waiting` is told the seconds that a quota window still lasts.
        """
        got = False
        with self._free:
            while not given_up():
                left = self.missing(usd)
                if left <= 0.0:
                    got = True
                    self.running += 1
                    self._calls.append(self._clock())
                    self._spent.append((self._clock(), usd))
                    break
                if left > _LOOK_SECONDS:
                    waiting(left)
                self._free.wait(min(left, _LOOK_SECONDS))
        try:
            yield got
        finally:
            if got:
                with self._free:
                    self.running -= 1
                    self._free.notify_all()

    def succeeded(self) -> None:
        """One more call at once after as many successes as there may be calls."""
        with self._free:
            self.allowed = min(float(self.most), self.allowed + 1.0 / max(1.0, self.allowed))
            self._free.notify_all()

    def overloaded(self) -> None:
        """Halve the number of calls at once, down to one."""
        with self._free:
            self.allowed = max(1.0, self.allowed / 2.0)

    def pause(self, seconds: float) -> None:
        """Begin no call for `seconds`."""
        with self._free:
            self._paused_until = max(self._paused_until, self._clock() + seconds)
