"""Append-only JSONL parts: one file a process, one write and fdatasync a record.

Parts are named by host, pid and start time, so any number of writers meet without a lock.
A torn last line (no newline) is not a record yet: readers stop before it and come back.
"""

import os
import re
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from b100tui.model.errors import UNPARSABLE, StoreError, parse_fault
from b100tui.model.scan import LeftOut
from b100tui.workspace.places import make_private

Record = TypeVar("Record")
MAX_LINE = 64 * 1024 * 1024
_ENCODER = msgspec.json.Encoder()


class PartWriter:
    """Appends records to a part of its own in `folder` (made on demand, on first append)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path: Path | None = None
        self._handle: int | None = None

    def append(self, *records: Any) -> None:
        """Write `records` durably in one write; they are acknowledged once this returns.

        Raises StoreError (full disk, vanished folder) and then none of them counts: a torn
        tail is cut off again where that is possible and skipped by readers where not.
        """
        if not records:
            return
        data = b"".join(_ENCODER.encode(record) + b"\n" for record in records)
        try:
            handle = self._open()
            start = os.lseek(handle, 0, os.SEEK_END)
            try:
                written = 0
                while written < len(data):
                    written += os.write(handle, data[written:])
                os.fdatasync(handle)
            except OSError:
                os.ftruncate(handle, start)
                raise
        except OSError as error:
            raise StoreError(
                f"cannot write {self.path or self.folder}: {error.strerror}",
                "free space or make the folder writable, then run the command again",
            ) from error

    def close(self) -> None:
        """Close the part; a later append opens a new one."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _open(self) -> int:
        if self._handle is None:
            make_private(self.folder)
            host = re.sub(r"[^A-Za-z0-9.]+", "-", socket.gethostname()) or "host"
            name = f"{host}-{os.getpid()}-{time.time_ns()}.jsonl"
            self.path = self.folder / name
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND
            self._handle = os.open(self.path, flags, 0o644)
        return self._handle


def part_files(folders: Sequence[Path], kind: str) -> list[Path]:
    """Return the parts of `kind` ("scores", "verdicts", ...) under workspace `folders`, sorted."""
    return sorted(path for folder in folders for path in (folder / kind).glob("*.jsonl"))


def read_part(
    path: Path, kind: type[Record], offset: int = 0
) -> Iterator[tuple[Record | LeftOut, int]]:
    """Yield each whole record from byte `offset` on, with the offset just after it.

    A line that is no valid record comes as LeftOut with its byte place; a torn last line is
    not yielded. Lines over 64 MB are skipped as LeftOut. Raises OSError as open does.
    """
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as file:
        file.seek(offset)
        while True:
            line = file.readline(MAX_LINE)
            if not line:
                return
            start, offset = offset, offset + len(line)
            if not line.endswith(b"\n"):
                if len(line) < MAX_LINE:
                    return
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE)
                    offset += len(line)
                if not line:
                    return
                yield LeftOut(str(path), f"line at byte {start} is longer than 64 MB"), offset
                continue
            try:
                yield decoder.decode(line), offset
            except UNPARSABLE as error:
                yield LeftOut(str(path), f"line at byte {start}: {parse_fault(error)}"), offset
