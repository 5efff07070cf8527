from pathlib import Path

import pytest

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources import open_picture, read_step, scan_folder
from tests.sources.made import picture, put


def run_of(root: Path, *broken: bytes) -> None:
    put(root, *(f"step_{n}.png" for n in range(3)))
    for number, data in enumerate(broken, 3):
        put(root, f"step_{number}.png", data=data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"not an image", "not a picture"),
        (picture("png", (50, 50))[:60], "cut short"),
    ],
)
def test_bad_file_costs_itself_and_says_why(tmp_path: Path, data: bytes, words: str) -> None:
    run_of(tmp_path, data)
    (source,) = scan_folder(tmp_path).runs
    steps = [read_step(tmp_path, source.run, step) for step in source.steps]
    assert [step.status for step in steps] == ["ok", "ok", "ok", "unreadable"]
    assert words in (steps[3].reason or "")


def test_one_pixel_is_a_picture(tmp_path: Path) -> None:
    run_of(tmp_path, picture("png", (1, 1)))
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[3])
    assert (step.status, step.width, step.height) == ("ok", 1, 1)


def test_vanished_file_is_missing(tmp_path: Path) -> None:
    run_of(tmp_path)
    (source,) = scan_folder(tmp_path).runs
    (tmp_path / "step_1.png").unlink()
    step = read_step(tmp_path, source.run, source.steps[1])
    assert (step.status, step.reason) == ("missing", "the file is gone")
    with pytest.raises(PictureError, match="gone"):
        open_picture(tmp_path, source.steps[1].picture)


def test_folder_in_place_of_a_file_is_unreadable(tmp_path: Path) -> None:
    run_of(tmp_path)
    (source,) = scan_folder(tmp_path).runs
    (tmp_path / "step_1.png").unlink()
    (tmp_path / "step_1.png").mkdir()
    assert read_step(tmp_path, source.run, source.steps[1]).status == "unreadable"


def test_format_is_that_of_the_bytes_not_of_the_name(tmp_path: Path) -> None:
    run_of(tmp_path, picture("jpeg"))
    (source,) = scan_folder(tmp_path).runs
    assert read_step(tmp_path, source.run, source.steps[3]).format == "jpeg"


@pytest.mark.parametrize("path", ["../secret.png", "/etc/passwd", "a/../../b.png", "a\0b"])
def test_paths_out_of_the_root_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(PictureError, match="outside"):
        open_picture(tmp_path, PictureRef(path=path))


def test_name_that_is_no_utf8_is_scanned_and_opened(tmp_path: Path) -> None:
    for number in range(3):
        raw = bytes(tmp_path) + b"/caf\xe9_step_%d.png" % number
        with open(raw, "wb") as file:
            file.write(picture())
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[2])
    assert step.status == "ok"
    assert source.steps[2].picture.path.encode()
    opened = open_picture(tmp_path, source.steps[2].picture)
    assert isinstance(opened, Path)
    assert opened.read_bytes() == picture()


def test_every_step_of_a_simulated_run_says_so(tmp_path: Path) -> None:
    line = b'{"run": "a", "step": 0, "path": "step_0.png", "simulated": true}\n'
    put(tmp_path, "step_0.png")
    put(tmp_path, "steps.jsonl", data=line)
    (source,) = scan_folder(tmp_path).runs
    assert source.run.simulated
    assert read_step(tmp_path, source.run, source.steps[0]).warnings == ("SIMULATED",)
