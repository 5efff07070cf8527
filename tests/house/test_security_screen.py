"""What foreign names and texts make the explorer write: words, never commands to the terminal."""

import select
import time
from pathlib import Path

import pytest

from tests.e2e.pty_terminal import Pty
from tests.house.hostile import RUN, evil_root

PAYLOADS = (b"]52;c;cm0", b"\x1b[31mred", "\u202e".encode(), b"\x1bP$q", "\x9b31m".encode())


def pump(terminal: Pty, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        select.select([terminal.fd], [], [], 0.05)
        terminal.pump()


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_nothing_of_a_hostile_folder_reaches_the_terminal_as_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("B100_PROBES", "off")
    root = tmp_path / "root"
    root.mkdir()
    evil_root(root)
    words = ["explore", str(root), "--graphics", "half", "--run", RUN, "--step", "1"]
    terminal = Pty(words, size)
    try:
        terminal.until(lambda: "fog" in terminal.tail(), "the name of a run")
        for keys in (
            b"\x1b[C",
            b"]",
            b"[",
            b"*",
            b"\t\t\t",
            b"s",
            b"plate",
            b"\x1b",
            b"?",
            b"\x1b",
        ):
            terminal.type(keys)
            pump(terminal, 0.3)
        pump(terminal, 1.0)
        terminal.type(b"q")
        assert terminal.ended() == 0
        assert [payload for payload in PAYLOADS if payload in terminal.raw] == []
        assert "red" in bytes(terminal.raw).decode("utf-8", "replace")
    finally:
        terminal.close()
