"""Programs in a pty: what they wrote, the modes they left on, and whether the line is as before."""

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyte

LIMIT = 60.0
_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_ASKED = b"\x1b[6n"
# What is on before a program starts, by DEC private mode: cursor and line wrap.
_ON_BEFORE = {7, 25}


class Pty:
    """`b100 WORDS` in a pty of its own. It has to be pumped, or the program blocks on writing."""

    def __init__(
        self,
        words: Sequence[str],
        size: tuple[int, int] = (120, 40),
        *,
        answers: bool = True,
        drawn: Callable[[bytes], None] | None = None,
    ) -> None:
        self.answers, self.drawn = answers, drawn
        self.raw = bytearray()
        self.code: int | None = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ["PYTHONFAULTHANDLER"] = "1"
            os.environ.pop("TMUX", None)
            os.execv(sys.executable, [sys.executable, "-m", "b100tui", *words])
        self.resize(*size)
        self.before = termios.tcgetattr(self.fd)
        os.set_blocking(self.fd, False)

    def resize(self, columns: int, rows: int) -> None:
        self.size = (columns, rows)
        size = struct.pack("HHHH", rows, columns, columns * 10, rows * 20)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def type(self, data: bytes) -> None:
        """Send `data` as if typed; what a full line does not take is lost, as in life."""
        try:
            os.write(self.fd, data)
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EIO}:
                raise

    def pump(self) -> bool:
        """Take in what was written; False when there was nothing."""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EIO}:
                raise
            return False
        self.raw += data
        if self.drawn is not None:
            self.drawn(data)
        if self.answers and _ASKED in data:
            self.type(b"\x1b[1;1R" * data.count(_ASKED))
        return bool(data)

    def signal(self, number: int) -> None:
        if self.running():
            os.kill(self.pid, number)

    def running(self) -> bool:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is None

    def until(self, seen: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + LIMIT
        while not seen():
            if not self.running() or time.monotonic() > end:
                raise AssertionError(f"waited for {what}; code {self.code}\n{self.tail()}")
            select.select([self.fd], [], [], 0.1)
            self.pump()

    def ended(self) -> int:
        """Return the exit status; a program that does not end within the limit is killed."""
        end = time.monotonic() + LIMIT
        while self.running():
            if time.monotonic() > end:
                shown = self.tail()
                raise AssertionError(f"the program did not end\n{shown}\n{self.abort()}")
            select.select([self.fd], [], [], 0.1)
            self.pump()
        while self.pump():
            continue
        assert self.code is not None
        return self.code

    def abort(self) -> str:
        """End the program by force; return where each of its threads was."""
        begin = len(self.raw)
        self.signal(signal.SIGABRT)
        end = time.monotonic() + LIMIT
        while self.running() and time.monotonic() < end:
            select.select([self.fd], [], [], 0.1)
            self.pump()
        return bytes(self.raw[begin:]).decode("utf-8", "replace")

    def left_on(self) -> set[int]:
        """Return the DEC private modes that are not as they were before the program."""
        now = dict.fromkeys(_ON_BEFORE, True)
        for numbers, how in _MODE.findall(bytes(self.raw)):
            for number in numbers.split(b";"):
                now[int(number)] = how == b"h"
        return {mode for mode, on in now.items() if on != (mode in _ON_BEFORE)}

    def line_changed(self) -> list[object]:
        """Return the line settings that are not as before: [before, now] each."""
        pairs = zip(self.before, termios.tcgetattr(self.fd), strict=True)
        return [[before, now] for before, now in pairs if before != now]

    def kitty_left(self) -> set[bytes]:
        """Return the ids of Kitty pictures that were sent up and not freed again."""
        held: set[bytes] = set()
        for command in re.findall(rb"\x1b_G([^;\x1b]*)", bytes(self.raw)):
            keys = dict(pair.split(b"=", 1) for pair in command.split(b",") if b"=" in pair)
            if keys.get(b"a") in {b"t", b"T"} and b"i" in keys:
                held.add(keys[b"i"])
            if keys.get(b"a") == b"d":
                held.discard(keys.get(b"i", b""))
        return held

    def memory(self) -> int:
        """Return the resident memory in kB, 0 where the system does not tell."""
        try:
            text = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"VmRSS:\s+(\d+)", text)
        return int(found[1]) if found else 0

    def tail(self) -> str:
        """Return the words that stand on the screen now."""
        screen = pyte.Screen(*self.size)
        pyte.ByteStream(screen).feed(bytes(self.raw[-300_000:]))
        return "\n".join(line.rstrip() for line in screen.display if line.strip())

    def close(self) -> None:
        if self.running():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
