"""Text that programs write into pictures: PNG text chunks, EXIF UserComment of JPEG and WebP."""

import struct
import zlib
from collections.abc import Callable

Read = Callable[[int, int], bytes]  # (count, offset) -> at most `count` bytes

TEXT_LIMIT = 4 * 1024 * 1024  # bytes of one text, packed or not
_BEHIND = 65536  # how far from the end text behind the pixel data is looked for
_CHUNKS = 64
_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_EXIF_POINTER, _USER_COMMENT, _DESCRIPTION = 0x8769, 0x9286, 0x010E


def embedded_text(read: Read, size: int) -> dict[str, str]:
    """Return the texts in a picture by their keywords; {} for none and for anything damaged.

    EXIF UserComment comes as "parameters", ImageDescription as "Description". PNG text is
    found before the pixel data and within the last 64 KB of the file.
    """
    first = read(16, 0)
    try:
        if first.startswith(b"\x89PNG\r\n\x1a\n"):
            return _png(read, size)
        if first.startswith(b"\xff\xd8"):
            return _exif(_jpeg_exif(read))
        if first.startswith(b"RIFF") and first[8:12] == b"WEBP":
            return _exif(_webp_exif(read, size))
    except (struct.error, IndexError, zlib.error, ValueError, OSError):
        return {}  # what is damaged here tells nothing; the header names what is wrong
    return {}


def _png(read: Read, size: int) -> dict[str, str]:
    found: dict[str, str] = {}
    head = read(8192, 0)
    at = 8
    for _ in range(_CHUNKS):
        start = head[at : at + 8] if at + 8 <= len(head) else read(8, at)
        if len(start) < 8:
            return found
        length, kind = struct.unpack(">I4s", start)
        if kind in (b"IDAT", b"IEND"):
            break
        if kind in _TEXTS and length <= TEXT_LIMIT:
            inside = at + 8 + length <= len(head)
            data = head[at + 8 : at + 8 + length] if inside else read(length, at + 8)
            _take(kind, data, found)
        at += 12 + length
    if not found or size > len(head):
        _behind(read, size, found)
    return found


def _behind(read: Read, size: int, found: dict[str, str]) -> None:
    """Take the text chunks that stand after the pixel data, the last ones before IEND."""
    count = min(size, 4096)
    while True:
        tail = read(count, size - count)
        end = tail.rfind(b"IEND") - 4
        if end < 0:
            return
        places = [at for kind in _TEXTS for at in _all(tail, kind, end)]
        for at in sorted(places):
            length = struct.unpack_from(">I", tail, at - 4)[0] if at >= 4 else -1
            if 0 <= length <= end - at - 4 and _chain(tail, at - 4, end):
                _take(tail[at : at + 4], tail[at + 4 : at + 4 + length], found)
        if places or count >= min(size, _BEHIND) or b"IDAT" in tail:
            return
        count = min(size, _BEHIND)


def _all(data: bytes, kind: bytes, end: int) -> list[int]:
    places, at = [], data.find(kind, 0, end)
    while at >= 0:
        places.append(at)
        at = data.find(kind, at + 4, end)
    return places


def _chain(tail: bytes, at: int, end: int) -> bool:
    """Return whether whole chunks lead from `at` to `end`: chance bytes do not."""
    while at < end:
        at += 12 + int(struct.unpack_from(">I", tail, at)[0])
    return at == end


def _take(kind: bytes, data: bytes, found: dict[str, str]) -> None:
    key, zero, rest = data.partition(b"\0")
    if not zero or not key:
        return
    if kind == b"tEXt":
        text = _utf8_or_latin(rest)
    elif kind == b"zTXt":
        text = _unpacked(rest[1:]).decode("latin-1")
    else:
        packed = rest[:1] == b"\1"
        _, _, rest = rest[2:].partition(b"\0")
        _, _, rest = rest.partition(b"\0")
        text = (_unpacked(rest) if packed else rest).decode("utf-8", "replace")
    found.setdefault(key.decode("latin-1"), text)


def _utf8_or_latin(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unpacked(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, TEXT_LIMIT)


def _jpeg_exif(read: Read) -> bytes:
    at = 2
    for _ in range(_CHUNKS):
        segment = read(10, at)
        if len(segment) < 4 or segment[0] != 0xFF or segment[1] in (0xD9, 0xDA):
            return b""
        length = int(struct.unpack_from(">H", segment, 2)[0])
        if segment[1] == 0xE1 and segment[4:10] == b"Exif\0\0":
            return read(length - 8, at + 10)
        at += 2 + length
    return b""


def _webp_exif(read: Read, size: int) -> bytes:
    at = 12
    for _ in range(4096):
        start = read(8, at)
        if len(start) < 8 or at >= size:
            return b""
        kind, length = start[:4], int(struct.unpack_from("<I", start, 4)[0])
        if kind == b"EXIF" and length <= TEXT_LIMIT:
            return read(length, at + 8).removeprefix(b"Exif\0\0")
        at += 8 + length + (length & 1)
    return b""


def _exif(data: bytes) -> dict[str, str]:
    if data[:2] not in (b"II", b"MM"):
        return {}
    order = "<" if data[:2] == b"II" else ">"
    found: dict[str, str] = {}
    pending = [int(struct.unpack_from(order + "I", data, 4)[0])]
    for _ in range(4):
        if not pending:
            break
        at = pending.pop()
        for index in range(int(struct.unpack_from(order + "H", data, at)[0])):
            tag, kind, count, value = struct.unpack_from(order + "HHII", data, at + 2 + 12 * index)
            if tag == _EXIF_POINTER:
                pending.append(value)
            elif tag == _USER_COMMENT and kind in (1, 2, 7):
                found["parameters"] = _comment(data[value : value + count], order)
            elif tag == _DESCRIPTION and kind == 2 and count > 4:
                found["Description"] = _utf8_or_latin(data[value : value + count].rstrip(b"\0"))
    return {key: text for key, text in found.items() if text}


def _comment(data: bytes, order: str) -> str:
    code, rest = data[:8], data[8:]
    if code.startswith(b"UNICODE"):
        # The byte order is that of the file by the standard, and big-endian by usage.
        wide = rest[: len(rest) // 2 * 2]
        zeros_first = wide[0::2].count(0) >= wide[1::2].count(0)
        return wide.decode("utf-16-be" if zeros_first else "utf-16-le", "replace").rstrip("\0")
    if code.startswith((b"ASCII", b"\0\0\0\0")):
        return _utf8_or_latin(rest).rstrip("\0 ")
    return _utf8_or_latin(data).rstrip("\0 ")
