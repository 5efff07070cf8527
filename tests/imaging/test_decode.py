"""One decode policy: right pixels or a named failure."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.decode import decode
from b100tui.imaging.header import PictureHeader, header
from b100tui.model.errors import PictureError
from tests.imaging.files import encoded, noise, png, turned
from tests.shared_data import shared


def test_plain_png_comes_back_exactly() -> None:
    decoded = decode(encoded(Image.fromarray(noise())))
    assert np.array_equal(decoded.pixels, noise())
    assert (decoded.width, decoded.height, decoded.notes) == (40, 30, ())


@pytest.mark.parametrize("options", [{}, {"dpi": (72, 72)}, {"icc_profile": b"none"}])
def test_a_large_png_comes_back_exactly_by_its_faster_decoder(
    tmp_path: Path, options: dict[str, object]
) -> None:
    pixels = noise(1000, 700)
    path = tmp_path / "a.png"
    path.write_bytes(encoded(Image.fromarray(pixels), compress_level=1, **options))
    assert np.array_equal(decode(path).pixels, pixels)
    assert np.array_equal(decode(path.read_bytes()).pixels, pixels)


def test_a_large_png_with_gamma_keeps_its_stored_samples() -> None:
    pixels = noise(1000, 700)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    data = png(1000, 700, 8, 2, rows, gAMA=struct.pack(">I", 100000))
    assert np.array_equal(decode(data).pixels, pixels)


@pytest.mark.parametrize("share", [0.3, 0.9, 0.9999])
def test_a_large_truncated_png_is_refused(tmp_path: Path, share: float) -> None:
    data = encoded(Image.fromarray(noise(1000, 700)), compress_level=1)
    cut = data[: int(share * len(data))]
    (tmp_path / "a.png").write_bytes(cut)
    for source in (cut, tmp_path / "a.png"):
        with pytest.raises(PictureError):
            decode(source)


def test_a_large_png_with_a_flipped_byte_is_refused() -> None:
    data = bytearray(encoded(Image.fromarray(noise(1000, 700)), compress_level=1))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(PictureError):
        decode(bytes(data))


def test_path_and_bytes_give_the_same(tmp_path: Path) -> None:
    data = encoded(Image.fromarray(noise()), "WEBP", lossless=True)
    (tmp_path / "a.webp").write_bytes(data)
    assert np.array_equal(decode(tmp_path / "a.webp").pixels, decode(data).pixels)


def test_sixteen_bit_grey_is_scaled_by_257() -> None:
    samples = [0, 128, 129, 257, 32896, 65535]
    rows = b"\0" + b"".join(struct.pack(">H", sample) for sample in samples)
    decoded = decode(png(6, 1, 16, 0, rows))
    assert decoded.pixels[0, :, 0].tolist() == [0, 0, 1, 1, 128, 255]
    assert decoded.notes == ("16-bit grey scaled to 8 bits",)


def test_sixteen_bit_colour_is_scaled() -> None:
    rows = b"\0" + struct.pack(">HHH", 0, 0x80FF, 0xFFFF)
    assert decode(png(1, 1, 16, 2, rows)).pixels.tolist() == [[[0, 128, 255]]]


def test_sixteen_bit_grey_with_a_clear_level_lies_on_white() -> None:
    rows = b"\0" + struct.pack(">HH", 1000, 5140)
    decoded = decode(png(2, 1, 16, 0, rows, tRNS=struct.pack(">H", 1000)))
    assert decoded.pixels[0, :, 0].tolist() == [255, 20]


def test_sixteen_bit_tiff_is_scaled() -> None:
    image = Image.fromarray(np.array([[0, 257, 65535]], np.uint16))
    assert decode(encoded(image, "TIFF")).pixels[0, :, 0].tolist() == [0, 1, 255]


@pytest.mark.parametrize("kind", [np.int32, np.float32])
def test_samples_without_a_stated_white_are_refused(kind: type) -> None:
    image = Image.fromarray(np.ones((4, 4), kind))
    with pytest.raises(PictureError, match="no stated white"):
        decode(encoded(image, "TIFF"))


def test_alpha_is_flattened_on_white() -> None:
    image = Image.fromarray(np.array([[[0, 0, 0, 0], [10, 20, 30, 255], [0, 0, 0, 127]]], np.uint8))
    decoded = decode(encoded(image))
    assert decoded.pixels[0].tolist() == [[255] * 3, [10, 20, 30], [128] * 3]
    assert "alpha flattened on white" in decoded.notes


def test_grey_with_alpha_and_palette_with_a_clear_entry_lie_on_white() -> None:
    grey = Image.fromarray(np.array([[[0, 0], [90, 255]]], np.uint8), "LA")
    assert decode(encoded(grey)).pixels[0].tolist() == [[255] * 3, [90] * 3]
    palette = Image.new("P", (2, 1))
    palette.putpalette([1, 2, 3, 4, 5, 6])
    palette.putdata([0, 1])
    shown = decode(encoded(palette, transparency=0)).pixels[0].tolist()
    assert shown == [[255] * 3, [4, 5, 6]]


@pytest.mark.parametrize("mode", ["L", "1", "P"])
def test_grey_bilevel_and_palette_become_rgb(mode: str) -> None:
    image = Image.fromarray(np.array([[0, 255]], np.uint8)).convert(mode)
    assert decode(encoded(image)).pixels[0].tolist() == [[0] * 3, [255] * 3]


def test_cmyk_is_converted() -> None:
    image = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    decoded = decode(encoded(image, "JPEG", quality=100))
    red, green, blue = decoded.pixels[4, 4].tolist()
    assert red > 250
    assert max(green, blue) < 5
    assert decoded.notes == ("converted from CMYK",)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_exif_orientation_is_applied(orientation: int, kind: str) -> None:
    from PIL import ImageOps

    image = Image.fromarray(noise())
    options = {"quality": 100, "subsampling": 0} if kind == "JPEG" else {}
    options |= {"lossless": True} if kind == "WEBP" else {}
    data = turned(image, orientation, kind, **options)
    upright = Image.fromarray(decode(turned(image, 1, kind, **options)).pixels)
    upright.getexif()[0x0112] = orientation
    expected = np.asarray(ImageOps.exif_transpose(upright))
    assert np.array_equal(decode(data).pixels, expected)
    head = header(data)
    assert (head.height, head.width) == expected.shape[:2]


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_frame_0_is_taken_and_said(kind: str) -> None:
    frames = [Image.new("RGB", (6, 5), colour) for colour in ((255, 0, 0), (0, 0, 255))]
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], lossless=True)
    decoded = decode(data)
    assert decoded.pixels[2, 2].tolist() == [255, 0, 0]
    assert "animation: frame 0 of 2" in decoded.notes
    assert header(data).frames == 2


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.97])
def test_a_truncated_file_is_refused_never_shown_in_part(kind: str, share: float) -> None:
    data = encoded(Image.fromarray(noise(200, 150)), kind)
    with pytest.raises(PictureError):
        decode(data[: int(share * len(data))])


def test_a_flipped_byte_in_a_png_is_refused() -> None:
    data = bytearray(encoded(Image.fromarray(noise(200, 150))))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(PictureError):
        decode(bytes(data))


def test_a_bomb_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(PictureError, match="over the limit"):
        decode(png(60000, 60000, 8, 2, b""))


def test_the_limit_is_the_callers() -> None:
    data = encoded(Image.fromarray(noise()))
    with pytest.raises(PictureError, match="40x30 is over the limit"):
        decode(data, limit_pixels=1199)
    assert decode(data, limit_pixels=1200).width == 40


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"not a picture at all", "not a picture"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a picture"),
        (b"\x89PNG\r\n\x1a\n", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a picture"),
    ],
)
def test_what_is_no_picture_is_named(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x\x1b[31m.png"
    path.write_bytes(data)
    with pytest.raises(PictureError) as caught:
        decode(path)
    assert words in caught.value.message
    assert caught.value.message.startswith("x.png: ")
    assert caught.value.hint


def test_absent_and_forbidden_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="not there"):
        header(tmp_path / "none.png")
    with pytest.raises(PictureError, match="directory"):
        header(tmp_path)


def test_a_single_pixel_is_a_picture() -> None:
    assert decode(encoded(Image.new("RGB", (1, 1), (1, 2, 3)))).pixels.tolist() == [[[1, 2, 3]]]


def test_the_format_is_of_the_bytes_not_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(Image.fromarray(noise()), "JPEG"))
    assert header(path) == PictureHeader(40, 30, "jpeg", "RGB")


GOOD = {
    "automatic1111_cropped.png": ("png", 1, 1, ()),
    "hopper_orientation_6.jpg": ("jpeg", 128, 128, ("EXIF orientation 6 applied",)),
    "i_trns.png": ("png", 64, 64, ("16-bit grey scaled to 8 bits", "alpha flattened on white")),
    "img2img_cropped.png": ("png", 1, 1, ()),
    "iss634.webp": ("webp", 245, 245, ("animation: frame 0 of 42", "alpha flattened on white")),
    "pil_sample_cmyk.jpg": ("jpeg", 100, 100, ("converted from CMYK",)),
    "transparent.png": ("png", 200, 150, ("alpha flattened on white",)),
}
BAD = {
    "decompression_bomb.gif": "over the limit",
    "truncated_image.png": "truncated",
    "truncated_jpeg.jpg": "truncated",
    "zero_width.gif": "not a picture",
}


@pytest.mark.parametrize("name", GOOD)
def test_awkward_files_of_image_libraries_decode(name: str) -> None:
    path = shared(f"real/awkward/{name}")
    kind, width, height, notes = GOOD[name]
    decoded, head = decode(path), header(path)
    assert decoded.pixels.shape == (height, width, 3)
    assert (head.format, head.width, head.height) == (kind, width, height)
    assert decoded.notes == notes


@pytest.mark.parametrize("name", BAD)
def test_hostile_files_of_image_libraries_are_named(name: str) -> None:
    path = shared(f"real/awkward/{name}")
    with pytest.raises(PictureError, match=BAD[name]):
        decode(path)


def test_every_awkward_file_is_looked_at() -> None:
    assert set(os.listdir(shared("real/awkward"))) == set(GOOD) | set(BAD)


def test_a_real_photograph_is_turned_upright() -> None:
    path = shared("real/rommel.jpg")
    with Image.open(path) as image:
        stored = image.size
    head = header(path)
    assert head.orientation == 6
    assert (head.width, head.height) == stored[::-1]
    assert decode(path).pixels.shape[:2] == stored
