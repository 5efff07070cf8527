"""One of many at one root: reads, builds or writes until its stdin closes, once at least, then
says what it saw.

usage: concurrent_child.py ROLE ROOT NAME LOCKS
LOCKS is "sound", or as on network disks that misbehave: "deaf" for a lock file that everyone gets
at once, "barred" for one that the system refuses, now and then or always.
Prints one JSON object: {"turns": n, "told": [error texts], "written": [mark ids]}.
"""

import errno
import json
import os
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.index.text import build_text
from b100tui.model.errors import LockHeldError, StoreError
from b100tui.workspace.parts import PartWriter
from b100tui.workspace.places import workspace_dir
from tests.index.folder import mark, score

RUN = "fog/replicate-2k/run-0"


def asked_to_end() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def read(root: Path, _: str) -> dict[str, Any]:
    """Read as an explorer does; any error at all ends the process with its traceback."""
    index = open_index(root)
    turns = 0
    seen: set[str] = set()
    while not turns or not asked_to_end():
        index.poll()
        now = {one.id for one in index.marks(RUN)}
        assert seen <= now, "a mark that was seen is gone"
        seen = now
        assert index.run_ids() == sorted(index.run_ids())
        index.runs("mark:tint OR image:fog")
        index.step_views(RUN)
        assert index.search("plate").total
        turns += 1
    index.close()
    return {"turns": turns}


def build(root: Path, name: str) -> dict[str, Any]:
    """Build again and again; one that has to stand back says why."""
    turns, told = 0, []
    while not turns or not asked_to_end():
        try:
            refresh(root, rebuild=turns % 3 == 2, wait_seconds=0.05)
            build_text(root)
        except (LockHeldError, StoreError) as error:
            told.append(error.message)
        turns += 1
    return {"turns": turns, "told": told}


def write(root: Path, name: str) -> dict[str, Any]:
    """Append marks and scores, each acknowledged before the next."""
    marks, scores = (PartWriter(workspace_dir(root) / kind) for kind in ("marks", "scores"))
    written = []
    while not written or (len(written) < 400 and not asked_to_end()):
        number = len(written)
        marks.append(mark(f"{name}-{number}", RUN, number % 5, "tint"))
        scores.append(score(RUN, number % 5, f"m_{name}", float(number)))
        written.append(f"{name}-{number}")
        select.select([sys.stdin], [], [], 0.01)
    select.select([sys.stdin], [], [])
    return {"turns": len(written), "written": written}


ROLES: dict[str, Callable[[Path, str], dict[str, Any]]] = {
    "read": read,
    "build": build,
    "write": write,
}


def be_deaf() -> None:
    """Give every lock to everyone."""

    class Given:
        lock_counter = 0

    filelock.FileLock.acquire = lambda self, *_, **__: Given()  # type: ignore[assignment]
    filelock.FileLock.release = lambda self, *_, **__: None  # type: ignore[method-assign]


def be_barred(name: str) -> None:
    """Refuse every lock to one of two, every second lock to the other."""
    sound, asked = filelock.FileLock.acquire, 0

    def refused(self: filelock.FileLock, *given: Any, **more: Any) -> Any:
        nonlocal asked
        asked += 1
        if name.endswith(("1", "3", "5")) or asked % 2:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        return sound(self, *given, **more)

    filelock.FileLock.acquire = refused  # type: ignore[method-assign]


if __name__ == "__main__":
    role, root, name, locks = sys.argv[1:]
    if locks == "deaf":
        be_deaf()
    elif locks == "barred":
        be_barred(name)
    print("up", flush=True)
    print(json.dumps({"told": [], "written": [], **ROLES[role](Path(root), name)}))
