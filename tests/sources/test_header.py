import io
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from b100tui.imaging.header import LIMIT_PIXELS
from b100tui.model.errors import PictureError
from b100tui.sources.header import PIXEL_LIMIT, Header, parse_header
from tests.shared_data import shared
from tests.sources.made import picture


def header(data: bytes) -> Header:
    return parse_header(lambda count, at: data[at : at + count], len(data))


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp", "gif", "bmp", "tiff"])
@pytest.mark.parametrize("size", [(1, 1), (300, 200), (17, 1001)])
def test_format_and_size_are_those_that_pillow_wrote(kind: str, size: tuple[int, int]) -> None:
    assert header(picture(kind, size)) == Header(kind, *size)


@pytest.mark.parametrize("options", [{"lossless": True}, {"exif": Image.Exif(), "quality": 5}])
def test_every_kind_of_webp_is_read(options: dict[str, object]) -> None:
    out = io.BytesIO()
    Image.new("RGBA", (321, 123), (1, 2, 3, 4)).save(out, "webp", **options)
    assert header(out.getvalue()) == Header("webp", 321, 123)


def test_progressive_jpeg_with_a_large_profile_is_read() -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "jpeg", progressive=True, icc_profile=b"x" * 150_000)
    assert header(out.getvalue()) == Header("jpeg", 40, 30)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\0" * 100, "nothing but zero bytes"),
        (b"<html><body>404</body></html>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "LFS"),
        (b"hello", "no known format"),
        (picture("png", (100, 100))[:-20], "cut short"),
        (picture("jpeg", (100, 100))[:-20], "cut short"),
        (picture("webp", (100, 100))[:-20], "cut short"),
        (picture("png")[:20], "cut short"),
        (picture("jpeg")[:3], "cut short"),
        (picture("tiff")[:6], "cut short"),
        (b"GIF89a" + struct.pack("<HH", 0, 9) + b"\0;", "no pixels"),
        (b"\0\0\0\x1cftypavif" + b"\0" * 20, "AVIF"),
    ],
)
def test_what_is_no_whole_picture_is_named_in_plain_words(data: bytes, words: str) -> None:
    with pytest.raises(PictureError, match=words):
        header(data)


def test_bomb_is_refused_by_its_header_alone() -> None:
    data = bytearray(picture("png"))
    data[16:24] = struct.pack(">II", 60_000, 60_000)
    with pytest.raises(PictureError, match="60000 x 60000"):
        header(bytes(data))


@given(st.binary(max_size=300), st.sampled_from(["png", "jpeg", "webp", "gif", "bmp", "tiff"]))
def test_damage_is_a_picture_error_or_a_header(noise: bytes, kind: str) -> None:
    whole = picture(kind)
    for data in (noise, whole[:12] + noise, whole[:30] + noise + whole[60:]):
        try:
            found = header(data)
        except PictureError as error:
            assert error.message
        else:
            assert found.width > 0


def test_real_awkward_files_are_read_or_refused() -> None:
    folder = shared("real/awkward")

    def seen(path: Path) -> str:
        try:
            found = header(path.read_bytes())
        except PictureError as error:
            return error.message
        return f"{found.format} {found.width}x{found.height}"

    found = {path.name: seen(path) for path in folder.iterdir()}
    assert "cut short" in found["truncated_image.png"]
    assert "cut short" in found["truncated_jpeg.jpg"]
    assert "no pixels" in found["zero_width.gif"]
    assert "more than is opened" in found["decompression_bomb.gif"]
    for name in ("hopper_orientation_6.jpg", "pil_sample_cmyk.jpg", "iss634.webp", "i_trns.png"):
        with Image.open(folder / name) as image:
            assert found[name].endswith(f" {image.width}x{image.height}")


def test_largest_picture_is_the_largest_that_is_decoded() -> None:
    assert PIXEL_LIMIT == LIMIT_PIXELS
