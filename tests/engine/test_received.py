"""No picture enters a chain that is cut, damaged or one flat colour."""

import io

import pytest
from PIL import Image

from b100tui.engine.received import fault_of
from tests.engine.made import noisy


def flat(kind: str, size: tuple[int, int] = (400, 300)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, (12, 200, 77)).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_whole_picture_has_no_fault(kind: str) -> None:
    assert fault_of(noisy(kind=kind)) == ""
    assert fault_of(noisy(size=(640, 400), kind=kind)) == ""


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_truncated_picture_is_named(kind: str, share: float) -> None:
    data = noisy(size=(640, 400), kind=kind)
    assert "truncated" in fault_of(data[: int(len(data) * share)])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_one_flat_colour_is_blank(kind: str) -> None:
    assert fault_of(flat(kind)) == "blank"


def test_a_large_flat_jpeg_is_blank() -> None:
    data = flat("JPEG", (2816, 1504))
    assert len(data) > 64 * 1024
    assert fault_of(data) == "blank"


def test_a_jpeg_with_a_picture_inside_and_zeros_behind_is_whole() -> None:
    data, inner = noisy(size=(640, 400), kind="JPEG"), noisy(size=(20, 10), kind="JPEG")
    segment = b"\xff\xe1" + (len(inner) + 2).to_bytes(2, "big") + inner
    assert fault_of(data[:2] + segment + data[2:] + b"\0" * 9) == ""


def test_a_jpeg_without_its_tables_does_not_decode() -> None:
    data = noisy(size=(640, 400), kind="JPEG")
    tables = slice(data.index(b"\xff\xdb"), data.index(b"\xff\xc0"))
    assert "damaged" in fault_of(data.replace(data[tables], b"", 1))


def test_a_flipped_byte_in_a_png_is_damage() -> None:
    data = bytearray(noisy(size=(640, 400)))
    data[len(data) // 2] ^= 0xFF
    assert "checksum" in fault_of(bytes(data))


@pytest.mark.parametrize("data", [b"", b"<html>no</html>", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_picture_is_named(data: bytes) -> None:
    assert fault_of(data)
