"""Atomic writes: a file is either the old one or the whole new one."""

import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from b100tui.model.errors import StoreError

_BESIDE = threading.BoundedSemaphore(1)


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
    write_in_order([(path, data)], durable=durable, mode=mode, sync_parent=sync_parent)


def write_in_order(
    files: Sequence[tuple[Path, bytes]],
    *,
    durable: bool = True,
    mode: int = 0o644,
    sync_parent: bool = True,
    renamed: Callable[[Path], None] = lambda path: None,
) -> None:
    """Write files of one folder as `write_atomic` does, visible one after the other as given.

    All their bytes are on disk before the first is renamed, so each is there only if those
    before it are; they are fsynced at once, for which a journal needs one round, not several.
    `renamed` hears of each. Raises StoreError naming the path; what was renamed stays.
    """
    path = files[0][0]
    written: list[str] = []
    try:
        with ExitStack() as opened:
            syncs = []
            for path, data in files:
                handle, name = tempfile.mkstemp(prefix=".b100-", suffix=".tmp", dir=path.parent)
                written.append(name)
                opened.enter_context(os.fdopen(handle, "wb", buffering=0))
                _write(handle, data)
                syncs.append(partial(os.fsync, handle))
                os.chmod(name, mode)
            if durable:
                at_once(syncs)
        for path, _ in files:
            os.replace(written[0], path)
            del written[0]
            renamed(path)
        if durable and sync_parent:
            sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}", "free space, or choose a writable folder"
        ) from error
    finally:
        for name in written:
            with suppress(FileNotFoundError):
                os.unlink(name)


def at_once(works: Sequence[Callable[[], None]]) -> None:
    """Do all of `works`, side by side where nobody else does so, and return when all have ended.

    Where several runs write at the same time their fsyncs share rounds of the journal anyway, and
    more threads would only get in each other's way. Raises what one of them raised.
    """
    raised: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    beside: list[threading.Thread] = []
    own: list[Callable[[], None]] = list(works[:1])
    try:
        for work in works[1:]:
            if _BESIDE.acquire(blocking=False):
                beside.append(threading.Thread(target=guarded, args=(work,)))
                beside[-1].start()
            else:
                own.append(work)
        for work in own:
            guarded(work)
    finally:
        for one in beside:
            one.join()
            _BESIDE.release()
    if raised:
        raise raised[0]


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Fsync a folder, so that renames in it survive a power cut."""
    _sync(os.fspath(folder))


def sync_file(path: Path) -> None:
    """Fsync what was appended to a file, by whomever. Raises OSError."""
    _sync(os.fspath(path))
