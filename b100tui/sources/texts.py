"""Text files of others: found encodings, bounded size, cleaned words."""

import codecs
from collections.abc import Iterator
from typing import IO, Any

from b100tui.model.errors import LayoutError

TEXT_LIMIT = 8 * 1024 * 1024
LINE_LIMIT = 16 * 1024 * 1024
TABLE_LIMIT = 2 * 1024 * 1024 * 1024
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(data: bytes) -> str:
    """Return the encoding of a text by its byte order mark, as UTF-8, else Windows-1252.

    UTF-16 without a mark is known by its zero bytes.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    head = data[:4096]
    if len(head) > 3 and head.count(0) > len(head) // 4:
        return "utf-16-le" if head[1] == 0 else "utf-16-be"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.end == len(data):
            return "utf-8"
        return "cp1252"
    return "utf-8"


def lines_of(file: IO[Any], limit: int = LINE_LIMIT) -> Iterator[tuple[int, Any | None]]:
    """Yield (line number from 1, line) of a text or binary file.

    A line longer than `limit` comes as None: it is passed over without being held.
    """
    number = 0
    while line := file.readline(limit):
        number += 1
        end = b"\n" if isinstance(line, bytes) else "\n"
        if len(line) < limit or line.endswith(end):
            yield number, line
            continue
        while (rest := file.readline(limit)) and not rest.endswith(end):
            pass
        yield number, None


def decode_text(data: bytes) -> str:
    """Return the words of a text file in whatever encoding it is; odd bytes become U+FFFD."""
    return data.decode(encoding_of(data), errors="replace")


def read_bytes(place: str, limit: int, shown: str) -> bytes:
    """Return a whole file of at most `limit` bytes.

    Raises LayoutError naming `shown` when it is larger, OSError as open does.
    """
    with open(place, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise LayoutError(f"{shown} is larger than {limit // 1024 // 1024} MB", "split the file")
    return data
