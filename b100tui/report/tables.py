"""The tables of the report: the paper's Tables 1 and 2, first-yes, and what analysis adds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, structs

from b100tui.analysis.agreement import agreement
from b100tui.analysis.firstyes import FirstYes, first_yes, run_yes
from b100tui.analysis.notice import Alarm, Broke, Notice, alarm, notice, ranked, when_broken
from b100tui.metrics import registry
from b100tui.model.metric import Metric
from b100tui.model.records import Run
from b100tui.report.chosen import group_of, metric_of
from b100tui.report.curves import Curve
from b100tui.report.gap_table import GapTable
from b100tui.report.lies import accusable
from b100tui.report.onsets import OnsetRow, signals_of

if TYPE_CHECKING:
    from b100tui.index.store import Index

Kind = Literal["text", "int", "float", "bool"]


class Table(Struct, frozen=True, kw_only=True):
    """A table ready to be written: columns with their kind, rows in that order, notes under it."""

    name: str
    title: str
    columns: tuple[tuple[str, Kind], ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()


def initial_images(index: "Index", runs: Sequence[Run]) -> Table:
    """Return Table 1: the initial images, their size and what was made of them."""
    rows = index.ask(
        "SELECT r.image, arg_min(s.width, s.step), arg_min(s.height, s.step), min(s.step),"
        " count(DISTINCT r.run), count(DISTINCT r.setting), count(*),"
        " string_agg(DISTINCT r.editor, ', ' ORDER BY r.editor)"
        " FROM run r JOIN step s ON s.run = r.run AND s.status = 'ok'"
        " WHERE r.run IN (SELECT unnest(?)) GROUP BY r.image ORDER BY r.image",
        [[run.run for run in runs]],
    )
    later = any(first > 0 for _, _, _, first, *_ in rows)
    return Table(
        name="table-1",
        title="Initial images",
        columns=(
            *(("image", "text"), ("width", "int"), ("height", "int"), ("size_of_step", "int")),
            *(("runs", "int"), ("settings", "int"), ("steps", "int"), ("editors", "text")),
        ),
        rows=tuple(tuple(row) for row in rows),
        notes=("where step 0 is absent the size is that of the first step there is",)
        if later
        else (),
    )


def metric_table(index: "Index", metrics: Sequence[Metric], runs: Sequence[Run]) -> Table:
    """Return Table 2: the metrics with their typical range, direction and how much is scored."""
    counts = dict(
        index.ask(
            "SELECT metric, count(value) FROM score WHERE run IN (SELECT unnest(?))"
            " GROUP BY metric",
            [[run.run for run in runs]],
        )
    )
    ((steps,),) = index.ask(
        "SELECT count(*) FROM step WHERE status = 'ok' AND run IN (SELECT unnest(?))",
        [[run.run for run in runs]],
    )
    rows = tuple(
        (
            *(one.name, one.low, one.high, one.direction, one.backend, counts.get(one.id, 0)),
            counts.get(one.id, 0) / steps if steps else None,
            one.range_source,
        )
        for one in metrics
    )
    return Table(
        name="table-2",
        title="Metrics",
        columns=(
            *(("metric", "text"), ("low", "float"), ("high", "float"), ("direction", "text")),
            *(("backend", "text"), ("scores", "int"), ("coverage", "float"), ("range", "text")),
        ),
        rows=rows,
        notes=("an empty bound is an open end of the typical range; scores are never clipped",),
    )


def first_yes_by(
    index: "Index", runs: Sequence[Run], *, sustained: bool = False
) -> dict[tuple[str, str], FirstYes]:
    """Return (image and setting, judge) -> when the judge first says yes."""
    setting_of = {run.run: group_of(run, "setting") for run in runs}
    said: dict[tuple[str, str], dict[str, dict[int, str | None]]] = {}
    for run, step, verdict, model in index.ask(
        "SELECT run, step, verdict, model FROM verdict WHERE run IN (SELECT unnest(?))"
        " ORDER BY model, run, step",
        [list(setting_of)],
    ):
        group = said.setdefault((setting_of[run], model), {})
        group.setdefault(run, {})[step] = verdict
    return {
        key: first_yes(
            [run_yes(run, verdicts) for run, verdicts in sorted(group.items())],
            sustained=sustained,
        )
        for key, group in sorted(said.items())
    }


def first_yes_table(index: "Index", runs: Sequence[Run]) -> Table:
    """Return the first-yes table of section 4.3, runs that never say yes counted as censored."""
    plain, held = (first_yes_by(index, runs, sustained=kept) for kept in (False, True))
    rows = tuple(
        (
            *(setting, judge, one.n, one.censored, one.median, one.restricted_mean, one.horizon),
            *(one.mean, one.sd, held[setting, judge].median, one.coverage),
            sum(run.isolated for run in one.runs),
        )
        for (setting, judge), one in plain.items()
    )
    return Table(
        name="table-first-yes",
        title="First step at which the judge finds the damage mentioned",
        columns=(
            *(("setting", "text"), ("judge", "text"), ("n", "int"), ("censored", "int")),
            *(("median", "float"), ("restricted_mean", "float"), ("horizon", "int")),
            *(("mean", "float"), ("sd", "float"), ("median_sustained", "float")),
            *(("coverage", "float"), ("isolated", "int")),
        ),
        rows=rows,
        notes=(
            "median and restricted mean: Kaplan-Meier; mean and sd only where no run is censored",
            "isolated: runs whose first yes is followed by a no",
        ),
    )


def gap_rows(table: GapTable) -> Table:
    """Return the cells of a gap table, the data of Figures 5 and 6."""
    return Table(
        name="gaps",
        title=f"Score gaps against step {table.reference}",
        columns=(
            *(("group", "text"), ("metric", "text"), ("step", "int"), ("gap", "float")),
            *(("raw_gap", "float"), ("sd", "float"), ("n", "int"), ("low", "float")),
            *(("high", "float"), ("failure", "bool"), ("within_noise", "bool")),
            *(("coverage", "float"), ("bound", "text"), ("note", "text")),
        ),
        rows=tuple(
            (
                *(row.group, row.metric, row.step, row.gap, row.raw_gap, row.sd, row.n, row.low),
                *(row.high, row.failure, row.within_noise, row.coverage, row.bound, row.note),
            )
            for row in table.rows()
        ),
    )


def joined_gaps(tables: Mapping[str, GapTable]) -> Table:
    """Return the cells of several tables, the group named with its table."""
    many = [(name, gap_rows(table)) for name, table in tables.items()]
    return Table(
        name="gaps",
        title="Score gaps by editor",
        columns=(("editor", "text"), *many[0][1].columns),
        rows=tuple((name, *row) for name, table in many for row in table.rows),
    )


def curve_rows(curves: Sequence[Curve]) -> Table:
    """Return curves as rows, one a step."""
    return Table(
        name="curves",
        title="Scores over steps",
        columns=(
            *(("group", "text"), ("metric", "text"), ("step", "int"), ("n", "int")),
            *(("normalised", "bool"), ("mean", "float"), ("sd", "float"), ("gap", "float")),
            ("gap_sd", "float"),
        ),
        rows=tuple(
            (one.group, one.metric, step, n, one.normalised, mean, sd, gap, gap_sd)
            for one in curves
            for step, n, mean, sd, gap, gap_sd in zip(
                one.steps, one.n, one.mean, one.sd, one.gap, one.gap_sd, strict=True
            )
        ),
    )


def onset_rows(rows: Sequence[OnsetRow]) -> Table:
    """Return when each run began to change and became bad."""
    return Table(
        name="table-onset",
        title="Onset and limit",
        columns=(
            *(("run", "text"), ("status", "text"), ("onset", "int"), ("low", "int")),
            *(("high", "int"), ("signals", "text"), ("limit", "int"), ("limit_by", "text")),
            *(("marked", "int"), ("note", "text")),
        ),
        rows=tuple(
            (
                *(row.run, row.status, row.step, row.low, row.high, ", ".join(row.consensus)),
                *(row.limit, row.limit_by, row.marked, row.reason),
            )
            for row in rows
        ),
    )


def notices(
    index: "Index", runs: Sequence[Run], onsets: Sequence[OnsetRow], reference: int = 1
) -> tuple[Notice, ...]:
    """Return which metric noticed first, held against marks, else limit, else onset."""
    truth: dict[str, Broke] = {
        row.run: when_broken(
            [] if row.marked is None else [row.marked], row.limit, row.step, reference=reference
        )
        for row in onsets
    }
    metrics = accusable(index, None)
    alarms: dict[str, list[Alarm]] = {metric.id: [] for metric in metrics}
    for one in signals_of(index, runs, reference=reference):
        if not one.comparable:
            continue
        for metric in metrics:
            values = one.signals.get(metric.id)
            if values:
                found = alarm(metric, one.run.run, values, reference=reference)
                wrong = len(one.absurd.get(metric.id, ()))
                alarms[metric.id].append(structs.replace(found, absurd=found.absurd + wrong))
    return ranked([notice(name, found, truth) for name, found in alarms.items() if found])


def notice_table(found: Sequence[Notice]) -> Table:
    """Return the ranking of metrics, first to notice first."""
    return Table(
        name="table-notice",
        title="First to notice",
        columns=(
            *(("metric", "text"), ("delay", "float"), ("caught", "int"), ("broken", "int")),
            *(("false_alarms", "int"), ("clean", "int"), ("unusable", "int"), ("truth", "text")),
        ),
        rows=tuple(
            (
                *(one.metric, one.delay, one.caught, one.broken, one.false_alarms, one.clean),
                *(one.unusable, ", ".join(f"{by} {n}" for by, n in sorted(one.truth.items()))),
            )
            for one in found
        ),
        notes=(
            "delay: median steps from the break (marks, else limit, else onset) to the alarm",
            *_left_out({one.metric: one.absurd for one in found if one.absurd}),
        ),
    )


def agreement_table(index: "Index", runs: Sequence[Run], method: Any = "spearman") -> Table:
    """Return the rank correlation of every pair of metrics over all steps of the runs."""
    metrics = accusable(index, None)
    at: dict[tuple[str, int], int] = {}
    values: dict[str, list[float | None]] = {metric.id: [] for metric in metrics}
    rows = index.ask(
        "SELECT metric, run, step, value FROM score WHERE value IS NOT NULL"
        " AND run IN (SELECT unnest(?)) AND metric IN (SELECT unnest(?)) ORDER BY run, step",
        [[run.run for run in runs], list(values)],
    )
    for _, run, step, _ in rows:
        at.setdefault((run, step), len(at))
    values = {name: [None] * len(at) for name in values}
    for metric, run, step, value in rows:
        values[metric][at[run, step]] = value
    found = agreement(metrics, values, method=method)
    return Table(
        name="table-agreement",
        title=f"Agreement of metrics ({method})",
        columns=(
            *(("metric", "text"), ("other", "text"), ("correlation", "float")),
            *(("n", "int"), ("coverage", "float")),
        ),
        rows=tuple(
            (one, other, found.values[i][j], found.n[i][j], found.coverage[i][j])
            for i, one in enumerate(found.metrics)
            for j, other in enumerate(found.metrics)
            if i < j
        ),
        notes=("scores are turned so that higher is better", *_left_out(found.absurd)),
    )


def _left_out(absurd: Mapping[str, int]) -> tuple[str, ...]:
    named = ", ".join(f"{name} ({count})" for name, count in absurd.items())
    return (f"absurd scores left out: {named}",) if named else ()


def shown_metrics(index: "Index") -> tuple[Metric, ...]:
    """Return the metrics with values, in the order of the registry."""
    have = index.metrics()
    listed = [one for one in registry.metrics() if one.id in have]
    listed += [metric_of(name) for name in sorted(have - {one.id for one in listed})]
    return tuple(listed)
