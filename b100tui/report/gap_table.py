"""Score gaps of groups of runs, out of the index: the numbers behind Figures 4 to 7 and 10."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from b100tui.analysis.absurd import believable
from b100tui.analysis.gap_columns import Floats, GapCells, GapInput, noises
from b100tui.analysis.gaps import STEPS, Gap, bounded, overlay
from b100tui.model.comparable import mixed
from b100tui.model.metric import Metric
from b100tui.model.records import Run, Step
from b100tui.report.chosen import (
    By,
    Excluded,
    apart,
    chosen_metrics,
    group_of,
    left_out,
    light_steps,
    replicating,
    runs_of,
)

if TYPE_CHECKING:
    from b100tui.index.store import Index

Bounds = Mapping[str, tuple[float | None, float | None]]


class GapRow(Struct, frozen=True, kw_only=True):
    """One cell of a gap table as the command line prints it; see `analysis.gaps.Gap`.

    `low` and `high` are the 95 % interval of the gap, `bound` the range the normalisation used.
    """

    group: str
    metric: str
    reference: int
    step: int
    norm_reference: float | None
    norm_step: float | None
    gap: float | None
    raw_gap: float | None
    sd: float | None
    n: int
    failure: bool | None
    within_noise: bool | None
    coverage: float
    note: str
    low: float | None
    high: float | None
    effect: float | None
    spread: str
    bound: str


class GapTable(Struct, frozen=True, kw_only=True):
    """Every (group, metric, step) cell, with what it rests on.

    `members` maps a group to its run ids; `left_out` names the runs that were not asked for;
    `notes` are sentences about the whole table.
    """

    by: By
    reference: int
    steps: tuple[int, ...]
    groups: tuple[str, ...]
    metrics: tuple[Metric, ...]
    cells: Mapping[tuple[str, str, int], Gap]
    members: dict[str, tuple[str, ...]]
    left_out: tuple[Excluded, ...] = ()
    notes: tuple[str, ...] = ()

    def cell(self, group: str, metric: str, step: int) -> Gap:
        """Return one cell."""
        return self.cells[group, metric, step]

    def failures(self, group: str, metric: str) -> int | None:
        """Return at how many of the steps the gap is positive (Fig. 6); None when unknown."""
        return overlay([self.cells[group, metric, step] for step in self.steps])

    def rows(self) -> list[GapRow]:
        """Return the cells in order of group, metric, step."""
        return [
            gap_row(group, self.cells[group, metric.id, step])
            for group in self.groups
            for metric in self.metrics
            for step in self.steps
        ]


def gap_row(group: str, cell: Gap) -> GapRow:
    """Return a cell under the name of its group."""
    return GapRow(
        group=group,
        metric=cell.metric,
        reference=cell.reference,
        step=cell.step,
        norm_reference=cell.norm_reference,
        norm_step=cell.norm_step,
        gap=cell.gap,
        raw_gap=cell.raw_gap,
        sd=cell.sd,
        n=cell.n,
        failure=cell.failure,
        within_noise=cell.within_noise,
        coverage=cell.coverage,
        note=cell.note,
        low=cell.spread.low,
        high=cell.spread.high,
        effect=cell.effect,
        spread=cell.spread.kind,
        bound=cell.bound,
    )


def gap_table(
    index: "Index",
    filter: str | tuple[str, ...] | None = None,
    *,
    steps: Sequence[int] = STEPS,
    reference: int = 1,
    by: By = "image",
    metrics: str | None = None,
    bounds: Bounds | None = None,
    all_recipes: bool = False,
) -> GapTable:
    """Return the gaps of the runs that match `filter`, averaged over each group.

    `filter` is an expression, or a tuple of run ids.

    Runs whose recipe does not replicate are left out unless `all_recipes`; steps of another
    phase or pixel size than the reference are never averaged in, and the cell says so.
    """
    wanted, aside = chosen_metrics(index, metrics)
    unused = sorted(set(bounds or {}) - {one.id for one in wanted})
    wanted = tuple(bounded(one, *(bounds or {}).get(one.id, (None, None))) for one in wanted)
    runs = runs_of(index, filter)
    kept, excluded = (runs, []) if all_recipes else replicating(runs)
    ordered = tuple(dict.fromkeys(steps))
    members: dict[str, list[Run]] = {}
    for run in kept:
        members.setdefault(group_of(run, by), []).append(run)
    ids = [run.run for run in kept]
    known = light_steps(index, ids, {reference, *ordered})
    placed = [run for many in members.values() for run in many]
    first, later, versions = _scores(index, list(members.values()), wanted, reference, ordered)
    cells = GapCells(
        GapInput(
            groups=tuple(members),
            sizes=tuple(len(many) for many in members.values()),
            metrics=wanted,
            steps=ordered,
            reference=reference,
            first=first,
            later=later,
            left_out=tuple(left_out(run, known[run.run], ordered, reference) for run in placed),
            noise=lambda lone: _noises(index, placed, lone, wanted, reference),
            said={
                (group, metric): both
                for group, alike in enumerate(members.values())
                for differing in (_differing(alike, known, reference),)
                for metric in range(len(wanted))
                if (both := (*differing, *versions.get((group, metric), ())))
            },
        )
    )
    notes = [aside] if aside else []
    notes += [f"bound of {name} not used: no such scores here" for name in unused]
    notes += [
        f"absurd scores of {name} left out of {count} {'cell' if count == 1 else 'cells'}"
        for name, count in cells.absurd().items()
    ]
    if not wanted:
        notes.append("nothing is scored here yet: b100 score --metrics probes begins")
    if not kept:
        notes.append("no run is left to compare")
    return GapTable(
        by=by,
        reference=reference,
        steps=ordered,
        groups=tuple(members),
        metrics=wanted,
        cells=cells,
        members={group: tuple(run.run for run in many) for group, many in members.items()},
        left_out=tuple(excluded),
        notes=tuple(notes),
    )


def _scores(
    index: "Index",
    groups: Sequence[Sequence[Run]],
    metrics: Sequence[Metric],
    reference: int,
    steps: Sequence[int],
) -> tuple[Floats, Floats, dict[tuple[int, int], tuple[str, ...]]]:
    """Return the scores at the reference (R, M) and at `steps` (R, M, S), NaN where missing.

    R counts the runs group by group. Third: (group, metric place) -> the note that several
    versions of the metric are held against each other there.
    """
    runs = [run.run for many in groups for run in many]
    asked = sorted({reference, *steps})
    found = index.columns(_sql("gap_scores.sql"), [runs, [one.id for one in metrics], asked])
    whole = np.full((len(runs), len(metrics), len(asked)), np.nan)
    at = found["run"], found["metric"], np.searchsorted(asked, found["step"])
    whole[at] = found["value"]
    several: dict[tuple[int, int], tuple[str, ...]] = {}
    version = np.where(np.isnan(found["value"]), 0, found["version"])
    if len(np.unique(version[version > 0])) > 1:
        owner = np.repeat(np.arange(len(groups)), [len(many) for many in groups])[found["run"]]
        kinds: dict[tuple[int, int], set[int]] = {}
        for place in zip(owner.tolist(), found["metric"].tolist(), version.tolist(), strict=True):
            if place[2]:
                kinds.setdefault(place[:2], set()).add(place[2])
        several = {
            place: (f"{len(many)} versions of the metric",)
            for place, many in kinds.items()
            if len(many) > 1
        }
    places = [asked.index(step) for step in steps]
    return whole[:, :, asked.index(reference)], whole[:, :, places], several


def _noises(
    index: "Index",
    runs: Sequence[Run],
    lone: Sequence[int],
    metrics: Sequence[Metric],
    reference: int,
) -> Floats:
    """Return the sd of one step's random part (R, M) of the runs at the places `lone`, else NaN.

    Steps that may not be compared with the reference are left out, and absurd scores.
    """
    some = [runs[place] for place in lone]
    found = index.columns(
        _sql("gap_series.sql"),
        [[run.run for run in some], [one.id for one in metrics], len(metrics)],
    )
    key, step, value = found["key"], found["step"], found["value"]
    # By key, so that no place has to be worked out for each of a million values.
    low, high = np.tile(np.array([believable(one) for one in metrics]).T, len(some))
    use = (low[key] <= value) & (value <= high[key])
    if len(step) and int(step.min()) < reference:
        use &= step >= reference
    odd = apart(index, some, reference)
    for place, one in enumerate(some):
        if steps := odd.get(one.run):
            use &= (key // len(metrics) != place) | ~np.isin(step, steps)
    if not use.all():
        key, step, value = key[use], step[use], value[use]
    same = key[1:] == key[:-1]
    series = np.count_nonzero(np.bincount(key)) if len(key) else 0
    if np.count_nonzero(~same) + 1 > series or (np.diff(step)[same] < 0).any():
        order = np.lexsort((step, key))
        key, value = key[order], value[order]
    out = np.full((len(runs), len(metrics)), np.nan)
    rows = len(some) * len(metrics)
    out[list(lone)] = noises(key, value, rows).reshape(len(some), len(metrics))
    return out


@cache
def _sql(name: str) -> str:
    return files("b100tui.report").joinpath(name).read_text(encoding="utf-8")


def _differing(
    runs: Sequence[Run], known: Mapping[str, Mapping[int, Step]], reference: int
) -> tuple[str, ...]:
    """Return what the runs of one group do not have in common."""
    fields = list(mixed(runs)) if len(runs) > 1 else []
    bases = [known[run.run].get(reference) for run in runs]
    sizes = {(one.width, one.height) for one in bases if one is not None and one.width}
    if len(sizes) > 1:
        fields.append("pixel size")
    return (f"runs differ in {', '.join(fields)}",) if fields else ()
