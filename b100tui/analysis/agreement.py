"""Do metrics agree: rank correlations of every pair, with how much each rests on."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from b100tui.analysis.absurd import believable
from b100tui.model.metric import Metric

Method = Literal["spearman", "kendall"]
FEWEST = 5  # common steps below which a rank correlation says nothing


class Agreement(Struct, frozen=True, kw_only=True):
    """Matrices in the order of `metrics`: correlation (None where not defined), n, coverage.

    Scores are turned so that higher is better; a metric of unknown direction is taken as it
    is and named in `unturned`. Coverage is the share of all steps that both metrics scored.
    `absurd` counts by metric the scores left out as such.
    """

    method: Method
    metrics: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    n: tuple[tuple[int, ...], ...]
    coverage: tuple[tuple[float, ...], ...]
    unturned: tuple[str, ...] = ()
    absurd: dict[str, int] = {}


def agreement(
    metrics: Sequence[Metric],
    scores: Mapping[str, Sequence[float | None]],
    *,
    method: Method = "spearman",
) -> Agreement:
    """Return the agreement of every pair over the same list of steps.

    `scores` maps a metric id to one value a step, all of one length. Ties are handled as
    usual: average ranks, Kendall's tau b.
    """
    length = max((len(values) for values in scores.values()), default=0)
    table = np.full((len(metrics), length), np.nan)
    absurd: dict[str, int] = {}
    for row, metric in enumerate(metrics):
        values = [np.nan if v is None else v for v in scores.get(metric.id, ())]
        plain = np.array(values, dtype=np.float64)
        low, high = believable(metric)
        sane = (low <= plain) & (plain <= high)
        if wrong := int(np.sum(~sane & ~np.isnan(plain))):
            absurd[metric.id] = wrong
        turned = plain * (-1.0 if metric.direction == "lower" else 1.0)
        table[row, : len(turned)] = np.where(sane, turned, np.nan)
    have = np.isfinite(table)
    count = len(metrics)
    values_out: list[list[float | None]] = [[None] * count for _ in range(count)]
    common = have.astype(np.int64) @ have.astype(np.int64).T
    for one in range(count):
        for other in range(one, count):
            both = have[one] & have[other]
            value = _rank_correlation(table[one, both], table[other, both], method)
            values_out[one][other] = values_out[other][one] = value
    share = common / length if length else np.zeros_like(common, dtype=np.float64)
    return Agreement(
        method=method,
        metrics=tuple(metric.id for metric in metrics),
        values=tuple(tuple(row) for row in values_out),
        n=tuple(tuple(int(v) for v in row) for row in common),
        coverage=tuple(tuple(float(v) for v in row) for row in share),
        unturned=tuple(metric.id for metric in metrics if metric.direction == "unknown"),
        absurd=absurd,
    )


def _rank_correlation(
    one: np.ndarray[tuple[int], np.dtype[np.float64]],
    other: np.ndarray[tuple[int], np.dtype[np.float64]],
    method: Method,
) -> float | None:
    from scipy import stats

    if len(one) < FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    if method == "kendall":
        return float(stats.kendalltau(one, other).statistic)
    ranks = np.corrcoef(stats.rankdata(one), stats.rankdata(other))
    return float(np.clip(ranks[0, 1], -1.0, 1.0))
