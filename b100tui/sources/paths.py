"""File names as text: valid UTF-8 in every record, and back to the exact name on disk.

A name that is no UTF-8 keeps its odd bytes as private-use characters U+EF80..U+EFFF, so that
it can be stored, encoded and printed; `on_disk` turns them back into the bytes.
"""

import os
import re

from b100tui.model.errors import PictureError
from b100tui.model.text import clean_line

_TO_STORED = {0xDC00 + byte: 0xEF00 + byte for byte in range(0x80, 0x100)}
_TO_DISK = {stored: disk for disk, stored in _TO_STORED.items()}
_ODD = re.compile("[\uef80-\uefff]")
_DIGITS = re.compile(r"(\d+)")
_MOST_DIGITS = 4000  # int() refuses text of more than 4,300


def stored(name: str) -> str:
    """Return the storable form of a name as the file system gave it."""
    if name.isascii():
        return name
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.translate(_TO_STORED)
    return name


def readable(name: str) -> str:
    """Return a stored name as words on one line: cleaned, odd bytes as U+FFFD."""
    return clean_line(name if name.isascii() else _ODD.sub("\ufffd", name))


def on_disk(root: str | os.PathLike[str], path: str) -> str:
    """Return the file system name of the stored, relative `path` under `root`.

    Raises PictureError for a path that leaves the root.
    """
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise PictureError(f"{path!r} lies outside the folder", "paths are relative to the root")
    full = os.path.join(root, path)
    if not path.isascii() and _ODD.search(path) and not os.path.lexists(full):
        return os.path.join(root, path.translate(_TO_DISK))
    return full


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders numbers inside text by value: a2 before a10.

    Of a number that no name on disk can hold, one in a table, only the first digits count.
    """
    return tuple(
        (0, int(part[:_MOST_DIGITS]), part) if part.isdecimal() else (1, 0, part)
        for part in _DIGITS.split(text.casefold())
        if part
    )


def split_path(path: str) -> tuple[str, str]:
    """Return folder ("" for the root) and file name of a relative path."""
    folder, _, name = path.rpartition("/")
    return folder, name


def join(folder: str, name: str) -> str:
    """Return the path of `name` in `folder` ("" is the root)."""
    return f"{folder}/{name}" if folder else name


def split_name(name: str) -> tuple[str, str]:
    """Return stem and lower-case extension without its dot."""
    stem, dot, extension = name.rpartition(".")
    return (stem, extension.lower()) if dot and stem else (name, "")
