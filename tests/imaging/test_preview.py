"""Reduced decodes: right size, right picture, never a part of one."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.decode import decode
from b100tui.imaging.preview import fit, preview
from b100tui.model.errors import PictureError
from tests.imaging.files import encoded, noise, png, smooth, turned


def lossless(kind: str) -> dict[str, object]:
    return {"WEBP": {"lossless": True}, "JPEG": {"quality": 95, "subsampling": 0}}.get(kind, {})


@pytest.mark.parametrize(
    ("size", "box", "expected"),
    [
        ((5632, 3008), (1408, 1408), (1408, 752)),
        ((3008, 5632), (1408, 1408), (752, 1408)),
        ((100, 50), (1408, 1408), (100, 50)),
        ((5000, 1), (100, 100), (100, 1)),
    ],
)
def test_fit_keeps_the_aspect_and_never_enlarges(
    size: tuple[int, int], box: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert fit(size, box) == expected


@pytest.mark.parametrize("size", [(300, 200), (1500, 1000)])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"])
def test_a_preview_looks_like_the_reduced_picture(kind: str, size: tuple[int, int]) -> None:
    data = encoded(smooth(*size), kind, **lossless(kind))
    got = preview(data, (150, 150))
    assert (got.mode, got.size) == ("RGB", (150, 100))
    whole = Image.fromarray(decode(data).pixels).resize((150, 100), Image.Resampling.BOX)
    apart = np.abs(np.asarray(got, float) - np.asarray(whole, float))
    assert apart.mean() < 1.5


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_previews_are_upright_through_every_decoder(kind: str, orientation: int) -> None:
    data = turned(smooth(1200, 800), orientation, kind, **lossless(kind))
    got = preview(data, (120, 120))
    whole = Image.fromarray(decode(data).pixels)
    assert got.size == fit(whole.size, (120, 120))
    same = whole.resize(got.size, Image.Resampling.BOX)
    assert np.abs(np.asarray(got, float) - np.asarray(same, float)).mean() < 2


def test_path_and_bytes_give_the_same(tmp_path: Path) -> None:
    data = encoded(smooth(1200, 800))
    (tmp_path / "a.png").write_bytes(data)
    assert preview(tmp_path / "a.png", (200, 200)).tobytes() == preview(data, (200, 200)).tobytes()


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("as_file", [False, True], ids=["bytes", "file"])
def test_a_truncated_picture_has_no_preview(
    tmp_path: Path, kind: str, large: bool, as_file: bool
) -> None:
    width, height = (1200, 800) if large else (200, 150)
    data = encoded(Image.fromarray(noise(width, height)), kind)
    data = data[: len(data) // 2]
    path = tmp_path / "half"
    path.write_bytes(data)
    with pytest.raises(PictureError):
        preview(path if as_file else data, (100, 100))


def test_a_replaced_file_is_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(Image.new("RGB", (1000, 800), (255, 0, 0))))
    assert preview(path, (10, 10)).getpixel((5, 5)) == (255, 0, 0)
    path.write_bytes(encoded(Image.new("RGB", (1000, 800), (0, 0, 255))))
    assert preview(path, (10, 10)).getpixel((5, 5)) == (0, 0, 255)


def test_large_sixteen_bit_colour_is_not_cut_to_white() -> None:
    row = b"\0" + b"\x40\x00" * 3 * 1000
    got = preview(png(1000, 700, 16, 2, row * 700), (50, 50))
    assert got.getpixel((25, 17)) == (64, 64, 64)


def test_large_alpha_lies_on_white() -> None:
    image = Image.new("RGBA", (1000, 700), (0, 0, 0, 0))
    assert preview(encoded(image), (50, 50)).getpixel((25, 17)) == (255, 255, 255)
