"""Atomic writes: a file is either the old one or the whole new one."""

import os
import tempfile
from pathlib import Path

from b100tui.model.errors import StoreError


def write_atomic(
    path: Path,
    data: bytes,
    *,
    durable: bool = True,
    mode: int = 0o644,
    sync_parent: bool = True,
) -> None:
    """Write `data` to a private temporary name beside `path`, then rename it over `path`.

    With `durable` the file and its folder are fsynced first, so that the bytes survive a
    power cut; without `sync_parent` the caller fsyncs the folder itself. Raises StoreError
    naming the path and the reason (full disk, read-only).
    """
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=".b100-", suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
        temporary = None
        if durable and sync_parent:
            sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}", "free space, or choose a writable folder"
        ) from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def sync_folder(folder: Path) -> None:
    """Fsync a folder, so that renames in it survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
