"""Normalised score gaps, failures and their repeat spread (paper, section 4.1).

Normalised score 100 (x - low) / (high - low), reversed where lower is better and never
clipped; gap = normalised score of a step minus that of the reference step. A failure is a
positive direction-corrected raw gap on a trajectory that degrades: it needs a direction, not
a range. All in double precision; a missing score gives None and lower coverage, never zero.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

import numpy as np
from msgspec import UNSET, Struct, UnsetType, structs
from scipy import special

from b100tui.analysis.absurd import is_absurd
from b100tui.model.metric import Metric, normalised

SpreadKind = Literal["runs", "estimate", "none"]
STEPS = (5, 10, 20)
CONFIDENCE = 0.95
NORMAL = float(special.ndtri(0.5 + CONFIDENCE / 2))


class RunScores(Struct, frozen=True, kw_only=True, gc=False):
    """The scores of one metric in one run: step to raw value; None or absent is missing.

    `left_out` names steps that may not be compared with the reference, and why
    (model/comparable.py). `noise` is the sd of one step's random part where the caller knows it
    (None: it cannot be told); else it is measured from `values`, which must then be the whole
    series.
    """

    run: str
    values: Mapping[int, float | None]
    left_out: Mapping[int, str] = {}
    noise: float | UnsetType | None = UNSET


class Spread(Struct, frozen=True, kw_only=True, gc=False):
    """How far a gap wanders by itself, in the unit of the gap.

    kind "runs": sample sd (ddof 1) of the gap over `n` runs and the t interval of its mean;
    "estimate": one run only, so the MAD of first differences grown with the square root of the
    number of steps, with a normal interval; sd is None then and `estimate` holds the size.
    """

    kind: SpreadKind
    n: int
    sd: float | None = None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None


class Gap(Struct, frozen=True, kw_only=True, gc=False):
    """One cell: the gap of a group of runs at one step for one metric.

    `gap`, `norm_reference` and `norm_step` are None where the range is open and no bound was
    given; `raw_gap` is the plain difference (step minus reference), `corrected` the same with
    the sign "positive = scored better". `effect` is the corrected gap over its spread.
    `coverage` is the share of the runs that have both scores.
    """

    metric: str
    reference: int
    step: int
    n: int
    coverage: float
    norm_reference: float | None = None
    norm_step: float | None = None
    gap: float | None = None
    raw_gap: float | None = None
    corrected: float | None = None
    failure: bool | None = None
    spread: Spread
    within_noise: bool | None = None
    effect: float | None = None
    bound: str = ""
    note: str = ""

    @property
    def sd(self) -> float | None:
        """Sample sd of the normalised gap over runs (of the raw gap where the range is open)."""
        return self.spread.sd


def bounded(metric: Metric, low: float | None = None, high: float | None = None) -> Metric:
    """Return the metric with an open end closed at a stated bound."""
    changes: dict[str, object] = {}
    if metric.low is None and low is not None:
        changes["low"] = low
    if metric.high is None and high is not None:
        changes["high"] = high
    if not changes:
        return metric
    said = ", ".join(f"{end} bound {value:g} (stated)" for end, value in changes.items())
    return structs.replace(metric, range_source=f"{metric.range_source}; {said}", **changes)


def score_gap(metric: Metric, runs: Sequence[RunScores], step: int, *, reference: int = 1) -> Gap:
    """Return the gap of a group of runs at one step; the mean over the runs that have both."""
    pairs, notes = _pairs(metric, runs, step, reference)
    closed = is_closed(metric)
    bound = bound_of(metric)
    coverage = len(pairs) / len(runs) if runs else 0.0
    if not pairs:
        return Gap(
            metric=metric.id,
            reference=reference,
            step=step,
            n=0,
            coverage=coverage,
            spread=Spread(kind="none", n=0),
            bound=bound,
            note="; ".join(notes),
        )
    directed = metric.direction != "unknown"
    notes += standing_notes(metric)
    raw = [later - first for _, first, later in pairs]
    # Not the negated raw gap: a difference of nothing is 0.0, never -0.0.
    lower = metric.direction == "lower"
    corrected = [first - later for _, first, later in pairs] if lower else raw
    mean_raw, mean = _mean(raw), _mean(corrected)
    scale = 1.0
    if closed and metric.low is not None and metric.high is not None:
        scale = 100.0 / (metric.high - metric.low)
    spread = _spread(metric, pairs[0][0], corrected, mean, scale, step, reference)
    size = spread.sd if spread.kind == "runs" else spread.estimate
    return Gap(
        metric=metric.id,
        reference=reference,
        step=step,
        n=len(pairs),
        coverage=coverage,
        norm_reference=_norm_mean(metric, [first for _, first, _ in pairs]) if closed else None,
        norm_step=_norm_mean(metric, [later for _, _, later in pairs]) if closed else None,
        gap=mean * scale if closed else None,
        raw_gap=mean_raw,
        corrected=mean if directed else None,
        failure=mean > 0.0 if directed else None,
        spread=spread,
        within_noise=_within(spread),
        effect=mean * scale / size if size else None,
        bound=bound,
        note="; ".join(notes),
    )


def gap_table(
    metrics: Sequence[Metric],
    groups: Mapping[str, Mapping[str, Sequence[RunScores]]],
    *,
    steps: Sequence[int] = STEPS,
    reference: int = 1,
) -> dict[tuple[str, str, int], Gap]:
    """Return every cell by (group, metric id, step); `groups` maps group to metric id to runs."""
    return {
        (group, metric.id, step): score_gap(
            metric, by_metric.get(metric.id, ()), step, reference=reference
        )
        for group, by_metric in groups.items()
        for metric in metrics
        for step in steps
    }


def overlay(cells: Sequence[Gap]) -> int | None:
    """Return how many of the cells are failures (Fig. 6), None when none could be judged."""
    judged = [cell.failure for cell in cells if cell.failure is not None]
    return sum(judged) if judged else None


def noise_of(values: Sequence[float]) -> float | None:
    """Return the sd of one step's random part from the MAD of first differences.

    None below three values. The differences of a drift without acceleration cancel in the
    median; 1.4826 makes the MAD consistent for normal noise.
    """
    finite = np.array([value for value in values if math.isfinite(value)], dtype=np.float64)
    if len(finite) < 3:
        return None
    differences = np.diff(finite)
    return 1.4826 * float(np.median(np.abs(differences - np.median(differences))))


def missing_notes(
    reasons: Mapping[str, int],
    without_first: int,
    without_later: int,
    absurd: int,
    *,
    step: int,
    reference: int,
) -> list[str]:
    """Return in words why runs are not in a gap; `reasons` counts those not comparable."""
    notes = [f"{count} not comparable: {reason}" for reason, count in reasons.items()]
    if without_first:
        notes.append(f"{without_first} without a score at reference step {reference}")
    if without_later:
        notes.append(f"{without_later} without a score at step {step}")
    if absurd:
        notes.append(f"{absurd} with an absurd score")
    return notes


@cache
def standing_notes(metric: Metric) -> tuple[str, ...]:
    """Return what is to be said of every gap of a metric."""
    notes = []
    if metric.direction == "unknown":
        notes.append("direction unknown: no failure")
    if not is_closed(metric):
        notes.append("open range: no normalised gap without a stated bound")
    return tuple(notes)


def is_closed(metric: Metric) -> bool:
    """Return whether scores of a metric can be normalised."""
    if metric.low is None or metric.high is None or metric.direction == "unknown":
        return False
    return metric.low != metric.high


def bound_of(metric: Metric) -> str:
    """Return the range that a metric is normalised by; "" where it is not."""
    return _bound(metric.low, metric.high) if is_closed(metric) else ""


def _pairs(
    metric: Metric, runs: Sequence[RunScores], step: int, reference: int
) -> tuple[list[tuple[RunScores, float, float]], list[str]]:
    pairs: list[tuple[RunScores, float, float]] = []
    without_first = without_later = absurd = 0
    reasons: dict[str, int] = {}
    for run in runs:
        if step in run.left_out:
            reason = run.left_out[step]
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        first, later = run.values.get(reference), run.values.get(step)
        if first is None or math.isnan(first):
            without_first += 1
        elif later is None or math.isnan(later):
            without_later += 1
        elif is_absurd(metric, first) or is_absurd(metric, later):
            absurd += 1
        else:
            pairs.append((run, first, later))
    notes = missing_notes(
        reasons, without_first, without_later, absurd, step=step, reference=reference
    )
    return pairs, notes


@cache
def _bound(low: float | None, high: float | None) -> str:
    return f"{low:g} to {high:g}"


def _mean(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else math.fsum(values) / len(values)


def _norm_mean(metric: Metric, values: Sequence[float]) -> float:
    """Return the mean normalised score; the metric's range is closed."""
    return _mean([norm for one in values if (norm := normalised(metric, one)) is not None])


def _spread(
    metric: Metric,
    first: RunScores,
    gaps: Sequence[float],
    mean: float,
    scale: float,
    step: int,
    reference: int,
) -> Spread:
    count = len(gaps)
    centre = mean * scale
    if count >= 2:
        squares = math.fsum((gap - mean) ** 2 for gap in gaps)
        sd = math.sqrt(squares / (count - 1)) * scale
        half = t_reach(count - 1) * sd / math.sqrt(count)
        return Spread(kind="runs", n=count, sd=sd, low=centre - half, high=centre + half)
    noise = _noise(metric, first, reference)
    if noise is None:
        return Spread(kind="none", n=count)
    size = noise * scale * math.sqrt(abs(step - reference))
    half = NORMAL * size
    return Spread(kind="estimate", n=1, estimate=size, low=centre - half, high=centre + half)


@cache
def t_reach(freedom: int) -> float:
    """Return how many sd of a mean its two-sided interval reaches (Student's t)."""
    return float(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def _noise(metric: Metric, run: RunScores, reference: int) -> float | None:
    if not isinstance(run.noise, UnsetType):
        return run.noise
    return noise_of(
        [
            value
            for at, value in sorted(run.values.items())
            if value is not None
            and at >= reference
            and at not in run.left_out
            and not is_absurd(metric, value)
        ]
    )


def _within(spread: Spread) -> bool | None:
    if spread.low is None or spread.high is None:
        return None
    return spread.low <= 0.0 <= spread.high
