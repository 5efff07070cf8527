"""How many steps are through, on one line of stderr."""

import sys
import time

_EVERY_SECONDS = 0.2


class StepBar:
    """Steps done so far, redrawn in place behind `doing`; silent where stderr is no terminal."""

    def __init__(self, doing: str = "") -> None:
        self._doing = doing
        self._live = sys.stderr.isatty()
        self._last = 0.0
        self._drawn = False

    def show(self, done: int, total: int) -> None:
        """Draw the count, at most five times a second."""
        now = time.monotonic()
        if self._live and now - self._last > _EVERY_SECONDS:
            self._last, self._drawn = now, True
            words = f"{self._doing}{done:,} of {total:,} steps"
            print(f"\r{words}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave the line empty."""
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
