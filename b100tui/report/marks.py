"""Human marks: the failure modes, writing and taking back, merging, agreement, blind order."""

import getpass
import os
import random
import re
import uuid
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from b100tui.analysis.kappa import Kappa, cohens_kappa
from b100tui.model.errors import B100Error, StoreError, UsageError
from b100tui.model.records import MarkRecord
from b100tui.model.scan import LeftOut
from b100tui.model.text import clean, clean_line
from b100tui.workspace.parts import PartWriter, part_files, read_part
from b100tui.workspace.places import workspace_dir, workspace_dirs

Level = Literal["sub-object", "object", "image", "tag"]
Region = tuple[int, int, int, int]
Judged = dict[Hashable, Hashable]  # item -> category
OWN = "tag:"
_OWN_TAG = re.compile(r"tag:[a-z0-9][a-z0-9-]{0,39}")


class Mode(Struct, frozen=True, kw_only=True):
    """One failure mode or tag. `key` picks it once its `level` is chosen."""

    id: str
    level: Level
    name: str
    key: str
    about: str


class MarkError(B100Error):
    """A mark cannot be set or taken back."""


class Agreement(Struct, frozen=True, kw_only=True):
    """Cohen's kappa of two annotators. `unit` says what an item is.

    "run": did they see this mode anywhere in the run; "step": which mode they gave to a step
    that both marked. `mode` is None where all modes count together.
    """

    one: str
    other: str
    unit: Literal["run", "step"]
    mode: str | None
    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    reason: str = ""


@cache
def modes() -> tuple[Mode, ...]:
    """Return the paper's failure modes and the tags, in order of level."""
    text = files("b100tui.report").joinpath("marks.toml").read_text(encoding="utf-8")
    rows = msgspec.toml.decode(text, type=dict[str, dict[str, str]])
    return tuple(msgspec.convert({**row, "id": name}, Mode) for name, row in rows.items())


def mode_id(text: str) -> str:
    """Return the id of the mode meant; own tags are written tag:word.

    Raises UsageError naming the nearest ones.
    """
    plain = re.sub(r"[\s_]+", "-", clean_line(text).casefold())
    if _OWN_TAG.fullmatch(plain):
        return plain
    names = {one.id: one.id for one in modes()}
    names |= {re.sub(r"[\s,]+", "-", one.name): one.id for one in modes()}
    if plain in names:
        return names[plain]
    import difflib

    near = difflib.get_close_matches(plain, list(names), 3)
    known = ", ".join(one.id for one in modes())
    hint = f"did you mean {', '.join(near)}?" if near else f"one of {known}."
    raise UsageError(f"no failure mode {clean_line(text)!r}", f"{hint} Own tags: tag:word")


def annotator() -> str:
    """Return who marks: B100_ANNOTATOR, else the user's name."""
    given = os.environ.get("B100_ANNOTATOR")
    if given:
        return clean_line(given)
    try:
        return clean_line(getpass.getuser())
    except (KeyError, OSError):
        return "unknown"


def new_mark(
    run: str,
    step: int,
    mode: str,
    *,
    by: str = "",
    region: Region | None = None,
    note: str = "",
    blind: bool = False,
) -> MarkRecord:
    """Return a mark with an id and the time; nothing is written yet."""
    return MarkRecord(
        id=uuid.uuid4().hex[:16],
        run=run,
        step=step,
        mode=mode_id(mode),
        by=clean_line(by) or annotator(),
        time=datetime.now(UTC).isoformat(timespec="microseconds"),
        region=region,
        note=clean(note) or None,
        blind=blind,
    )


def undoing(mark: MarkRecord, by: str = "") -> MarkRecord:
    """Return the counter-record that takes a mark back."""
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    return msgspec.structs.replace(
        mark, by=clean_line(by) or annotator(), time=now, undo=True, note=None
    )


def write_marks(root: Path, *records: MarkRecord) -> None:
    """Append marks durably to a part of their own; StoreError when that fails."""
    writer = PartWriter(workspace_dir(root) / "marks")
    try:
        writer.append(*records)
    finally:
        writer.close()


def all_marks(root: Path) -> list[MarkRecord]:
    """Return every mark that was not taken back, straight from the parts, oldest first."""
    kept: dict[str, MarkRecord] = {}
    gone: set[str] = set()
    for path in part_files(workspace_dirs(root), "marks"):
        for record, _ in read_part(path, MarkRecord):
            if isinstance(record, LeftOut):
                continue
            if record.undo:
                gone.add(record.id)
            else:
                kept.setdefault(record.id, record)
    return sorted(
        (one for one in kept.values() if one.id not in gone), key=lambda one: (one.time, one.id)
    )


def take_back(root: Path, id: str, by: str = "") -> MarkRecord:
    """Take back the mark with this id (or a unique beginning of it); return the counter-record."""
    found = [one for one in all_marks(root) if one.id.startswith(id)] if id else []
    if len(found) != 1:
        many = "several marks begin" if found else "no mark begins"
        raise MarkError(f"{many} with {clean_line(id)!r}", "b100 marks lists the ids")
    record = undoing(found[0], by)
    write_marks(root, record)
    return record


def merge(root: Path, path: Path) -> tuple[int, list[LeftOut]]:
    """Take over the marks of a part file of another workspace; return how many were new.

    Records are known by id, so merging twice changes nothing. Raises StoreError when the file
    cannot be read.
    """
    known = {
        (record.id, record.undo)
        for part in part_files(workspace_dirs(root), "marks")
        for record, _ in read_part(part, MarkRecord)
        if isinstance(record, MarkRecord)
    }
    fresh: list[MarkRecord] = []
    bad: list[LeftOut] = []
    try:
        for record, _ in read_part(path, MarkRecord):
            if isinstance(record, LeftOut):
                bad.append(record)
            elif (record.id, record.undo) not in known:
                known.add((record.id, record.undo))
                fresh.append(record)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "name a marks .jsonl") from error
    if fresh:
        write_marks(root, *fresh)
    return len(fresh), bad


def agreements(marks: Sequence[MarkRecord]) -> list[Agreement]:
    """Return the agreement of every two annotators over the runs that both worked on."""
    by: dict[str, list[MarkRecord]] = {}
    for mark in marks:
        by.setdefault(mark.by, []).append(mark)
    out: list[Agreement] = []
    for one, other in combinations(sorted(by), 2):
        first, second = by[one], by[other]
        runs = sorted({m.run for m in first} & {m.run for m in second})
        seen = sorted({m.mode for m in (*first, *second) if m.run in runs})
        everything: list[tuple[Judged, Judged]] = []
        for mode in seen:
            pair = (_saw(first, runs, mode), _saw(second, runs, mode))
            everything.append(pair)
            out.append(_agreement(one, other, "run", mode, cohens_kappa(*pair)))
        whole: list[Judged] = [
            {(at, run): pair[side][run] for at, pair in enumerate(everything) for run in runs}
            for side in (0, 1)
        ]
        out.append(_agreement(one, other, "run", None, cohens_kappa(whole[0], whole[1])))
        out.append(
            _agreement(one, other, "step", None, cohens_kappa(_by_step(first), _by_step(second)))
        )
    return out


def blind_order(steps: Iterable[int], seed: int) -> list[int]:
    """Return the steps in an order that gives nothing away; the same seed, the same order."""
    order = sorted(set(steps))
    random.Random(seed).shuffle(order)
    return order


def _saw(marks: Sequence[MarkRecord], runs: Sequence[str], mode: str) -> Judged:
    have = {mark.run for mark in marks if mark.mode == mode}
    return {run: run in have for run in runs}


def _by_step(marks: Sequence[MarkRecord]) -> Judged:
    found: dict[tuple[str, int], set[str]] = {}
    for mark in marks:
        found.setdefault((mark.run, mark.step), set()).add(mark.mode)
    return {place: tuple(sorted(names)) for place, names in found.items()}


def _agreement(
    one: str, other: str, unit: Literal["run", "step"], mode: str | None, found: Kappa
) -> Agreement:
    return Agreement(
        one=one,
        other=other,
        unit=unit,
        mode=mode,
        n=found.n,
        observed=found.observed,
        expected=found.expected,
        kappa=found.kappa,
        reason=found.reason,
    )
