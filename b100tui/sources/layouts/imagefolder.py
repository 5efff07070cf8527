"""Hugging Face imagefolders: metadata.jsonl, .csv or .parquet that names each picture."""

from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut
from b100tui.model.text import clean_line
from b100tui.sources.assemble import is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import FILE, Columns, columns_of, told, whole
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import is_url, resolved
from b100tui.sources.paths import join, split_path
from b100tui.sources.records import RowStep, runs_of, who_says
from b100tui.sources.tables import BadLine, read_table

NAMES = ("metadata.jsonl", "metadata.csv", "metadata.parquet")
_SOURCES = ("source", "input", "original", "before", "initial")


def claim_imagefolders(listing: Listing, taken: set[str]) -> Claimed:
    """Take the pictures of every manifest whose rows tell a step.

    A manifest without a step column is left to the guess, which joins its rows by file name.
    Names that lead out of the folder or to nothing are listed with their line.
    """
    claimed = Claimed()
    for folder in listing.in_order():
        for name in NAMES:
            path = join(folder, name)
            if name in listing.folders[folder] and path not in taken:
                try:
                    _claim(listing, folder, path, taken, claimed)
                except B100Error as error:
                    claimed.unreadable.append(LeftOut(path, error.message))
    return claimed


def _claim(listing: Listing, folder: str, path: str, taken: set[str], claimed: Claimed) -> None:
    steps: list[RowStep] = []
    problems: list[str] = []
    named: dict[tuple[tuple[str, str], ...], int] = {}  # run and picture -> its step
    for line in read_table(listing, path):
        if isinstance(line, BadLine):
            problems.append(f"line {line.number}: {line.reason}")
            continue
        known = columns_of(line.cells)
        column = known.step
        number = whole(line.cells[column]) if column else None
        pictures = _pictures(line.cells)
        if column is None or not pictures:
            problems.append(f"line {line.number}: {_lack(line.cells, known)}")
            continue
        if number is None or number < 0:
            what = clean_line(str(line.cells[column]))[:40]
            problems.append(f"line {line.number}: {column}: {what!r} is no step number")
            continue
        who = who_says(line.cells, [column for column, _ in pictures])
        for picture_column, name in pictures:
            where = f"line {line.number}: {picture_column}"
            target = resolved(folder, name)
            is_source = picture_column.casefold().startswith(_SOURCES) and len(pictures) > 1
            key = (*sorted(who.items()), ("", target or ""))
            if is_url(name):
                problems.append(f"{where}: {name} is a url, which is never fetched unasked")
            elif target is None:
                problems.append(f"{where}: {name} leads outside the folder")
            elif target not in listing.stamps:
                problems.append(f"{where}: {name} is not there")
            elif key in named and named[key] != number and not is_source:
                problems.append(f"{where}: {name} is the picture of step {named[key]} already")
            elif target not in taken:
                if not is_source:
                    named[key] = number
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
        claimed.note(path, problems)


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


def _lack(cells: dict[str, Any], known: Columns) -> str:
    """Return why a row is no step: it tells none, or names no picture."""
    if known.step is None:
        return "no column tells a step"
    if known.file is None:
        return "no column names a picture"
    name = clean_line(str(cells[known.file]))[:80]
    return f"{known.file}: {name!r} names no picture"


def _without_sources_of_steps(steps: list[RowStep]) -> list[RowStep]:
    """Leave out the input picture of a turn where the turn before has told its output."""
    outputs = {(tuple(sorted(row.who.items())), row.step) for row in steps if row.said}
    return [
        row
        for row in steps
        if row.said or (tuple(sorted(row.who.items())), row.step) not in outputs
    ]


LAYOUT = Layout(
    name="imagefolder",
    sign="metadata.jsonl, .csv or .parquet that names pictures and their steps",
    claim=claim_imagefolders,
)
