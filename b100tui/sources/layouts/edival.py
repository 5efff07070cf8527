"""EdiVal-Agent results: <model>/multipass/<idx>_input_raw_turn_<n>.png, and a CSV."""

import ast
import re
from collections import defaultdict
from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.records import Run
from b100tui.model.scan import LeftOut
from b100tui.model.text import clean
from b100tui.sources.assemble import Candidate, assemble
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number, whole
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, natural, readable, split_name, split_path
from b100tui.sources.tables import Line, read_table

_NAME = re.compile(
    r"(?P<index>\d+)_input_raw(?:_turn_(?P<turn>\d{1,6}))?\.(?:png|jpe?g|webp)", re.I
)
_PASSES = ("multipass", "singlepass")
_KNOWN = frozenset({"image_index", "turns", "task_type", "instructions", "unnamed: 0", ""})
_LIMIT = 100_000  # characters of one instructions cell

Told = dict[tuple[str, int], dict[str, Any]]  # (index, turn) -> fields


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the multipass and singlepass folders of each model.

    Instructions of the CSV are cumulative: the last one of a row is the turn's own. Single-pass
    pictures are each made from the original in one go, and are labelled so.
    """
    claimed = Claimed()
    tables: dict[str, Told] = {}
    for folder in listing.in_order():
        above, last = split_path(folder)
        if last not in _PASSES:
            continue
        steps: dict[str, list[Candidate]] = defaultdict(list)
        for name in listing.folders[folder]:
            found = _NAME.fullmatch(name)
            if found and join(folder, name) not in taken:
                turn = int(found["turn"] or 0)
                steps[found["index"]].append(Candidate(step=turn, path=join(folder, name)))
        told = _told(listing, folder, taken, claimed, tables) if steps else {}
        runs = []
        for index, candidates in steps.items():
            if not any(candidate.step for candidate in candidates):
                claimed.unused += [
                    LeftOut(one.path, "an input without any turn") for one in candidates
                ]
                claimed.used.update(one.path for one in candidates)
                continue
            for candidate in candidates:
                if candidate.step:
                    candidate.said.update(told.get((str(int(index)), candidate.step), {}))
            model = split_path(above)[1]
            run = Run(
                run=readable(join(folder, index)),
                image=readable(index),
                setting=readable(join(model, last)),
                recipe=last,
                editor=readable(model),
                labels={"pass": last},
            )
            runs.append(assemble(listing, run, folder, candidates))
            claimed.used.update(one.path for one in candidates)
        if runs:
            claimed.take(folder, "<idx>_input_raw_turn_<n> in a folder of passes", runs)
    return claimed


def _told(
    listing: Listing, folder: str, taken: set[str], claimed: Claimed, tables: dict[str, Told]
) -> Told:
    """Return what the nearest CSV with image_index and turns says: beside, above, or at the top."""
    place = folder
    while True:
        for name in sorted(listing.folders.get(place, []), key=natural):
            path = join(place, name)
            if split_name(name)[1] != "csv" or path in taken:
                continue
            if path not in tables:
                tables[path] = _table(listing, path, claimed)
            if tables[path]:
                return tables[path]
        if not place:
            return {}
        place = split_path(place)[0]


def _table(listing: Listing, path: str, claimed: Claimed) -> Told:
    found: Told = {}
    problems: list[str] = []
    try:
        for line in read_table(listing, path):
            if not isinstance(line, Line):
                problems.append(f"line {line.number}: {line.reason}")
                continue
            if not {"image_index", "turns"} <= line.cells.keys():
                return {}
            index, turn = whole(line.cells["image_index"]), whole(line.cells["turns"])
            if index is None or turn is None or turn < 1:
                field = "image_index" if index is None else "turns"
                problems.append(f"line {line.number}: {field}: {line.cells[field]!r} is no number")
                continue
            found[str(index), turn] = _fields(line, problems)
    except B100Error as error:
        claimed.unreadable.append(LeftOut(path, error.message))
    if found:
        claimed.used.add(path)
        claimed.note(path, problems)
    return found


def _fields(line: Line, problems: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    text = line.cells.get("instructions")
    if isinstance(text, str) and text.strip():
        words = _last(text)
        if words is None:
            problems.append(f"line {line.number}: instructions: is no list of texts")
        else:
            fields["prompt"] = clean(words)
    task = line.cells.get("task_type")
    if isinstance(task, str) and task:
        fields["parameters"] = {"task_type": clean(_last(task) or task)}
    scores = {
        metric_id(name): value
        for name, cell in line.cells.items()
        if name.casefold() not in _KNOWN and (value := number(cell)) is not None
    }
    return {**fields, "scores": scores} if scores else fields


def _last(text: str) -> str | None:
    """Return the last text of a Python list written as text; a plain text stays itself."""
    if not text.lstrip().startswith("["):
        return text
    try:
        value = ast.literal_eval(text.strip()) if len(text) <= _LIMIT else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value[-1] if isinstance(value, list) and value and isinstance(value[-1], str) else None


LAYOUT = Layout(
    name="edival",
    sign="multipass or singlepass folders with <idx>_input_raw_turn_<n>",
    claim=claim,
)
