"""Reads a picture's bytes once, with their hash, and notices a file that changes meanwhile."""

import hashlib
import os
from pathlib import Path

from msgspec import Struct

from b100tui.model.errors import B100Error, PictureError
from b100tui.model.records import PictureRef
from b100tui.sources import open_picture


class ChangedError(B100Error):
    """The file changed while it was read; reading it again may help."""


class Bytes(Struct, frozen=True):
    """A picture's bytes with their hash and the stamp of the file they came from."""

    data: bytes
    sha256: str
    bytes: int
    mtime_ns: int


def read_bytes(root: Path, ref: PictureRef) -> Bytes:
    """Return the bytes of `ref`; a change while reading is retried once.

    Raises PictureError when they cannot be read, ChangedError when the file changed twice.
    """
    for _ in range(2):
        source = open_picture(root, ref)
        if isinstance(source, bytes):
            return Bytes(source, hashlib.sha256(source).hexdigest(), ref.bytes, ref.mtime_ns)
        try:
            with source.open("rb") as file:
                before = os.fstat(file.fileno())
                data = file.read()
                after = os.fstat(file.fileno())
        except OSError as error:
            raise PictureError(f"{ref.path}: cannot be read: {error.strerror}") from error
        if _stamp(before) == _stamp(after) and len(data) == after.st_size:
            return Bytes(data, hashlib.sha256(data).hexdigest(), after.st_size, after.st_mtime_ns)
    raise ChangedError(f"{ref.path} changes while it is read", "score it again once it is written")


def still_the_same(root: Path, ref: PictureRef, read: Bytes) -> bool:
    """Say whether the file still has the stamp it was read with."""
    try:
        source = open_picture(root, ref)
        if isinstance(source, bytes):
            return True
        return _stamp(source.stat()) == (read.bytes, read.mtime_ns)
    except (OSError, PictureError):
        return False


def _stamp(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_size, facts.st_mtime_ns
