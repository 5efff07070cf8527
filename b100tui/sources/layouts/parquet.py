"""Hugging Face Parquet shards whose image columns hold the pictures themselves."""

import re
from collections import defaultdict
from typing import Any

from msgspec import Struct

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut
from b100tui.sources.assemble import shown
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import TURN, columns_of, told, whole
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.names import group_stems, has_step_word
from b100tui.sources.paths import join, natural, on_disk, split_name, split_path
from b100tui.sources.records import RowStep, runs_of, who_says
from b100tui.sources.shards import columns, member_of, picture_paths, scalar_rows

_SHARD = re.compile(r"(?P<split>.*?)-\d+-of-\d+.*")
_INPUTS = ("source", "input", "original", "before", "initial")


class _Row(Struct, kw_only=True):
    """One row of a shard: plain cells, and the names of its pictures by column."""

    path: str
    number: int
    cells: dict[str, Any]
    pictures: dict[str, str]


def claim_shards(listing: Listing, taken: set[str]) -> Claimed:
    """Take every Parquet file with an image column; files of one split are read as one.

    The step is a column, or stands in the picture's own name; without either a wide row of
    turn columns is a run. What tells no step is left out with the reason.
    """
    claimed = Claimed()
    splits: dict[str, list[str]] = defaultdict(list)
    for folder in listing.in_order():
        shards = [name for name in listing.folders[folder] if split_name(name)[1] == "parquet"]
        for name in sorted(shards, key=natural):
            path = join(folder, name)
            if path in taken:
                continue
            found = _SHARD.fullmatch(split_name(name)[0])
            split = found["split"] if found else split_name(name)[0]
            splits[join(folder, split)].append(path)
    for split, paths in splits.items():
        rows: list[_Row] = []
        for path in paths:
            listing.breathe()
            try:
                rows += _rows(listing, path)
            except B100Error as error:
                claimed.unreadable.append(LeftOut(path, error.message))
        if rows:
            claimed.used.update(row.path for row in rows)
            _take(listing, split, rows, claimed)
    return claimed


def _rows(listing: Listing, path: str) -> list[_Row]:
    place = on_disk(listing.root, path)
    kinds = columns(place, path)
    images = [name for name, kind in kinds if kind == "image" and "mask" not in name.casefold()]
    if not images:
        return []
    plain = [name for name, kind in kinds if kind == "plain"]
    found = [
        _Row(path=path, number=number, cells=dict(zip(plain, cells, strict=True)), pictures={})
        for number, *cells in scalar_rows(place, path, plain)
    ]
    for column in images:
        for number, name in picture_paths(place, path, column):
            found[number].pictures[column] = name
    return found


def _take(listing: Listing, split: str, rows: list[_Row], claimed: Claimed) -> None:
    column = columns_of(rows[0].cells).step
    names = [name for row in rows for name in row.pictures]
    turns = {name: int(found[1]) for name in names if (found := TURN.search(name))}
    if column is not None:
        steps = _by_column(split, rows, column, claimed)
    elif len(turns) > 1:
        steps = _by_turn_columns(split, rows, turns)
    else:
        steps = _by_name(split, rows, claimed)
    claimed.runs += runs_of(listing, steps)


def _by_column(split: str, rows: list[_Row], column: str, claimed: Claimed) -> list[RowStep]:
    steps: list[RowStep] = []
    outputs: set[tuple[str, int]] = set()
    inputs: list[RowStep] = []
    for row in rows:
        number = whole(row.cells[column])
        if number is None or number < 0:
            claimed.unused.append(
                LeftOut(shown(row.path, str(row.number)), f"{column} is no step number")
            )
            continue
        who = who_says(row.cells, row.pictures)
        for name in row.pictures:
            source = name.casefold().startswith(_INPUTS) and len(row.pictures) > 1
            step = RowStep(
                group=split,
                who=who,
                step=number - 1 if source else number,
                path=row.path,
                member=member_of(row.number, name),
                said={} if source else told(row.cells),
            )
            if source:
                inputs.append(step)
            else:
                steps.append(step)
                outputs.add((str(who), number))
    for step in inputs:
        if (str(step.who), step.step) not in outputs and step.step >= 0:
            steps.append(step)
            outputs.add((str(step.who), step.step))
    return steps


def _by_turn_columns(split: str, rows: list[_Row], turns: dict[str, int]) -> list[RowStep]:
    steps: list[RowStep] = []
    for index, row in enumerate(rows):
        who = who_says(row.cells, row.pictures) or {"run": str(index)}
        for name in row.pictures:
            number = turns.get(name, 0 if name.casefold().startswith((*_INPUTS, "image")) else None)
            if number is not None:
                member = member_of(row.number, name)
                steps.append(
                    RowStep(
                        group=split, who=who, step=number, path=row.path, member=member, said={}
                    )
                )
    return steps


def _by_name(split: str, rows: list[_Row], claimed: Claimed) -> list[RowStep]:
    """Read the step out of the picture's own name; a repeated number begins the next run."""
    stems = {
        (row.path, row.number, name): split_name(path)[0]
        for row in rows
        for name, path in row.pictures.items()
    }
    groups, _ = group_stems(stems.values())
    number_of = {
        member.stem: (member.step, group.template)
        for group in groups
        if group.how == "word" or len(group.steps) > 2
        for member in group.members
    }
    steps: list[RowStep] = []
    seen: dict[str, set[int]] = defaultdict(set)
    part: dict[str, int] = defaultdict(int)
    for row in rows:
        for name in row.pictures:
            stem = stems[row.path, row.number, name]
            if stem not in number_of:
                claimed.unused.append(
                    LeftOut(
                        shown(row.path, member_of(row.number, name)),
                        "neither a column nor its name tells a step",
                    )
                )
                continue
            step, template = number_of[stem]
            who = who_says(row.cells, row.pictures)
            key = f"{who or template}"
            if step in seen[key] and not who:
                seen[key].clear()
                part[key] += 1
            seen[key].add(step)
            folder = split_path(template)[0]
            group = join(split, folder) if folder or not has_step_word(stem) else split
            steps.append(
                RowStep(
                    group=group,
                    who=who or ({"image": group, "run": str(part[key])} if part[key] else {}),
                    step=step,
                    path=row.path,
                    member=member_of(row.number, name),
                    said=told(row.cells),
                )
            )
    return steps


LAYOUT = Layout(
    name="parquet",
    sign="Parquet files with an image column",
    claim=claim_shards,
)
