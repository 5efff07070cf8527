"""A terminal at the other end of a pty: answers queries, keeps what was written, types keys."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

ANSWERS = {
    "kitty": b"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.41.1)\x1b\\\x1b[?62;c",
    "sixel": b"\x1bP>|XTerm(379)\x1b\\\x1b[?62;4c",
    "iterm": b"\x1bP>|iTerm2 3.5.0\x1b\\\x1b[?62;4c",
    "half": b"\x1bP>|XTerm(379)\x1b\\\x1b[?62c",
    "silent": b"",
}
REPO = Path(__file__).resolve().parents[2]
PATIENCE = 240.0
_SLICE = 1460  # bytes, as a packet carries
_PAGE, _MOST = 4096, 1 << 16


class FakeTerminal:
    """Runs `python -m MODULE ARGUMENTS` in a terminal of `kind`; `places`: answers CSI 6n.

    With `rate` it takes no more than so many bytes a second, as over a slow link.
    """

    def __init__(
        self,
        kind: str,
        module: str,
        *arguments: str,
        size: tuple[int, int] = (80, 24),
        places: bool = True,
        environment: dict[str, str] | None = None,
        rate: float | None = None,
    ) -> None:
        self.rate = rate
        self._free = 0.0
        self.written = bytearray()
        self._seen = 0
        self.answer = ANSWERS[kind]
        self.places = places
        self.outer, self.inner = pty.openpty()
        self.set_size(*size)
        self.before = termios.tcgetattr(self.inner)
        known = {name: os.environ[name] for name in os.environ if name.startswith("B100_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=self.inner,
            stdout=self.inner,
            stderr=self.inner,
            cwd=REPO,
            start_new_session=True,
            env={
                "PATH": os.environ["PATH"],
                "HOME": os.environ.get("HOME", "/"),
                "LANG": "C.UTF-8",
                "TERM": "xterm-256color",
                "COLUMNS": "",
                "LINES": "",
                **known,
                **(environment or {}),
            },
        )

    def __enter__(self) -> "FakeTerminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.outer)
        os.close(self.inner)

    def set_size(self, columns: int, rows: int, cell: tuple[int, int] = (10, 20)) -> None:
        """Take another size; the program is told by `resize` alone."""
        pixels = (columns * cell[0], rows * cell[1])
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, *pixels))

    def resize(self, columns: int, rows: int, cell: tuple[int, int] = (10, 20)) -> int:
        """Take another size, tell the program, and return the place as `press` does."""
        place = len(self.written)
        self.set_size(columns, rows, cell)
        os.kill(self.process.pid, signal.SIGWINCH)
        return place

    def read(self, seconds: float = 0.05) -> bytes:
        """Take what is written within `seconds` of silence at most, and answer it."""
        if not select.select([self.outer], [], [], seconds)[0]:
            return b""
        data = os.read(self.outer, _SLICE) if self.rate is not None else self._waiting()
        if self.rate is not None:
            now = time.monotonic()
            self._free = max(self._free, now) + len(data) / self.rate
            time.sleep(self._free - now)
        self.written += data
        # A query may be cut by the end of a read: look back over three bytes.
        new = bytes(self.written[max(len(self.written) - len(data) - 3, 0) :])
        self._seen = max(self._seen, len(self.written) - len(data) - 3)
        asked = bytes(self.written[self._seen :]).count(b"\x1b[6n")
        if b"\x1b[c" in new and self.answer:
            os.write(self.outer, self.answer)
        if asked:
            self._seen = self.written.rindex(b"\x1b[6n") + 4
            if self.places:
                os.write(self.outer, b"\x1b[1;1R" * asked)
        return data

    def _waiting(self) -> bytes:
        """Take all that is written: a pty gives no more than a page at a time."""
        data = os.read(self.outer, _PAGE)
        while len(data) < _MOST and select.select([self.outer], [], [], 0)[0]:
            data += os.read(self.outer, _PAGE)
        return data

    def wait_for(self, pattern: str, start: int = 0, patience: float = PATIENCE) -> int:
        """Read until `pattern` is written after place `start`; return the place behind it.

        Raises AssertionError when it is not there after `patience` seconds.
        """
        end = time.monotonic() + patience
        wanted = re.compile(pattern.encode(), re.DOTALL)
        while time.monotonic() < end:
            # Never a copy of all that was written: after many pictures it would take longer
            # than the program that is watched.
            found = wanted.search(self.written, start)
            if found:
                return found.end()
            self.read()
        raise AssertionError(f"{pattern!r} was not written: {self.tail(start)!r}")

    def settle(self) -> None:
        """Read until nothing more is written: the sharp frame came, the link is idle."""
        while self.read(0.5):
            pass

    def press(self, keys: str) -> int:
        """Type `keys`; return the place from which their effect is written."""
        place = len(self.written)
        os.write(self.outer, keys.encode())
        return place

    def finish(self) -> int:
        """Read until the program has ended and return its status."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read()
        while self.read(0.1):
            pass
        return self.process.wait(timeout=PATIENCE)

    def tail(self, start: int = 0) -> bytes:
        """The last written bytes after `start`, for messages."""
        return bytes(self.written[start:][-2000:])

    def text(self, start: int = 0) -> str:
        """What was written after `start`."""
        return bytes(self.written[start:]).decode("utf-8", "replace")

    @property
    def restored(self) -> bool:
        """Whether the tty is as before, and the alternate screen was left last."""
        left = self.written.rfind(b"\x1b[?1049l") > self.written.rfind(b"\x1b[?1049h")
        return left and termios.tcgetattr(self.inner) == self.before

    def uploads(self, start: int = 0) -> list[int]:
        """The ids of the Kitty pictures that were uploaded."""
        return [int(n) for n in re.findall(r"\x1b_Ga=T,[^;]*?i=(\d+)", self.text(start))]

    def deletes(self, start: int = 0) -> list[int]:
        """The ids of the Kitty pictures that were freed."""
        return [int(n) for n in re.findall(r"\x1b_Ga=d,d=I,i=(\d+)", self.text(start))]
