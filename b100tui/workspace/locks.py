"""Advisory locks that say who holds them."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from b100tui.model.errors import LockHeldError, StoreError
from b100tui.model.text import clean_line


class _Owner(msgspec.Struct, frozen=True):
    purpose: str
    pid: int
    host: str


@contextmanager
def hold(path: Path, purpose: str, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock file `path` while the block runs; `purpose` is told to those who wait.

    Raises LockHeldError naming purpose, pid and host of the holder after `wait_seconds`,
    StoreError where the lock file cannot be made.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    owner = path.with_name(path.name + ".owner")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise LockHeldError(
            f"{path.name} is held by {holder(path) or 'another process'}",
            "wait for it to finish, or end that process",
        ) from error
    except OSError as error:
        raise StoreError(
            f"cannot lock {path}: {error.strerror}", "free space, or make its folder writable"
        ) from error
    try:
        _sign(owner, purpose)
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def _sign(owner: Path, purpose: str) -> None:
    """Say who holds the lock, for those who wait: a disk without room for it takes no lock away."""
    with suppress(OSError):
        owner.write_bytes(msgspec.json.encode(_Owner(purpose, os.getpid(), socket.gethostname())))


def holder(path: Path) -> str:
    """Return "PURPOSE, pid N on HOST" of the lock's owner, or an empty string."""
    try:
        text = path.with_name(path.name + ".owner").read_text(encoding="utf-8")
        note = msgspec.json.decode(text, type=_Owner)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return ""
    return clean_line(f"{note.purpose}, pid {note.pid} on {note.host}")
