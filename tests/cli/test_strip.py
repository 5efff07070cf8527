import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from b100tui.cli.main import main
from tests.imaging.pairs import Pixels
from tests.index.folder import add_step, record, score

RUN = "dongpo/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    for step in (1, 5, 10):
        pixels = rng.integers(0, 256, (90, 120, 3), dtype=np.uint8)
        data = cv2.imencode(".png", pixels)[1].tobytes()
        add_step(tmp_path / "runs", RUN, step, data=data, size=(120, 90))
        record(tmp_path / "runs", "scores", score(RUN, step, "brisque", 30.0 - step))
    return tmp_path / "runs"


def strip(root: Path, out: Path, *words: str) -> int:
    return main(["strip", RUN, "--root", str(root), "--out", str(out), *words])


def find(tile: Pixels, sheet: Pixels) -> int:
    """How often `tile` lies in `sheet` pixel for pixel."""
    height, width = tile.shape[:2]
    places = np.argwhere((sheet == tile[0, 0]).all(axis=2))
    return sum(
        np.array_equal(sheet[y : y + height, x : x + width], tile) for y, x in places.tolist()
    )


def test_every_tile_is_there_pixel_for_pixel(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "strip.png"
    assert strip(root, out, "--json", "--caption", "brisque") == 0
    told = json.loads(capsys.readouterr().out)
    sheet = np.asarray(Image.open(out).convert("RGB"))
    assert (told["path"], told["width"], told["height"]) == (str(out), *sheet.shape[1::-1])
    for step in (1, 5, 10):
        picture = np.asarray(Image.open(root / RUN / f"step-{step:03d}.png").convert("RGB"))
        assert find(picture, sheet) == 1


def test_the_same_crop_of_each(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "strip.png"
    assert strip(root, out, "--crop", "30,20,50,40") == 0
    sheet = np.asarray(Image.open(out).convert("RGB"))
    picture = np.asarray(Image.open(root / RUN / "step-005.png").convert("RGB"))
    assert find(picture[20:60, 30:80], sheet) == 1 and find(picture, sheet) == 0


def test_the_same_asking_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.png", tmp_path / "other.png"
    strip(root, one)
    strip(root, other)
    assert one.read_bytes() == other.read_bytes()


def test_a_damaged_picture_is_an_empty_tile(root: Path, tmp_path: Path) -> None:
    (root / RUN / "step-005.png").write_bytes(b"nothing")
    assert strip(root, tmp_path / "strip.png") == 0


@pytest.mark.parametrize(
    "words", [("--crop", "100,0,50,50"), ("--steps", "50,60"), ("--steps", "x")], ids=" ".join
)
def test_wrong_use_writes_nothing(words: tuple[str, ...], root: Path, tmp_path: Path) -> None:
    out = tmp_path / "strip.png"
    assert strip(root, out, *words) == 2
    assert not out.exists()


def test_a_file_that_is_there_stays(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "strip.png"
    out.write_bytes(b"mine")
    assert strip(root, out) == 2
    assert out.read_bytes() == b"mine"
    assert strip(root, tmp_path / "strip.jpg") == 2
