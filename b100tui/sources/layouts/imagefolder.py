"""Hugging Face imagefolders: metadata.jsonl, .csv or .parquet that names each picture."""

from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut
from b100tui.model.text import clean, clean_line
from b100tui.sources.assemble import is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import FILE, PROMPT, TURN, Columns, columns_of, told, whole
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import found_file, is_url, resolved
from b100tui.sources.paths import join, split_path
from b100tui.sources.records import RowStep, runs_of, who_says
from b100tui.sources.tables import BadLine, Line, read_table

NAMES = ("metadata.jsonl", "metadata.csv", "metadata.parquet")
_SOURCES = ("source", "input", "original", "before", "initial")


def claim_imagefolders(listing: Listing, taken: set[str]) -> Claimed:
    """Take the pictures of every manifest whose rows tell a step.

    A row with several columns of turns is a run of its own. A manifest without either is left
    to the guess, which joins its rows by file name.
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
        turns = _turns(pictures) if column is None else {}
        if len(turns) > 1:
            steps += _wide(listing, folder, line, pictures, turns, taken, problems)
            continue
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


def _turns(pictures: list[tuple[str, str]]) -> dict[str, int]:
    """Return the columns of turns, turn_1_image_file_name and the like, by name."""
    names = [column for column, _ in pictures]
    return {name: int(found[1]) for name in names if (found := TURN.search(name))}


def _wide(
    listing: Listing,
    folder: str,
    line: Line,
    pictures: list[tuple[str, str]],
    turns: dict[str, int],
    taken: set[str],
    problems: list[str],
) -> list[RowStep]:
    """Return the steps of a row that holds a whole run, a column a turn; step 0 is its source."""
    who = who_says(line.cells, [column for column, _ in pictures]) or {"run": str(line.number)}
    steps: list[RowStep] = []
    for column, name in pictures:
        step = turns.get(column)
        if step is None:
            if not column.casefold().startswith((*_SOURCES, "image", "file_name")):
                continue
            step = 0
        target, why = found_file(listing, folder, name, "exact")
        if not target:
            problems.append(f"line {line.number}: {column}: {why}")
        elif target not in taken:
            words = next((line.cells[key] for key in line.cells if _prompts(key) == step), None)
            said = {"prompt": clean(words)} if isinstance(words, str) and words else {}
            steps.append(
                RowStep(group=split_path(target)[0], who=who, step=step, path=target, said=said)
            )
    return steps


def _prompts(column: str) -> int | None:
    """Return the turn that a column such as turn_2_instruction holds the prompt of."""
    found = TURN.search(column)
    return int(found[1]) if found and column.casefold().endswith(PROMPT) else None


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
