"""Opens an installed `b100 explore` in a pty, steps once, leaves, and checks the terminal.

usage: drive_installed.py B100 ROOT RUNS_JSON
RUNS_JSON is what `b100 runs ROOT --json` printed: its names have to show on the screen.
"""

import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte

COLUMNS, LINES = 120, 40
SECONDS = 240.0
# What has to be switched off again on the way out, by DEC private mode number.
ALTERNATE_SCREEN, CURSOR, MOUSE = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"


class Terminal:
    """A program in a pty with a screen to look at; the terminal answers no query."""

    def __init__(self, words: list[str]) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        self.code: int | None = None
        self._inner, self._outer = os.openpty()[::-1]
        size = struct.pack("HHHH", LINES, COLUMNS, 0, 0)
        fcntl.ioctl(self._outer, termios.TIOCSWINSZ, size)
        self.before = termios.tcgetattr(self._inner)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._outer)
            os.login_tty(self._inner)
            clean = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "TMUX"}}
            os.execve(words[0], words, {**clean, "TERM": "xterm-256color"})

    def text(self) -> str:
        """Return what the screen shows."""
        return "\n".join(self.screen.display)

    def read(self, seconds: float) -> None:
        """Take in what the program writes within `seconds`, and whether it has gone."""
        if select.select([self._outer], [], [], seconds)[0]:
            data = os.read(self._outer, 65536)
            self.written += data
            self._stream.feed(data)
        elif self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None

    def wait_for(self, what: str, seen: Callable[[], bool]) -> None:
        """Read until `seen()`; SystemExit with the screen where that does not come."""
        end = time.monotonic() + SECONDS
        while not seen():
            if self.code is not None or time.monotonic() > end:
                if self.code is None:
                    os.kill(self.pid, signal.SIGKILL)
                sys.exit(f"waited for {what}; exit code {self.code}; the screen:\n{self.text()}")
            self.read(0.2)

    def type(self, keys: bytes) -> None:
        """Send `keys` as if typed."""
        os.write(self._outer, keys)

    def leave(self) -> int:
        """Return the exit code, reading on until the program is gone."""
        self.wait_for("the end of the program", lambda: self.code is not None)
        return self.code or 0

    def after(self) -> list[object]:
        """Return the terminal's attributes as the program left them."""
        return termios.tcgetattr(self._inner)


def main(program: str, root: str, runs_json: str) -> None:
    """Drive the explorer once; SystemExit says what did not hold."""
    runs = json.loads(Path(runs_json).read_text(encoding="utf-8"))
    images = {run["image"] for run in runs}
    terminal = Terminal([program, "explore", root])
    wanted = min(2, len(images))  # more rows than that may lie below the window
    terminal.wait_for(
        "the names of runs", lambda: sum(image in terminal.text() for image in images) >= wanted
    )
    first = terminal.text()
    terminal.type(b"\x1b[C")
    terminal.wait_for("an answer to the right arrow", lambda: terminal.text() != first)
    terminal.type(b"q")
    code = terminal.leave()
    if code:
        sys.exit(f"explore left with {code}; the screen shows:\n{terminal.text()}")
    if terminal.after() != terminal.before:
        sys.exit("the terminal's line settings were not restored")
    for name, off in (("alternate screen", ALTERNATE_SCREEN), ("cursor", CURSOR), ("mouse", MOUSE)):
        if off not in terminal.written:
            sys.exit(f"the {name} was not restored")
    print(f"explore showed {len(images)} images, stepped and left the terminal as it was")


if __name__ == "__main__":
    main(*sys.argv[1:])
