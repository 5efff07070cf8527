"""Where the driver writes: a terminal that may go away at any moment."""

from collections.abc import Callable
from typing import Any


class Outlet:
    """The terminal's file. Once the terminal has gone, what is written to it is dropped.

    Textual's writer thread would die of the error and leave its queue full for ever, and the
    program waiting to put its farewell into it.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._gone = False

    def write(self, text: str) -> None:
        """Write `text`, or drop it."""
        self._unless_gone(self._file.write, text)

    def flush(self) -> None:
        """Hand on what was written."""
        self._unless_gone(self._file.flush)

    def fileno(self) -> int:
        """Return the file's number."""
        return int(self._file.fileno())

    def _unless_gone(self, call: Callable[..., Any], *words: str) -> None:
        if self._gone:
            return
        try:
            call(*words)
        except OSError:
            self._gone = True  # there is nobody left to be told
