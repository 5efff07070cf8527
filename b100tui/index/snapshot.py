"""The run-list snapshot: the first rows and the totals, read without a database."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from b100tui.index.generation import database_path, first_path, generations
from b100tui.index.rows import FirstPaint, RunRow

FIRST_ROWS = 200


def read_first(root: Path) -> FirstPaint | None:
    """Return what the newest generation of `root` shows first, or None where there is none.

    A snapshot that cannot be read counts as none: the index itself still answers.
    """
    from b100tui.workspace.places import cache_dir

    cache = cache_dir(root)
    for generation in reversed(generations(cache)):
        if not database_path(cache, generation).exists():
            continue
        try:
            return msgspec.json.decode(first_path(cache, generation).read_bytes(), type=FirstPaint)
        except (OSError, msgspec.DecodeError):
            return None
    return None


def first_paint(
    generation: int, root: Path, rows: Sequence[RunRow], total_steps: int, total_metrics: int
) -> FirstPaint:
    """Return the snapshot of a generation out of all its run rows in natural order."""
    return FirstPaint(
        generation=generation,
        root=str(root),
        total_runs=len(rows),
        total_steps=total_steps,
        total_metrics=total_metrics,
        rows=tuple(rows[:FIRST_ROWS]),
    )
