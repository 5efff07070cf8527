"""A terminal that answers with commands: none comes back to it, none is left to a shell."""

import fcntl
import os
import struct
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pty_terminal import Pty
from tests.index.folder import add_run

ANSWERS = {
    "escapes in a name": b"\x1bP>|x\x1b]52;c;cm0gLXJm\x07\x1b[31mevil\x1b\\\x1b[?62;4c",
    "lines for a shell": b"\x1bP>|x\r\nrm -rf evil\r\n\x1b\\\x1b[?62c\r\nrm -rf evil\r\n",
    "no end": b"\x1b[6;" + b"9" * 10_000 + b"\x1b_G" + b"evil\r\n" * 3000,
    "no text": b"\x1bP>|\xff\xfe\x9b31m\x00" + b"A" * 20_000 + b"\x1b\\\x1b[?62;4c",
}
NEVER = (b"]52;c;cm0", b"\x1b[31m", b"\x9b31m", b"rm -rf", b"AAAAAAAA", b"99999999")


def pieces(answer: bytes, size: int) -> Iterator[bytes]:
    return (answer[at : at + size] for at in range(0, len(answer), size))


def left_in_line(name: str) -> int:
    """Return how many typed bytes the next program of this line would read."""
    line = os.open(name, os.O_RDWR | os.O_NOCTTY)
    try:
        tty.setraw(line)
        return int(struct.unpack("i", fcntl.ioctl(line, termios.FIONREAD, b"\0" * 4))[0])
    finally:
        os.close(line)


@pytest.mark.parametrize(
    ("kind", "size"),
    [("escapes in a name", 1), ("lines for a shell", 7), ("no end", 1000), ("no text", 1000)],
)
def test_nothing_of_a_hostile_answer_reaches_screen_or_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, size: int
) -> None:
    monkeypatch.setenv("B100_PROBES", "off")
    add_run(tmp_path / "root", "fog/replicate-2k/run-0", 4, size=(64, 48))
    terminal = Pty(["explore", str(tmp_path / "root")])
    try:
        terminal.until(lambda: b"\x1b[c" in terminal.raw, "the question what it is")
        for piece in pieces(ANSWERS[kind], size):
            terminal.type(piece)
            terminal.pump()
        terminal.until(lambda: "fog" in terminal.tail(), "the name of a run")
        terminal.leave()
        assert terminal.code == 0
        assert [found for found in NEVER if found in terminal.raw] == []
        assert terminal.state.left() == []
        assert left_in_line(terminal.name) == 0
    finally:
        terminal.close()
