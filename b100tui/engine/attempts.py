"""attempts.jsonl: one intent line before each call, one outcome line after it."""

import os
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.errors import StoreError
from b100tui.workspace.atomic import sync_file

NAME = "attempts.jsonl"
_ENCODER = msgspec.json.Encoder()


def append_attempts(folder: Path, *lines: dict[str, Any], durable: bool = True) -> None:
    """Append `lines` in one write and, with `durable`, fsync them before returning.

    A line holds `kind` (intent, outcome), `step`, `attempt`, `time`; an intent the dollars
    `reserved`; an outcome its `outcome` (ok, refused, no_image, failed) and the dollars
    `settled` or `possibly_billed`. Raises StoreError when the disk refuses.
    """
    path = folder / NAME
    data = b"".join(_ENCODER.encode(line) + b"\n" for line in lines)
    try:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        try:
            written = 0
            while written < len(data):
                written += os.write(handle, data[written:])
        finally:
            os.close(handle)
        if durable:
            sync_file(path)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}", "free space; no call was made without it"
        ) from error


def sync_attempts(folder: Path) -> None:
    """Bring to disk what was appended; StoreError when the disk refuses."""
    append_attempts(folder)
