"""The check of a received picture before it may enter a chain: whole, and not one flat colour.

It only reads: the bytes are stored as they came.
"""

import zlib
from typing import Any

from b100tui.model.errors import PictureError

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"IEND"
# Noise and photographs need far more; below it a picture may be one flat colour and is decoded.
_SUSPECT_BITS_PER_PIXEL = 1.0
_SUSPECT_BYTES = 64 * 1024
_JPEG = b"\xff\xd8\xff"
_JPEG_END = b"\xff\xd9"
_JPEG_SCAN = 0xDA
_JPEG_NEEDED = {0xDB, 0xC4}  # quantisation and Huffman tables
_JPEG_FRAMES = {0xC0, 0xC1, 0xC2}
_REDUCED = 8
_FLAT = 4  # levels between darkest and lightest sample of a picture that counts as blank


def fault_of(data: bytes) -> str:
    """Return why `data` may not enter a chain ("truncated", "blank", ...), or an empty string.

    A PNG is walked by its checksums, a JPEG by its segments to its end marker, and decoded (a
    JPEG at an eighth of its size) where it is suspiciously small; all else is decoded whole.
    """
    if not data:
        return "empty"
    if data.startswith(_PNG):
        broken = _png_fault(data)
        if broken:
            return broken
    return _pixel_fault(data)


def is_blank(data: bytes) -> bool:
    """Say whether the picture is one flat colour."""
    return _pixel_fault(data) == "blank"


def _png_fault(data: bytes) -> str:
    place = len(_PNG)
    while place + 12 <= len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        end = place + 12 + length
        if end > len(data):
            return "truncated"
        kind = data[place + 4 : place + 8]
        stored = int.from_bytes(data[end - 4 : end], "big")
        if zlib.crc32(memoryview(data)[place + 4 : end - 4]) != stored:
            return "damaged: a checksum does not hold"
        if kind == _PNG_END:
            return ""
        place = end
    return "truncated"


def _whole_jpeg(data: bytes) -> bool:
    """Say whether `data` is a plain JPEG with its tables and nothing but zeros after its end.

    Entropy-coded data hold no end marker (ITU T.81, B.1.1.5), so the first one after the scan's
    head is the end; a decoder could tell no more, as it fills what lacks before the end in grey.
    """
    if not data.startswith(_JPEG):
        return False
    place, seen = 2, set[int]()
    while place + 4 <= len(data) and data[place] == 0xFF:
        kind = data[place + 1]
        if kind == _JPEG_SCAN:
            end = data.find(_JPEG_END, place)
            whole = seen >= _JPEG_NEEDED and bool(seen & _JPEG_FRAMES)
            return whole and end > 0 and not data[end + len(_JPEG_END) :].strip(b"\0")
        seen.add(kind)
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return False


def _pixel_fault(data: bytes) -> str:
    from PIL import Image

    from b100tui.imaging.header import open_image

    try:
        with open_image(data) as image:
            width, height = image.size
            if len(data) > max(_SUSPECT_BYTES, width * height * _SUSPECT_BITS_PER_PIXEL / 8) and (
                image.format == "PNG" or _whole_jpeg(data)
            ):
                return ""
            if image.format == "JPEG":
                image.draft("RGB", (max(1, width // _REDUCED), max(1, height // _REDUCED)))
            image.load()
            extrema: Any = image.convert("RGB").getextrema()
    except PictureError as error:
        return error.message
    except (OSError, SyntaxError, ValueError, zlib.error, Image.DecompressionBombError) as error:
        return "truncated" if "truncated" in str(error) else f"does not decode: {error}"
    return "blank" if max(high - low for low, high in extrema) <= _FLAT else ""
