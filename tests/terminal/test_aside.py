"""What C libraries print never reaches the person; what Python says always does."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.calls import b100
from tests.e2e.pty_terminal import Pty

WORDS = b"Using code not yet in table"

PROGRAM = """
import os, sys
from b100tui.terminal.aside import libraries_aside, screen
try:
    with libraries_aside():
        os.write(2, b"a library\\n")
        print("a person is told", file=sys.stderr)
        print("as Textual draws", file=sys.__stderr__)
        assert os.write(screen(), b"as the probe asks\\n")
        raise RuntimeError("what broke")
finally:
    os.write(2, b"as before\\n")
"""


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A folder with one TIFF of which libtiff complains on descriptor 2."""
    folder = tmp_path / "runs" / "cat"
    folder.mkdir(parents=True)
    pixels = np.random.default_rng(0).integers(0, 255, (60, 80, 3), dtype=np.uint8)
    for step in range(3):
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "TIFF", compression="tiff_lzw")
        data = bytearray(buffer.getvalue())
        if step == 1:
            data[200:400] = bytes(byte ^ 0xA5 for byte in data[200:400])
        (folder / f"step_{step}.tif").write_bytes(data)
    return tmp_path / "runs"


def test_python_speaks_on_and_libraries_do_not() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=False)
    told = done.stderr.decode().splitlines()
    assert told[:3] == ["a person is told", "as Textual draws", "as the probe asks"]
    assert "a library" not in told
    assert "as before" in told
    assert told[-1] == "RuntimeError: what broke"


def test_a_closed_stderr_is_left_closed() -> None:
    closed = "import os; os.close(2)\n" + PROGRAM.replace("os.write(2", "os.write(1")
    done = subprocess.run([sys.executable, "-c", closed], capture_output=True, check=False)
    assert done.stderr == b""


def test_a_command_names_a_damaged_picture_in_its_own_words_alone(damaged: Path) -> None:
    done = b100("drift", "cat", "--root", str(damaged))
    assert "step_1.tif: damaged" in done.stdout
    assert WORDS.decode() not in done.stderr
    wordy = b100("drift", "cat", "--root", str(damaged), "-v")
    assert WORDS.decode() in wordy.stderr  # else this shows nothing


def test_a_damaged_picture_writes_nothing_over_the_explorer(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("B100_PROBES", "off")
    terminal = Pty(["explore", str(damaged), "--graphics", "half"])
    try:
        terminal.until(lambda: "0/2" in terminal.tail(), "the first step")
        terminal.type(b"\x1b[C")
        terminal.until(lambda: "damaged" in terminal.tail(), "the reason")
        terminal.type(b"q")
        assert terminal.ended() == 0
        assert WORDS not in terminal.raw
        assert terminal.state.left() == []
        assert terminal.line_changed() == []
    finally:
        terminal.close()
