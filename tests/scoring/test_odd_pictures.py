"""Odd pictures under the classics: the right value or a named failure, never a wrong value."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.decode import decode
from b100tui.model.records import ScoreRecord, Step
from tests.scoring.learned import score_python, torch_home
from tests.scoring.pictures import records, score_all, step_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
METRICS = ("brisque", "niqe", "piqe")
CONVERTED = ("cmyk.jpg", "palette.png", "odd.png")


def scene(width: int = 512, height: int = 384) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([128 + 60 * np.sin(x / 37 + c) + 40 * np.cos(y / 23 - c) for c in range(3)], 2)
    grain = np.random.default_rng(5).normal(0, 6, base.shape)
    return np.clip(base + grain, 0, 255).astype(np.uint8)


def save_all(folder: Path) -> dict[str, Path]:
    """Every odd picture by name; `plain` is what several of them must score like."""
    folder.mkdir(parents=True)
    rgb = scene()
    plain = Image.fromarray(rgb)
    grey = plain.convert("L")
    made: dict[str, tuple[Image.Image, dict[str, object]]] = {
        "plain.png": (plain, {}),
        "opaque.png": (plain.convert("RGBA"), {}),
        "clear.png": (Image.fromarray(np.dstack([rgb, np.zeros(rgb.shape[:2], np.uint8)])), {}),
        "white.png": (Image.new("RGB", plain.size, "white"), {}),
        "black.png": (Image.new("RGB", plain.size), {}),
        "grey8.png": (grey, {}),
        "grey16.png": (Image.fromarray(np.asarray(grey).astype(np.uint16) * 257), {}),
        "tiny8.png": (plain.crop((0, 0, 8, 8)), {}),
        "tiny1.png": (plain.crop((0, 0, 1, 1)), {}),
        "side95.png": (plain.crop((0, 0, 95, 95)), {}),
        "side97.png": (plain.crop((0, 0, 97, 97)), {}),
        "odd.png": (plain.crop((0, 0, 511, 383)), {}),
        "cmyk.jpg": (plain.convert("CMYK"), {"quality": 95}),
        "palette.png": (plain.quantize(256), {}),
        "moving.webp": (
            plain,
            {"save_all": True, "append_images": [grey.convert("RGB")], "lossless": True},
        ),
    }
    for name, (image, options) in made.items():
        image.save(folder / name, **options)
    turned = Image.Exif()
    turned[0x0112] = 6
    plain.rotate(90, expand=True).save(folder / "exif6.png", exif=turned)
    for name in CONVERTED:
        Image.fromarray(decode(folder / name).pixels).save(folder / f"as-{name}.png")
    (folder / "cut.png").write_bytes((folder / "plain.png").read_bytes()[:2000])
    (folder / "empty.png").write_bytes(b"")
    return {path.name: path for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], ScoreRecord]:
    python = score_python()
    root = tmp_path_factory.mktemp("odd")
    with pytest.MonkeyPatch.context() as patch:
        for place in ("CACHE", "STATE", "CONFIG", "DATA"):
            patch.setenv(f"B100_{place}_DIR", str(root / place.lower()))
        torch_home(tmp_path_factory.mktemp("torch"), patch)
        files = save_all(root / "a/b/run-0")
        steps: list[Step] = [
            step_of(root, path, number) for number, path in enumerate(files.values())
        ]
        score_all(root, steps, *METRICS, python=python)
        names = list(files)
        return {(names[r.step], r.metric): r for r in records(root)}


FLAT = ["white.png", "black.png", "clear.png"]


@pytest.mark.parametrize("name", FLAT)
def test_one_colour_has_no_score(scored: dict[tuple[str, str], ScoreRecord], name: str) -> None:
    assert {scored[name, metric].error for metric in METRICS} == {"flat"}


@pytest.mark.parametrize("name", ["tiny8.png", "tiny1.png"])
def test_too_small_is_named(scored: dict[tuple[str, str], ScoreRecord], name: str) -> None:
    assert {scored[name, metric].error for metric in METRICS} == {"too_small"}


@pytest.mark.parametrize("name", ["side95.png", "side97.png"])
def test_niqe_wants_two_blocks_a_side(
    scored: dict[tuple[str, str], ScoreRecord], name: str
) -> None:
    assert scored[name, "niqe"].error == "too_small"
    assert scored[name, "piqe"].value is not None


@pytest.mark.parametrize("name", ["cut.png", "empty.png"])
def test_broken_files_are_unreadable(scored: dict[tuple[str, str], ScoreRecord], name: str) -> None:
    assert {scored[name, metric].error for metric in METRICS} == {"unreadable"}


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("opaque.png", "plain.png"),
        ("exif6.png", "plain.png"),
        ("moving.webp", "plain.png"),
        ("grey16.png", "grey8.png"),
        *((name, f"as-{name}.png") for name in CONVERTED),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_equal_pixels_in_another_coat_score_the_same(
    scored: dict[tuple[str, str], ScoreRecord], name: str, like: str, metric: str
) -> None:
    value = scored[like, metric].value
    assert value is not None
    assert scored[name, metric].value == pytest.approx(value, abs=1e-9)


def test_the_policy_shows_grey16_as_grey8(tmp_path: Path) -> None:
    files = save_all(tmp_path / "x")
    assert np.array_equal(decode(files["grey16.png"]).pixels, decode(files["grey8.png"]).pixels)
