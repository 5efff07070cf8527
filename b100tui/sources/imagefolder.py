"""Hugging Face imagefolders: metadata.jsonl, .csv or .parquet that names each picture."""

import posixpath
from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut
from b100tui.sources.assemble import is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import FILE, columns_of, told, whole
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, natural, split_path
from b100tui.sources.records import RowStep, runs_of, who_says
from b100tui.sources.tables import BadLine, read_table

NAMES = ("metadata.jsonl", "metadata.csv", "metadata.parquet")
_SOURCES = ("source", "input", "original", "before", "initial")
_SHOWN = 20  # lines of one manifest that are named one by one


def claim_imagefolders(listing: Listing, taken: set[str]) -> Claimed:
    """Take the pictures of every manifest whose rows tell a step.

    A manifest without a step column is left to the guess, which joins its rows by file name.
    Names that lead out of the folder or to nothing are listed with their line.
    """
    claimed = Claimed()
    for folder in sorted(listing.folders, key=natural):
        for name in NAMES:
            path = join(folder, name)
            if name in listing.folders[folder] and path not in taken:
                try:
                    _claim(listing, folder, path, taken, claimed)
                except B100Error as error:
                    claimed.unreadable.append(LeftOut(path, error.message))
    return claimed


def resolved(folder: str, name: str) -> str | None:
    """Return the path meant by a manifest in `folder`, or None where it leaves the root."""
    if not name or name.startswith("/") or "\0" in name or "\\" in name:
        return None
    path = posixpath.normpath(posixpath.join(folder, name))
    return None if path == ".." or path.startswith("../") else path


def _claim(listing: Listing, folder: str, path: str, taken: set[str], claimed: Claimed) -> None:
    steps: list[RowStep] = []
    problems: list[LeftOut] = []
    for line in read_table(listing, path):
        if isinstance(line, BadLine):
            problems.append(LeftOut(path, f"line {line.number}: {line.reason}"))
            continue
        column = columns_of(line.cells).step
        number = whole(line.cells[column]) if column else None
        pictures = _pictures(line.cells)
        if column is None or not pictures:
            continue
        if number is None or number < 0:
            problems.append(LeftOut(path, f"line {line.number}: {column} is no step number"))
            continue
        who = who_says(line.cells, [column for column, _ in pictures])
        for picture_column, name in pictures:
            target = resolved(folder, name)
            if target is None:
                problems.append(
                    LeftOut(path, f"line {line.number}: {name} leads outside the folder")
                )
            elif target not in listing.stamps:
                problems.append(LeftOut(path, f"line {line.number}: {name} is not there"))
            elif target not in taken:
                is_source = picture_column.casefold().startswith(_SOURCES) and len(pictures) > 1
                steps.append(
                    RowStep(
                        group=split_path(target)[0],
                        who=who,
                        step=number - 1 if is_source else number,
                        path=target,
                        said={} if is_source else told(line.cells),
                    )
                )
    if steps:
        claimed.used.add(path)
        claimed.used.update(row.path for row in steps)
        claimed.runs += runs_of(listing, _without_sources_of_steps(steps))
        claimed.unused += _shortened(path, problems)


def _pictures(cells: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (column, file name) of the pictures of one row, masks left out."""
    found = [
        (column, value)
        for column, value in cells.items()
        if isinstance(value, str)
        and is_picture(value)
        and (
            column.casefold() in FILE or column.casefold().endswith(("_file_name", "image", "img"))
        )
        and "mask" not in column.casefold()
    ]
    several = cells.get("file_names")
    if isinstance(several, list) and several and isinstance(several[-1], str):
        found.append(("file_names", several[-1]))
    return found


def _without_sources_of_steps(steps: list[RowStep]) -> list[RowStep]:
    """Leave out the input picture of a turn where the turn before has told its output."""
    outputs = {(tuple(sorted(row.who.items())), row.step) for row in steps if row.said}
    return [
        row
        for row in steps
        if row.said or (tuple(sorted(row.who.items())), row.step) not in outputs
    ]


def _shortened(path: str, problems: list[LeftOut]) -> list[LeftOut]:
    if len(problems) <= _SHOWN:
        return problems
    return [*problems[:_SHOWN], LeftOut(path, f"and {len(problems) - _SHOWN} more such lines")]
