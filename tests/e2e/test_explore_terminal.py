"""`b100 explore` in a real pty: it opens, scrubs, and leaves the terminal as it found it."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import pyte
import pytest
from PIL import Image

COLUMNS, ROWS = 120, 40
LIMIT = 240.0


class Terminal:
    """The program in a pty, its output drawn by a terminal emulator."""

    def __init__(self, *words: str) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ.pop("TMUX", None)
            os.execv(sys.executable, [sys.executable, "-m", "b100tui", "explore", *words])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 1200, 800))
        self.before = termios.tcgetattr(self.fd)

    def read(self, wait: float) -> bool:
        if not select.select([self.fd], [], [], wait)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def until(self, word: str) -> None:
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if any(word in line for line in self.screen.display):
                return
            self.read(0.2)
        raise AssertionError(
            f"{word!r} never stood on the screen:\n" + "\n".join(self.screen.display)
        )

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait(self) -> int:
        """Return the exit status once the program has ended."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.read(0.1)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0.1):
                    continue
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError("the program did not end")

    def close(self) -> None:
        os.close(self.fd)

    @property
    def restored(self) -> bool:
        """Whether the alternate screen was left last and the line discipline is as before."""
        left = self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h") >= 0
        return left and termios.tcgetattr(self.fd) == self.before


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("B100_PROBES", "off")
    for name in ("dongpo", "fog"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        for step in range(6):
            picture = Image.new("RGB", (64, 48), (40 * step, 80, 120))
            picture.save(folder / f"{name}_step_{step}.png")
    return tmp_path / "runs"


def open_folder(root: Path, *words: str) -> Terminal:
    terminal = Terminal(str(root), "--graphics", "half", *words)
    terminal.until("0/5")
    return terminal


def test_an_unprepared_folder_opens_scrubs_and_quits(root: Path):
    terminal = open_folder(root)
    terminal.type("\x1b[C\x1b[C")
    terminal.until("2/5")
    terminal.type("4\r")
    terminal.until("4/5")
    terminal.type("q")
    assert terminal.wait() == 0
    assert terminal.restored
    terminal.close()


def test_the_place_is_there_again(root: Path):
    terminal = open_folder(root)
    terminal.type("3\r")
    terminal.until("3/5")
    terminal.type("q")
    terminal.wait()
    terminal.close()
    again = Terminal(str(root), "--graphics", "half")
    again.until("3/5")
    again.type("q")
    again.wait()
    again.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal(root: Path, number: signal.Signals):
    terminal = open_folder(root)
    os.kill(terminal.pid, number)
    terminal.wait()
    assert terminal.restored
    terminal.close()


def test_an_interrupt_leaves_as_every_command_does(root: Path):
    terminal = open_folder(root)
    os.kill(terminal.pid, signal.SIGINT)
    assert terminal.wait() == 130
    assert terminal.restored
    terminal.close()


def test_a_step_made_from_here_comes_under_the_cursor(root: Path):
    terminal = open_folder(root)
    terminal.type("e")
    terminal.until("a new run from step 0")
    terminal.until("free: nothing leaves this machine")
    terminal.type("\x1b[B\x1b[B\x1b[B1")
    terminal.until("1 picture,")
    terminal.type("\r")
    terminal.until("1/1")
    terminal.until("edit done")
    terminal.type("t")
    terminal.until("step 1 of 1")
    terminal.type("tq")
    assert terminal.wait() == 0
    assert terminal.restored
    terminal.close()


def test_a_continue_without_a_suspend_leaves_the_terminal_restorable(root: Path):
    terminal = open_folder(root)
    entered = terminal.raw.count(b"\x1b[?1049h")
    os.kill(terminal.pid, signal.SIGCONT)
    end = time.monotonic() + LIMIT
    while terminal.raw.count(b"\x1b[?1049h") == entered and time.monotonic() < end:
        terminal.read(0.2)
    terminal.type("4\r")
    terminal.until("4/5")
    terminal.type("q")
    assert terminal.wait() == 0
    assert terminal.restored
    terminal.close()


def test_a_terminal_that_vanishes_ends_the_program(root: Path):
    terminal = open_folder(root)
    terminal.close()
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        pid, _ = os.waitpid(terminal.pid, os.WNOHANG)
        if pid:
            return
        select.select([], [], [], 0.05)
    os.kill(terminal.pid, signal.SIGKILL)
    os.waitpid(terminal.pid, 0)
    raise AssertionError("the program outlived its terminal")


def test_without_a_terminal_it_names_the_headless_commands(root: Path):
    import subprocess

    told = subprocess.run(
        [sys.executable, "-m", "b100tui", "explore", str(root)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 2
    assert "b100 runs" in told.stderr and told.stdout == ""
