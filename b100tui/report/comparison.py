"""Two groups of runs side by side at matched steps, or one table of gaps against an older one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from b100tui.analysis.gaps import STEPS
from b100tui.analysis.groups import Broken, Comparison, Difference, GroupRun, Side, compare
from b100tui.analysis.limit import Tolerance, defaults
from b100tui.model.comparable import mixed
from b100tui.model.errors import StoreError, UsageError
from b100tui.model.records import Run
from b100tui.report.chosen import (
    KINDS,
    chosen_metrics,
    group_of,
    left_out,
    light_steps,
    runs_of,
)
from b100tui.report.drift import kept_signals
from b100tui.report.gap_table import Bounds, GapRow, GapTable, gap_table
from b100tui.report.onsets import onset_table

if TYPE_CHECKING:
    from b100tui.index.store import Index

SAVED = "@"  # a GROUP that begins so is a file with the output of `b100 gaps --json`
NOW = "now"


class GroupSide(Struct, frozen=True, kw_only=True):
    """One group: `metrics` maps a metric id to [mean gap, sd, n], one a step of `steps`."""

    group: str
    runs: int
    steps: tuple[int, ...]
    metrics: dict[str, tuple[tuple[float | None, float | None, int], ...]]
    onset: Broken
    limit: Broken
    usd: float | None
    usd_known: int


class GroupComparison(Struct, frozen=True, kw_only=True):
    """Both groups; `differences` are second minus first with Welch's 95 % interval."""

    reference: int
    steps: tuple[int, ...]
    first: GroupSide
    second: GroupSide
    differences: tuple[Difference, ...]
    open_ranges: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Changed(Struct, frozen=True, kw_only=True):
    """A cell of a gap table that is not what it was."""

    group: str
    metric: str
    step: int
    before: float | None
    after: float | None
    failure_before: bool | None
    failure_after: bool | None


class TableComparison(Struct, frozen=True, kw_only=True):
    """What changed between two gap tables; `new` and `gone` count cells that one of them lacks."""

    cells: int
    changed: tuple[Changed, ...]
    turned: int
    new: int
    gone: int
    notes: tuple[str, ...] = ()


def compare_groups(
    index: "Index",
    first: str,
    second: str,
    *,
    steps: Sequence[int] = STEPS,
    reference: int = 1,
    metrics: str | None = None,
    using: Sequence[Tolerance] | None = None,
) -> GroupComparison:
    """Return the runs that match two filter expressions side by side.

    Raises UsageError where an expression cannot be read or matches no run.
    """
    wanted, aside = chosen_metrics(index, metrics)
    groups: list[list[Run]] = []
    for text in (first, second):
        runs = runs_of(index, text)
        if not runs:
            raise UsageError(f"no run matches {text!r}", "b100 runs --filter EXPR shows what does")
        groups.append(runs)
    names = [metric.id for metric in wanted]
    sides = [_group_runs(index, runs, names, steps, reference, using) for runs in groups]
    found = compare(
        wanted, sides[0], sides[1], steps=tuple(dict.fromkeys(steps)), reference=reference
    )
    notes = [*found.notes, *([aside] if aside else [])]
    for text, runs in zip((first, second), groups, strict=True):
        differ = mixed(runs)
        if differ:
            notes.append(f"runs of {text!r} differ in {', '.join(differ)}")
    return GroupComparison(
        reference=reference,
        steps=found.steps,
        first=_side(first, found, found.first),
        second=_side(second, found, found.second),
        differences=found.differences,
        open_ranges=tuple(
            metric.id
            for metric in wanted
            if any(not cell.normalised for cell in found.first.metrics[metric.id] if cell.n)
        ),
        notes=tuple(notes),
    )


def _side(group: str, whole: Comparison, side: Side) -> GroupSide:
    return GroupSide(
        group=group,
        runs=side.runs,
        steps=whole.steps,
        metrics={
            name: tuple((cell.mean, cell.sd, cell.n) for cell in cells)
            for name, cells in side.metrics.items()
        },
        onset=side.onset,
        limit=side.limit,
        usd=side.usd,
        usd_known=side.usd_known,
    )


def _group_runs(
    index: "Index",
    runs: Sequence[Run],
    metrics: Sequence[str],
    steps: Sequence[int],
    reference: int,
    using: Sequence[Tolerance] | None,
) -> list[GroupRun]:
    ids = [run.run for run in runs]
    known = light_steps(index, ids)
    scores: dict[str, dict[str, dict[int, float | None]]] = {run: {} for run in ids}
    for run, metric, at, values in index.ask(
        'SELECT run, metric, steps, "values" FROM series'
        " WHERE run IN (SELECT unnest(?)) AND metric IN (SELECT unnest(?))",
        [ids, list(metrics)],
    ):
        scores[run][metric] = dict(zip(at, values, strict=True))
    cost: dict[str, float | None] = dict(
        index.ask("SELECT run, cost_usd FROM run_summary WHERE run IN (SELECT unnest(?))", [ids])
    )
    aligned = kept_signals(index, ids, reference)
    tolerances = defaults() if using is None else using
    broke = {
        row.run: row
        for row in onset_table(index, runs, reference=reference, using=using, aligned=aligned)
    }
    return [
        GroupRun(
            run=run.run,
            last=max(known[run.run], default=0),
            onset=broke[run.run].step,
            limit=broke[run.run].limit,
            onset_known=broke[run.run].status != "too_short",
            limit_known=len(broke[run.run].limit_unchecked) < len(tolerances),
            usd=cost.get(run.run),
            scores=scores[run.run],
            left_out=left_out(run, known[run.run], known[run.run], reference),
        )
        for run in runs
    ]


def read_saved(path: Path) -> list[GapRow]:
    """Return the rows of a file that `b100 gaps --json` (or --jsonl) wrote.

    Raises StoreError when it cannot be read, UsageError when it holds something else.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "name a saved table") from error
    try:
        rows: list[dict[str, Any]] = (
            msgspec.json.decode(data)
            if data.lstrip().startswith(b"[")
            else [msgspec.json.decode(line) for line in data.splitlines() if line.strip()]
        )
        return [msgspec.convert({**_OLD, **row}, GapRow) for row in rows]
    except (msgspec.DecodeError, msgspec.ValidationError, TypeError) as error:
        raise UsageError(
            f"{path} is no table of gaps: {error}", "make one: b100 gaps --json > FILE"
        ) from error


_OLD: dict[str, Any] = {"low": None, "high": None, "effect": None, "spread": "", "bound": ""}


def compare_tables(before: Sequence[GapRow], after: Sequence[GapRow]) -> TableComparison:
    """Return the cells that differ by more than 1e-9, those whose failure turned first."""
    old = {(row.group, row.metric, row.step): row for row in before}
    new = {(row.group, row.metric, row.step): row for row in after}
    changed = [
        Changed(
            group=key[0],
            metric=key[1],
            step=key[2],
            before=_gap(old[key]),
            after=_gap(new[key]),
            failure_before=old[key].failure,
            failure_after=new[key].failure,
        )
        for key in old
        if key in new and not _same(old[key], new[key])
    ]
    changed.sort(key=lambda one: one.failure_before == one.failure_after)
    notes = []
    if old and new and not old.keys() & new.keys():
        notes.append("no cell is in both tables: their groups, metrics or steps differ")
    references = {row.reference for row in (*before, *after)}
    if len(references) > 1:
        notes.append(f"the tables rest on different reference steps: {sorted(references)}")
    bounds: dict[str, set[str]] = {}
    for row in (*before, *after):
        if row.bound:
            bounds.setdefault(row.metric, set()).add(row.bound)
    notes += [
        f"{metric} was normalised by different ranges: {', '.join(sorted(ranges))}"
        for metric, ranges in bounds.items()
        if len(ranges) > 1
    ]
    return TableComparison(
        cells=len(old.keys() & new.keys()),
        changed=tuple(changed),
        turned=sum(one.failure_before != one.failure_after for one in changed),
        new=len(new.keys() - old.keys()),
        gone=len(old.keys() - new.keys()),
        notes=tuple(notes),
    )


def table_now(
    index: "Index", like: Sequence[GapRow], *, by: str | None = None, bounds: Bounds | None = None
) -> GapTable:
    """Return today's gaps of the same steps, metrics and reference as a saved table.

    Without `by` they are grouped as the saved ones, told by the names of their groups.
    """
    if not like:
        raise UsageError("the saved table is empty", "make one: b100 gaps --json > FILE")
    return gap_table(
        index,
        steps=tuple(dict.fromkeys(row.step for row in like)),
        reference=like[0].reference,
        by=by or _grouped_by(index, {row.group for row in like}),
        metrics=",".join(dict.fromkeys(row.metric for row in like)),
        bounds=bounds,
    )


def _grouped_by(index: "Index", groups: set[str]) -> str:
    """Return the kind of group that most of the names are of; the first of KINDS in doubt."""
    runs = runs_of(index, None)
    return max(KINDS, key=lambda kind: len(groups & {group_of(run, kind) for run in runs}))


def _gap(row: GapRow) -> float | None:
    return row.gap if row.gap is not None else row.raw_gap


def _same(one: GapRow, other: GapRow) -> bool:
    if one.failure is not other.failure:
        return False
    pairs: Mapping[str, tuple[float | None, float | None]] = {
        "gap": (one.gap, other.gap),
        "raw": (one.raw_gap, other.raw_gap),
    }
    return all(
        (a is None) == (b is None) and (a is None or b is None or abs(a - b) <= 1e-9)
        for a, b in pairs.values()
    )
