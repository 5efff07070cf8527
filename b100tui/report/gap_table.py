"""Score gaps of groups of runs, out of the index: the numbers behind Figures 4 to 7 and 10."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from msgspec import Struct

from b100tui.analysis.gaps import STEPS, Gap, RunScores, bounded, overlay, score_gap
from b100tui.model.comparable import mixed
from b100tui.model.metric import Metric
from b100tui.model.records import Run, Step
from b100tui.report.chosen import (
    By,
    Excluded,
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
Scores = dict[str, dict[str, dict[int, float | None]]]  # metric -> run -> step -> raw value


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
    cells: dict[tuple[str, str, int], Gap]
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
    scores, versions = _scores(index, ids, wanted, {reference, *ordered})
    noises = _noises(index, _lone(scores, members, wanted, ordered, reference), wanted, reference)
    out = {run.run: left_out(run, known[run.run], ordered, reference) for run in kept}
    cells: dict[tuple[str, str, int], Gap] = {}
    for group, many in members.items():
        said = _differing(many, known, reference)
        for metric in wanted:
            of_metric = scores.get(metric.id, {})
            held = [
                RunScores(
                    run=run.run,
                    values=of_metric.get(run.run, {}),
                    left_out=out[run.run],
                    noise=noises.get((run.run, metric.id)),
                )
                for run in many
            ]
            several = _several_versions(many, versions.get(metric.id, {}))
            for step in ordered:
                cell = score_gap(metric, held, step, reference=reference)
                cells[group, metric.id, step] = _with_note(cell, (*said, *several))
    notes = [aside] if aside else []
    notes += [f"bound of {name} not used: no such scores here" for name in unused]
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
    index: "Index", runs: Sequence[str], metrics: Sequence[Metric], steps: set[int]
) -> tuple[Scores, dict[str, dict[str, str]]]:
    """Return the scores at `steps`, and metric -> run -> metric version."""
    found: Scores = {metric.id: {} for metric in metrics}
    versions: dict[str, dict[str, str]] = {metric.id: {} for metric in metrics}
    rows = index.ask(
        "SELECT metric, run, step, value, metric_version FROM score"
        " WHERE metric IN (SELECT unnest(?)) AND step IN (SELECT unnest(?))"
        " AND run IN (SELECT unnest(?))",
        [[metric.id for metric in metrics], sorted(steps), list(runs)],
    )
    for metric, run, step, value, version in rows:
        found[metric].setdefault(run, {})[step] = value
        if value is not None:
            versions[metric].setdefault(run, version or "")
    return found, versions


def _lone(
    scores: Scores,
    members: Mapping[str, Sequence[Run]],
    metrics: Sequence[Metric],
    steps: Sequence[int],
    reference: int,
) -> list[Run]:
    """Return the runs that stand alone in some cell: their own noise is all the spread there is."""
    lone: dict[str, Run] = {}
    for many in members.values():
        for metric in metrics:
            of_metric = scores[metric.id]
            based = [run for run in many if of_metric.get(run.run, {}).get(reference) is not None]
            for step in steps:
                both = [run for run in based if of_metric[run.run].get(step) is not None]
                if len(both) == 1:
                    lone[both[0].run] = both[0]
    return list(lone.values())


def _noises(
    index: "Index", runs: Sequence[Run], metrics: Sequence[Metric], reference: int
) -> dict[tuple[str, str], float]:
    """Return (run, metric) -> the sd of one step's random part, as `analysis.gaps.noise_of`.

    Steps that may not be compared with the reference are left out; below three values there
    is no entry.
    """
    if not runs:
        return {}
    ids = [run.run for run in runs]
    known = light_steps(index, ids)
    apart = [list(left_out(run, known[run.run], known[run.run], reference)) for run in runs]
    sql = files("b100tui.report").joinpath("lone_noise.sql").read_text(encoding="utf-8")
    rows = index.ask(sql, [ids, apart, reference, [metric.id for metric in metrics]])
    return {(run, metric): noise for run, metric, noise in rows}


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


def _several_versions(runs: Sequence[Run], versions: Mapping[str, str]) -> tuple[str, ...]:
    many = {versions[run.run] for run in runs if run.run in versions}
    return (f"{len(many)} versions of the metric",) if len(many) > 1 else ()


def _with_note(cell: Gap, said: Sequence[str]) -> Gap:
    if not said:
        return cell
    import msgspec

    note = "; ".join((*((cell.note,) if cell.note else ()), *said))
    return msgspec.structs.replace(cell, note=note)
