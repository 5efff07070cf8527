"""Tar archives read in place, also those that come split into numbered parts."""

import io
import os
import re
import tarfile
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence

from msgspec import Struct

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources.header import Header, parse_header
from b100tui.sources.paths import stored

SPLIT = re.compile(r"(?P<base>.+\.tar)(?:\.split)?\.(?P<part>0+)", re.I)
_KEPT = 64  # archives whose tables of contents stay in memory
_LOCK = threading.Lock()
_TABLES: "OrderedDict[tuple[str, int, int], dict[str, Place]]" = OrderedDict()


class Place(Struct, frozen=True):
    """Where the bytes of a member lie in its archive (all parts joined)."""

    offset: int
    size: int


class Joined(io.RawIOBase):
    """Several files read as one, one after the other; safe to read from any thread by `pread`."""

    def __init__(self, places: Sequence[str]) -> None:
        super().__init__()
        self._handles: list[int] = []
        self._starts = [0]
        self._at = 0
        try:
            for place in places:
                handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
                self._handles.append(handle)
                self._starts.append(self._starts[-1] + os.fstat(handle).st_size)
        except OSError:
            self.close()
            raise

    def pread(self, count: int, at: int) -> bytes:
        """Return at most `count` bytes from place `at`."""
        pieces: list[bytes] = []
        count = min(count, self._starts[-1] - at)  # a damaged head may ask for more than memory
        while count > 0 and 0 <= at < self._starts[-1]:
            part = bisect_right(self._starts, at) - 1
            piece = os.pread(self._handles[part], count, at - self._starts[part])
            if not piece:
                break
            pieces.append(piece)
            at, count = at + len(piece), count - len(piece)
        return b"".join(pieces)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, at: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place, as files do."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._starts[-1]}[whence]
        self._at = max(0, base + at)
        return self._at

    def tell(self) -> int:
        """Return the place."""
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return at most `size` bytes from the place on, all for -1."""
        count = self._starts[-1] - self._at if size is None or size < 0 else size
        data = self.pread(count, self._at)
        self._at += len(data)
        return data

    def close(self) -> None:
        """Close every part."""
        while self._handles:
            os.close(self._handles.pop())
        super().close()


def parts_of(place: str) -> list[str]:
    """Return the files of one archive: itself, or all parts where `place` is the first of them."""
    found = SPLIT.fullmatch(place)
    if not found:
        return [place]
    start = place[: -len(found["part"])]
    width = len(found["part"])
    parts = [place]
    while os.path.isfile(f"{start}{len(parts):0{width}}"):
        parts.append(f"{start}{len(parts):0{width}}")
    return parts


def contents(place: str, shown: str) -> dict[str, Place]:
    """Return the plain files of an archive by stored name, in order; the last of a name wins.

    Raises PictureError for what is no plain tar, or one cut short before its first member.
    """
    try:
        parts = parts_of(place)
        facts = [os.stat(part) for part in parts]
        key = (place, sum(one.st_size for one in facts), max(one.st_mtime_ns for one in facts))
        with _LOCK:
            if key in _TABLES:
                _TABLES.move_to_end(key)
                return _TABLES[key]
        found: dict[str, Place] = {}
        with Joined(parts) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                if member.isreg() and not member.issparse():
                    found[stored(member.name.removeprefix("./"))] = Place(
                        member.offset_data, member.size
                    )
                # A million members would all be kept; the name is public, only the stub lacks it.
                archive.members = []  # type: ignore[attr-defined]
    except (OSError, tarfile.TarError, ValueError, EOFError) as error:
        raise PictureError(
            f"{shown} cannot be read as a tar archive: {error}",
            "plain tar archives are read in place; unpack or repack a compressed one",
        ) from error
    with _LOCK:
        _TABLES[key] = found
        while len(_TABLES) > _KEPT:
            _TABLES.popitem(last=False)
    return found


def read_member(place: str, ref: PictureRef) -> bytes:
    """Return the bytes of `ref.member`; PictureError when it is gone or cut short."""
    at = _place(place, ref)
    data = _read(place, ref, at.size, at.offset)
    if len(data) < at.size:
        raise PictureError(f"{ref.path} is cut short inside {ref.member}", "copy it again")
    return data


def member_header(place: str, ref: PictureRef) -> tuple[Header, int]:
    """Return header and size of `ref.member` without reading the whole of it."""
    at = _place(place, ref)

    def read(count: int, begin: int) -> bytes:
        return _read(place, ref, max(0, min(count, at.size - begin)), at.offset + begin)

    return parse_header(read, at.size), at.size


def _place(place: str, ref: PictureRef) -> Place:
    found = contents(place, ref.path).get(ref.member or "")
    if found is None:
        raise PictureError(f"{ref.path} holds no {ref.member}", "run b100 index again")
    return found


def _read(place: str, ref: PictureRef, count: int, at: int) -> bytes:
    try:
        with Joined(parts_of(place)) as file:
            return file.pread(count, at)
    except OSError as error:
        raise PictureError(f"{ref.path} cannot be read: {error.strerror or error}") from error
