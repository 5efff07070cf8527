"""Picture headers read straight from the bytes: format and size, without decoding anything."""

import struct
from collections.abc import Callable

from msgspec import Struct

from b100tui.model.errors import PictureError

Read = Callable[[int, int], bytes]  # (count, offset) -> at most `count` bytes

PIXEL_LIMIT = 89_478_485  # as for decoding: above it a header alone makes decoders take gigabytes
FIRST = 512
_TAIL = 4096
_SOF = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_OTHERS = {b"avif": "AVIF", b"avis": "AVIF", b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIF"}
_WORDS = {
    b"%PDF": "a PDF",
    b"<htm": "an HTML page",
    b"<!DO": "an HTML page",
    b"<?xm": "XML",
    b"<svg": "an SVG drawing",
    b"{": "JSON text",
    b"version https://git-lfs": "a Git LFS pointer: the picture itself was not fetched",
    b"PK\x03\x04": "a zip archive",
    b"\xff\x0a": "JPEG XL, which is not read",
    b"\0\0\0\x0cJXL": "JPEG XL, which is not read",
}


class Header(Struct, frozen=True):
    """Format (png, jpeg, webp, gif, bmp, tiff) and stored size in pixels, before rotation."""

    format: str
    width: int
    height: int


def parse_header(read: Read, size: int) -> Header:
    """Return the header of a picture of `size` bytes.

    Raises PictureError in plain words for what is empty, cut short, no picture, without
    pixels, or larger than PIXEL_LIMIT.
    """
    if size == 0:
        raise PictureError("the file is empty (0 bytes)", "copy or download it again")
    first = read(FIRST, 0)
    try:
        header = _parse(first, read, size)
    except (struct.error, IndexError) as error:
        raise _short("inside its header") from error
    if header.width == 0 or header.height == 0:
        raise PictureError(f"the picture has no pixels ({header.width} x {header.height})")
    if header.width * header.height > PIXEL_LIMIT:
        raise PictureError(
            f"the header claims {header.width} x {header.height} pixels, more than is opened",
            f"pictures up to {PIXEL_LIMIT:,} pixels are read",
        )
    return header


def _parse(first: bytes, read: Read, size: int) -> Header:
    if first.startswith(b"\x89PNG\r\n\x1a\n"):
        return _png(first, read, size)
    if first.startswith(b"\xff\xd8"):
        return _jpeg(first, read, size)
    if first.startswith(b"RIFF") and first[8:12] == b"WEBP":
        return _webp(first, size)
    if first.startswith((b"GIF87a", b"GIF89a")):
        return _gif(first, read)
    if first.startswith(b"BM"):
        return _bmp(first)
    if first[:4] in (b"II*\0", b"MM\0*"):
        return _tiff(first, read)
    raise PictureError(f"not a picture that is read: {_guess(first)}")


def _png(first: bytes, read: Read, size: int) -> Header:
    if first[12:16] != b"IHDR":
        raise PictureError("a damaged PNG: it does not begin with IHDR")
    width, height = struct.unpack_from(">II", first, 16)
    if b"IEND" not in _tail(first, read, size, 12) and b"IEND" not in _tail(
        first, read, size, _TAIL
    ):
        raise _short("before its IEND chunk")
    return Header("png", width, height)


def _jpeg(first: bytes, read: Read, size: int) -> Header:
    place = 2
    while True:
        segment = _at(first, read, place, 10)
        if len(segment) < 4:
            raise _short("before its size is told")
        if segment[0] != 0xFF:
            raise PictureError("a damaged JPEG: its segments do not follow each other")
        marker = segment[1]
        if marker == 0xFF:
            place += 1
        elif marker in _ALONE:
            place += 2
        elif marker in _SOF:
            height, width = struct.unpack_from(">HH", segment, 5)
            break
        elif marker in (0xD9, 0xDA):
            raise PictureError("a damaged JPEG: no frame header")
        else:
            place += 2 + int(struct.unpack_from(">H", segment, 2)[0])
    if not _tail(first, read, size, 2).startswith(b"\xff\xd9") and b"\xff\xd9" not in _tail(
        first, read, size, _TAIL
    ):
        raise _short("before its end marker")
    return Header("jpeg", width, height)


def _webp(first: bytes, size: int) -> Header:
    kind = first[12:16]
    if int(struct.unpack_from("<I", first, 4)[0]) + 8 > size:
        raise _short("before the length its header tells")
    if kind == b"VP8X":
        width = 1 + int.from_bytes(first[24:27], "little")
        height = 1 + int.from_bytes(first[27:30], "little")
    elif kind == b"VP8L":
        bits = int(struct.unpack_from("<I", first, 21)[0])
        width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    elif kind == b"VP8 ":
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", first, 26))
    else:
        raise PictureError("a damaged WebP: no image chunk")
    return Header("webp", width, height)


def _gif(first: bytes, read: Read) -> Header:
    """Return the screen's size; a first frame of absurd size is refused as such."""
    width, height, flags = struct.unpack_from("<HHB", first, 6)
    place = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
    if not width * height:
        return Header("gif", width, height)
    for _ in range(64):
        block = _at(first, read, place, 10)
        if not block:
            raise _short("before its first frame")
        if block[0] == 0x2C:
            left, top, across, down = struct.unpack_from("<HHHH", block, 1)
            if (left + across) * (top + down) > PIXEL_LIMIT:
                return Header("gif", left + across, top + down)
            break
        if block[0] != 0x21:
            break
        place += 2
        while (length := _at(first, read, place, 1)) not in (b"", b"\0"):
            place += 1 + length[0]
        place += 1
    return Header("gif", width, height)


def _bmp(first: bytes) -> Header:
    if int(struct.unpack_from("<I", first, 14)[0]) == 12:
        return Header("bmp", *struct.unpack_from("<HH", first, 18))
    width, height = struct.unpack_from("<ii", first, 18)
    return Header("bmp", abs(width), abs(height))


def _tiff(first: bytes, read: Read) -> Header:
    order = "<" if first[:2] == b"II" else ">"
    place = int(struct.unpack_from(order + "I", first, 4)[0])
    count = int(struct.unpack_from(order + "H", _at(first, read, place, 2))[0])
    entries = _at(first, read, place + 2, 12 * count)
    sides: dict[int, int] = {}
    for index in range(count):
        tag, kind = struct.unpack_from(order + "HH", entries, 12 * index)
        if tag in (256, 257):
            code = {1: "B", 3: "H"}.get(kind, "I")
            sides[tag] = int(struct.unpack_from(order + code, entries, 12 * index + 8)[0])
    if len(sides) < 2:
        raise PictureError("a damaged TIFF: it does not tell its size")
    return Header("tiff", sides[256], sides[257])


def _at(first: bytes, read: Read, place: int, count: int) -> bytes:
    inside = first[place : place + count]
    return inside if len(inside) == count else read(count, place)


def _tail(first: bytes, read: Read, size: int, count: int) -> bytes:
    return first[-count:] if size <= len(first) else read(count, max(0, size - count))


def _short(where: str) -> PictureError:
    return PictureError(f"the file is cut short: it ends {where}", "copy or download it again")


def _guess(first: bytes) -> str:
    if first[4:8] == b"ftyp":
        return f"{_OTHERS.get(first[8:12], 'a video or HEIF')} is not read; convert it to PNG"
    for start, words in _WORDS.items():
        if first.startswith(start):
            return words
    if not any(first[:64]):
        return "nothing but zero bytes"
    return "its first bytes are those of no known format"
