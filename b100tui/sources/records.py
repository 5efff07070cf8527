"""Runs out of rows that name their pictures: shared by imagefolders and shards."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from b100tui.model.scan import SourceRun
from b100tui.sources.assemble import Candidate, assemble
from b100tui.sources.columns import identity, run_named
from b100tui.sources.listing import Listing


class RowStep(Struct, kw_only=True):
    """One step that a row tells: its run by `who` inside `group`, and its picture."""

    group: str  # where the row's picture or table lies; names the run where nothing else does
    who: dict[str, str]
    step: int
    path: str
    member: str | None = None
    said: dict[str, Any]


def runs_of(listing: Listing, steps: Iterable[RowStep]) -> list[SourceRun]:
    """Return one run for each distinct identity, in order of appearance."""
    found: dict[tuple[Any, ...], list[RowStep]] = {}
    for row in steps:
        key = tuple(sorted(row.who.items())) if row.who else (row.group,)
        found.setdefault(key, []).append(row)
    runs: list[SourceRun] = []
    for rows in found.values():
        run = run_named(rows[0].who, rows[0].group or listing.root.name or "run")
        candidates = [
            Candidate(step=row.step, path=row.path, member=row.member, said=row.said)
            for row in rows
        ]
        runs.append(assemble(listing, run, rows[0].group, candidates))
    return runs


def who_says(cells: dict[str, Any], pictures: Iterable[str]) -> dict[str, str]:
    """Return the identity in a row without the columns that hold its pictures."""
    names = set(pictures)
    return identity({name: cell for name, cell in cells.items() if name not in names})
