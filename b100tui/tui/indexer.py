"""The process that keeps the index fresh while an explorer is open.

`python -m b100tui.tui.indexer ROOT` refreshes once, then whenever a line arrives on stdin or
the pause is over, and ends when stdin closes. It prints one JSON object a line: `{"rows":
[...], "left_out": n}` what a first scan found, `{"done": n, "total": n}` while it works,
`{"generation": n, "changed": n}` when a refresh is done, `{"error": text, "hint": text}` when
one failed. It runs niced, in a process of its own, so that the screen never waits for it.
"""

import os
import select
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.errors import B100Error, LockHeldError
from b100tui.model.text import clean_line

SHORTEST_PAUSE = 3.0
PAUSE_FACTOR = 10.0  # at most a tenth of one core goes into looking for changes
SAY_EVERY = 0.1


def main(root: Path) -> int:
    """Refresh until stdin closes; return the exit code."""
    if hasattr(os, "nice"):
        os.nice(10)
    _first_look(root)
    while True:
        started = time.monotonic()
        _refresh(root)
        pause = max(SHORTEST_PAUSE, PAUSE_FACTOR * (time.monotonic() - started))
        if not _wait(pause):
            return 0


def _first_look(root: Path) -> None:
    """Say what runs are there when nothing has been indexed yet: names come before scores."""
    from b100tui.index.rows import RunRow
    from b100tui.index.snapshot import read_first
    from b100tui.sources import scan_folder

    try:
        if read_first(root) is not None:
            return
        found = scan_folder(root)
    except (B100Error, OSError) as error:
        _say({"error": clean_line(str(error)), "hint": "b100 scan shows what the folder holds"})
        return
    rows = [
        RunRow(
            run=one.run.run,
            image=one.run.image,
            recipe=one.run.recipe,
            setting=one.run.setting,
            editor=one.run.editor,
            repeat=one.run.repeat,
            labels=one.run.labels,
            steps=len(one.steps),
            first_step=one.steps[0].step if one.steps else None,
            last_step=one.steps[-1].step if one.steps else None,
            missing=one.missing,
            simulated=one.run.simulated,
        )
        for one in found.runs
    ]
    left_out = len(found.unused) + len(found.unreadable)
    _say({"rows": rows, "layout": found.layout, "left_out": left_out})


def _refresh(root: Path) -> None:
    from b100tui.index.build import refresh

    last = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SAY_EVERY:
            last = now
            _say({"done": done, "total": total})

    try:
        report = refresh(root, progress=progress)
    except LockHeldError as error:
        _say({"held": clean_line(error.message)})
    except B100Error as error:
        _say({"error": clean_line(error.message), "hint": clean_line(error.hint)})
    except OSError as error:
        _say({"error": clean_line(str(error)), "hint": "see that the folder can be read"})
    else:
        changed = report.added + report.changed + report.removed
        _say({"generation": report.generation, "changed": changed})
        _refresh_text(root)


def _refresh_text(root: Path) -> None:
    """Bring the words up to date after the runs: they are looked at before they are searched."""
    from b100tui.index.text import build_text

    try:
        build_text(root)
    except LockHeldError as error:
        _say({"held": clean_line(error.message)})
    except B100Error as error:
        _say({"error": clean_line(error.message), "hint": clean_line(error.hint)})


def _say(value: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def _wait(seconds: float) -> bool:
    """Wait for a line or the end of the pause; False when stdin is closed."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return not ready or bool(sys.stdin.readline())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
