"""Programs in a pty: what they wrote, how they left the terminal, whether the line is as before."""

import errno
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyte

from tests.e2e.terminal_state import TerminalState

LIMIT = 240.0  # seconds, on a machine with much else to do
_ASKED = b"\x1b[6n"
KEPT = 400_000


class Memory(NamedTuple):
    """kB of one process: resident, its share of that, and what no file is behind."""

    rss: int = 0
    pss: int = 0
    anonymous: int = 0


def memory_of(pid: int) -> Memory:
    """Return what the system tells of `pid`, zeros once it has gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return Memory()
    found = dict(re.findall(r"^(Rss|Pss|Anonymous):\s+(\d+)", text, re.MULTILINE))
    return Memory(int(found["Rss"]), int(found["Pss"]), int(found["Anonymous"]))


class Pty:
    """A program in a pty of its own. It has to be pumped, or the program blocks on writing.

    `words` are those of `b100`, or of any program when `program` names one. `raw` holds the end
    of what was written, `state` what all of it did to the terminal.
    """

    def __init__(
        self,
        words: Sequence[str],
        size: tuple[int, int] = (120, 40),
        *,
        answers: bool = True,
        program: str = "",
        folder: Path | None = None,
    ) -> None:
        self.answers = answers
        self.state = TerminalState()
        self.raw = bytearray()
        self._asked = b""
        self.code: int | None = None
        self.fd, inner = os.openpty()
        # Before the program starts, or they might be its own already.
        self.before = termios.tcgetattr(inner)
        self.resize(*size)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.fd)
            os.login_tty(inner)
            os.environ["TERM"] = "xterm-256color"
            os.environ["PYTHONFAULTHANDLER"] = "1"
            os.environ.pop("TMUX", None)
            if folder is not None:
                os.chdir(folder)
            start = [program] if program else [sys.executable, "-m", "b100tui"]
            os.execvp(start[0], [*start, *words])
        self.name = os.ttyname(inner)
        os.close(inner)
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
        if len(self.raw) > 2 * KEPT:
            del self.raw[:-KEPT]
        self.state.feed(data)
        asked = self._asked + data
        self._asked = asked[1 - len(_ASKED) :]
        if self.answers and (count := asked.count(_ASKED)):
            self.type(b"\x1b[1;1R" * count)
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

    def leave(self) -> int:
        """Leave an explorer by q, from whatever screen it is on; return the exit status."""
        end = time.monotonic() + 4 * LIMIT
        while self.running() and time.monotonic() < end:
            for key in (b"\x1b", b"q"):
                self.type(key)
                until = time.monotonic() + 0.7
                while self.running() and time.monotonic() < until:
                    select.select([self.fd], [], [], 0.05)
                    self.pump()
        return self.ended()

    def abort(self) -> str:
        """End the program by force; return where each of its threads was."""
        begin = len(self.raw)
        self.signal(signal.SIGABRT)
        end = time.monotonic() + LIMIT
        while self.running() and time.monotonic() < end:
            select.select([self.fd], [], [], 0.1)
            self.pump()
        return bytes(self.raw[min(begin, KEPT // 2) :][-20_000:]).decode("utf-8", "replace")

    def line_changed(self) -> list[object]:
        """Return the line settings that are not as before: [before, now] each."""
        pairs = zip(self.before, termios.tcgetattr(self.fd), strict=True)
        return [[before, now] for before, now in pairs if before != now]

    def memory(self) -> Memory:
        """Return the memory of the program's process, zeros once it has gone."""
        return memory_of(self.pid)

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
