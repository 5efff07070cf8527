"""Commit of a step: whole or invisible, whenever the process dies."""

import hashlib
import io
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from PIL import Image

from b100tui.engine.commit import commit_step, file_facts
from b100tui.model.errors import PictureError, StoreError
from b100tui.model.records import Sidecar

_CHILD = """
import os, signal, sys
from pathlib import Path
from b100tui.engine.commit import commit_step, file_facts
from b100tui.model.records import Sidecar
folder, source, call, number = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
real, count = getattr(os, call), [0]
def dying(*args, **kwargs):
    count[0] += 1
    if count[0] == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)
setattr(os, call, dying)
data = source.read_bytes()
commit_step(folder, data, Sidecar(run="a/b/run-0", step=1, output=file_facts(data, 1)))
print("committed")
"""


def picture(kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (20, 10), (200, 30, 40)).save(buffer, kind)
    return buffer.getvalue()


def sidecar(data: bytes, step: int = 1) -> Sidecar:
    return Sidecar(run="a/b/run-0", step=step, output=file_facts(data, step))


def visible(folder: Path) -> list[Path]:
    """Steps by the rule: the sidecar parses and the image it names is there, byte for byte."""
    found = []
    for path in folder.glob("step-*.json"):
        record = msgspec.json.decode(path.read_bytes(), type=Sidecar)
        data = (folder / record.output.file).read_bytes()
        assert hashlib.sha256(data).hexdigest() == record.output.sha256
        found.append(path)
    return found


def test_bytes_are_stored_as_given_under_the_extension_of_their_type(tmp_path: Path) -> None:
    data = picture("JPEG")
    facts = file_facts(data, 7, "image/png")
    assert (facts.file, facts.mime, facts.declared_mime) == (
        "step-007.jpg",
        "image/jpeg",
        "image/png",
    )
    commit_step(tmp_path, data, Sidecar(run="a/b/run-0", step=7, output=facts))
    assert (tmp_path / "step-007.jpg").read_bytes() == data


def test_stages_come_in_order_with_the_sidecar_last(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    data = picture()
    commit_step(
        tmp_path, data, sidecar(data), at=lambda stage: seen.append((stage, len(visible(tmp_path))))
    )
    assert seen == [("begin", 0), ("image", 0), ("sidecar", 1), ("done", 1)]


@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("number", range(1, 6))
def test_a_kill_at_any_point_leaves_no_half_step(tmp_path: Path, call: str, number: int) -> None:
    source = tmp_path / "source"
    source.write_bytes(picture())
    folder = tmp_path / "run-0"
    folder.mkdir()
    words = [sys.executable, "-c", _CHILD, str(folder), str(source), call, str(number)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -9)
    steps = visible(folder)
    assert len(steps) <= 1
    if "committed" in done.stdout:
        assert len(steps) == 1


def test_a_committed_step_is_never_replaced(tmp_path: Path) -> None:
    data = picture()
    commit_step(tmp_path, data, sidecar(data))
    with pytest.raises(StoreError, match="step 1 is committed"):
        commit_step(tmp_path, data, sidecar(data))


def test_bytes_that_are_not_those_of_the_sidecar_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not those of the sidecar"):
        commit_step(tmp_path, picture("JPEG"), sidecar(picture()))
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_are_no_picture_never_get_facts() -> None:
    with pytest.raises(PictureError):
        file_facts(b"<html>502</html>", 1)
