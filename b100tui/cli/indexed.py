"""Opens the index for a reading command, brought up to date first."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.output import narrate, reading_root
from b100tui.cli.step_bar import StepBar
from b100tui.model.errors import LockHeldError, StoreError

if TYPE_CHECKING:
    from b100tui.index.rows import IndexReport
    from b100tui.index.store import Index

_WAIT_SECONDS = 600.0


def add_refresh(parser: argparse.ArgumentParser) -> None:
    """Add `--no-refresh`."""
    parser.add_argument(
        "--no-refresh", action="store_true", help="use the index as it is, even if files changed"
    )


def opened(args: argparse.Namespace, positional: str | None = None) -> "Index":
    """Return the index of the root meant, refreshed unless --no-refresh; the root is remembered.

    Goes on with the newest generation there is when another process is building one.
    """
    from b100tui.index.generation import newest
    from b100tui.index.store import open_index
    from b100tui.workspace.places import cache_dir, remember_root

    root = reading_root(args, positional)
    there = newest(cache_dir(root)) is not None
    if not (args.no_refresh and there):
        try:
            refreshed(root, wait_seconds=0.0 if there else _WAIT_SECONDS)
        except LockHeldError as error:
            if not there:
                raise
            narrate(f"{error.message}: showing the index as it was before")
        except StoreError as error:  # a full disk bars new generations, not reading the old one
            if not there:
                raise
            narrate(f"{error.message}: showing the index as it was before\n  fix: {error.hint}")
    try:
        index = open_index(root)
    except StoreError as error:  # moved aside, so that the next refresh makes it anew
        narrate(f"{error.message}: building it anew")
        refreshed(root)
        index = open_index(root)
    remember_root(root)
    return index


def tell_empty(index: "Index") -> None:
    """Say on stderr that a folder holds no runs, and what shows why; nothing where it has some."""
    if not index.run_ids():
        narrate(f"no run was found in {index.root}: b100 scan {index.root} says why")


def refreshed(
    root: Path, *, rebuild: bool = False, wait_seconds: float = _WAIT_SECONDS
) -> "IndexReport":
    """Refresh the index of `root` with progress on stderr when that is a terminal."""
    from b100tui.index.build import refresh

    bar = StepBar("indexing ")
    try:
        return refresh(root, rebuild=rebuild, progress=bar.show, wait_seconds=wait_seconds)
    finally:
        bar.clear()
