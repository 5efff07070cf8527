"""Scores over steps, averaged over the runs of each group: the numbers of Figures 4 and 7."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.analysis.absurd import believable
from b100tui.model.metric import Metric
from b100tui.report.chosen import left_out, light_steps, runs_named
from b100tui.report.gap_table import GapTable

if TYPE_CHECKING:
    from b100tui.index.store import Index

Floats = NDArray[np.float64]


class Curve(Struct, frozen=True, kw_only=True):
    """One metric over the steps of one group; all tuples have one entry a step.

    `mean` and `sd` (ddof 1, None for one run) are of the normalised score, or of the raw score
    where the range is open (`normalised` False); `gap` is the mean gap to the reference step
    with the sign "positive = scored better", `gap_sd` its sd over runs; None where unknown.
    """

    group: str
    metric: str
    normalised: bool
    steps: tuple[int, ...]
    n: tuple[int, ...]
    mean: tuple[float, ...]
    sd: tuple[float | None, ...]
    gap: tuple[float | None, ...]
    gap_sd: tuple[float | None, ...]


def curves(index: "Index", table: GapTable, metrics: Sequence[Metric] | None = None) -> list[Curve]:
    """Return the curves of the groups and metrics of a gap table, from its reference step on."""
    wanted = table.metrics if metrics is None else tuple(metrics)
    ids = [run for many in table.members.values() for run in many]
    group_of = {run: group for group, many in table.members.items() for run in many}
    known = light_steps(index, ids)
    apart = {
        run.run: left_out(run, known[run.run], known[run.run], table.reference)
        for run in runs_named(index, ids)
    }
    last = max((max(steps, default=0) for steps in known.values()), default=0)
    width = min(last, _LONGEST) - table.reference + 1
    held: dict[tuple[str, str], list[Floats]] = {}
    for run, metric, at, values in index.ask(
        'SELECT run, metric, steps, "values" FROM series'
        " WHERE run IN (SELECT unnest(?)) AND metric IN (SELECT unnest(?)) ORDER BY run, metric",
        [ids, [metric.id for metric in wanted]],
    ):
        row = np.full(max(width, 0), np.nan)
        out = apart.get(run, {})
        for step, value in zip(at, values, strict=True):
            place = step - table.reference
            if 0 <= place < width and step not in out:
                row[place] = value
        held.setdefault((group_of[run], metric), []).append(row)
    found = []
    for group in table.groups:
        for metric in wanted:
            rows = held.get((group, metric.id))
            if rows:
                curve = _curve(group, metric, np.array(rows), table.reference)
                if curve is not None:
                    found.append(curve)
    return found


_LONGEST = 100_000


def _curve(
    group: str,
    metric: Metric,
    raw: Floats,
    reference: int,
) -> Curve | None:
    low, high = believable(metric)
    raw = np.where((low <= raw) & (raw <= high), raw, np.nan)
    closed = (
        metric.low is not None
        and metric.high is not None
        and metric.high != metric.low
        and metric.direction != "unknown"
    )
    values = raw
    if closed and metric.low is not None and metric.high is not None:
        values = 100.0 * (raw - metric.low) / (metric.high - metric.low)
        if metric.direction == "lower":
            values = 100.0 - values
    better = -1.0 if not closed and metric.direction == "lower" else 1.0
    gaps = better * (values - values[:, :1])
    n = np.isfinite(values).sum(axis=0)
    at = np.flatnonzero(n)
    if not len(at):
        return None
    directed = metric.direction != "unknown"
    mean, sd = _mean_sd(values)
    gap, gap_sd = _mean_sd(gaps)
    return Curve(
        group=group,
        metric=metric.id,
        normalised=closed,
        steps=tuple(int(place) + reference for place in at),
        n=tuple(int(n[place]) for place in at),
        mean=tuple(float(mean[place]) for place in at),
        sd=tuple(_known(sd[place]) for place in at),
        gap=tuple(_known(gap[place]) if directed else None for place in at),
        gap_sd=tuple(_known(gap_sd[place]) if directed else None for place in at),
    )


def _mean_sd(
    rows: Floats,
) -> tuple[Floats, Floats]:
    have = np.isfinite(rows)
    n = have.sum(axis=0)
    total = np.where(have, rows, 0.0).sum(axis=0)
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    spread = (np.where(have, rows - mean, 0.0) ** 2).sum(axis=0)
    sd = np.where(n > 1, np.sqrt(spread / np.maximum(n - 1, 1)), np.nan)
    return mean, sd


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
