"""Advisory locks that say who holds them."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from b100tui.model.errors import LockHeldError


@contextmanager
def hold(path: Path, purpose: str, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock file `path` while the block runs; `purpose` is told to those who wait.

    Raises LockHeldError naming purpose, pid and host of the holder after `wait_seconds`.
    """
    lock = FileLock(path)
    owner = path.with_name(path.name + ".owner")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise LockHeldError(
            f"{path.name} is held by {holder(path) or 'another process'}",
            "wait for it to finish, or end that process",
        ) from error
    try:
        note = {"purpose": purpose, "pid": os.getpid(), "host": socket.gethostname()}
        owner.write_text(json.dumps(note), encoding="utf-8")
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def holder(path: Path) -> str:
    """Return "PURPOSE, pid N on HOST" of the lock's owner, or an empty string."""
    try:
        note = json.loads(path.with_name(path.name + ".owner").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return f"{note.get('purpose')}, pid {note.get('pid')} on {note.get('host')}"
