"""Two groups of runs side by side at matched steps: remedies, editors, two dates."""

import math
from collections.abc import Mapping, Sequence
from statistics import median

from msgspec import Struct

from b100tui.analysis.absurd import is_absurd
from b100tui.analysis.gaps import RunScores, Spread, score_gap
from b100tui.model.metric import Metric


class GroupRun(Struct, frozen=True, kw_only=True):
    """One run of a group. `onset` and `limit` None: never; `usd` None: not known.

    A run that is too short or unscored has no known onset or limit, which is not never.
    """

    run: str
    last: int
    onset: int | None = None
    limit: int | None = None
    onset_known: bool = True
    limit_known: bool = True
    usd: float | None = None
    scores: Mapping[str, Mapping[int, float | None]] = {}
    left_out: Mapping[int, str] = {}


class Broken(Struct, frozen=True, kw_only=True):
    """When runs of a group broke: median over those that could be judged, how many never did.

    `n` counts all runs; `unknown` are those too short or without the scores it takes.
    """

    median: float | None
    low: int | None
    high: int | None
    never: int
    n: int
    unknown: int = 0


class Cell(Struct, frozen=True, kw_only=True):
    """A metric's gap in one group at one step; normalised where the range is closed."""

    mean: float | None
    sd: float | None
    n: int
    within_noise: bool | None = None
    normalised: bool = True


class Difference(Struct, frozen=True, kw_only=True):
    """Second group minus first, in the unit of the cells, with Welch's 95 % interval."""

    metric: str
    step: int
    value: float | None
    low: float | None = None
    high: float | None = None
    clear: bool | None = None


class Side(Struct, frozen=True, kw_only=True):
    """One group. `metrics` maps a metric id to one cell a step, in the order of the steps."""

    runs: int
    metrics: dict[str, tuple[Cell, ...]]
    onset: Broken
    limit: Broken
    usd: float | None
    usd_known: int


class Comparison(Struct, frozen=True, kw_only=True):
    """Both sides at the steps that each of them reaches in at least one run."""

    steps: tuple[int, ...]
    reference: int
    first: Side
    second: Side
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()


def compare(
    metrics: Sequence[Metric],
    first: Sequence[GroupRun],
    second: Sequence[GroupRun],
    *,
    steps: Sequence[int],
    reference: int = 1,
) -> Comparison:
    """Return two groups side by side at those of `steps` that both groups reach."""
    reach = min(max((run.last for run in group), default=0) for group in (first, second))
    matched = tuple(step for step in steps if step <= reach)
    notes = [f"step {step} is not reached by both groups" for step in steps if step > reach]
    both = {run.run for run in first} & {run.run for run in second}
    if both:
        words = "run belongs" if len(both) == 1 else "runs belong"
        notes.append(f"{len(both)} {words} to both groups")
    sides = [_side(metrics, group, matched, reference) for group in (first, second)]
    for metric in metrics:
        wrong = sum(
            is_absurd(metric, value)
            for run in (*first, *second)
            for step in {reference, *matched}
            if (value := run.scores.get(metric.id, {}).get(step)) is not None
        )
        if wrong:
            noun = "score" if wrong == 1 else "scores"
            notes.append(f"{wrong} absurd {noun} of {metric.id} left out")
    differences = tuple(
        _difference(
            metric.id, step, sides[0].metrics[metric.id][at], sides[1].metrics[metric.id][at]
        )
        for metric in metrics
        for at, step in enumerate(matched)
    )
    return Comparison(
        steps=matched,
        reference=reference,
        first=sides[0],
        second=sides[1],
        differences=differences,
        notes=tuple(notes),
    )


def broken(values: Sequence[int | None], unknown: int = 0) -> Broken:
    """Return the median over runs that could be judged; `unknown` counts those that could not.

    A run that never broke lies beyond every step: the median is None when half or more never did.
    """
    ordered = [math.inf if value is None else float(value) for value in values]
    known = [value for value in values if value is not None]
    middle = median(ordered) if ordered else math.inf
    return Broken(
        median=middle if math.isfinite(middle) else None,
        low=min(known, default=None),
        high=max(known, default=None),
        never=len(values) - len(known),
        n=len(values) + unknown,
        unknown=unknown,
    )


def _side(
    metrics: Sequence[Metric], group: Sequence[GroupRun], steps: Sequence[int], reference: int
) -> Side:
    cells: dict[str, tuple[Cell, ...]] = {}
    for metric in metrics:
        runs = [
            RunScores(run=run.run, values=run.scores.get(metric.id, {}), left_out=run.left_out)
            for run in group
        ]
        cells[metric.id] = tuple(_cell(metric, runs, step, reference) for step in steps)
    prices = [run.usd for run in group if run.usd is not None]
    return Side(
        runs=len(group),
        metrics=cells,
        onset=broken(
            [run.onset for run in group if run.onset_known],
            sum(not run.onset_known for run in group),
        ),
        limit=broken(
            [run.limit for run in group if run.limit_known],
            sum(not run.limit_known for run in group),
        ),
        usd=math.fsum(prices) if prices else None,
        usd_known=len(prices),
    )


def _cell(metric: Metric, runs: Sequence[RunScores], step: int, reference: int) -> Cell:
    found = score_gap(metric, runs, step, reference=reference)
    closed = found.gap is not None
    centre = found.gap if closed else found.corrected
    return Cell(
        mean=centre if centre is not None else found.raw_gap,
        sd=_sd(found.spread),
        n=found.n,
        within_noise=found.within_noise,
        normalised=closed,
    )


def _sd(spread: Spread) -> float | None:
    return spread.sd if spread.kind == "runs" else None


def _difference(metric: str, step: int, one: Cell, other: Cell) -> Difference:
    if one.mean is None or other.mean is None:
        return Difference(metric=metric, step=step, value=None)
    value = other.mean - one.mean
    if one.sd is None or other.sd is None:
        return Difference(metric=metric, step=step, value=value)
    from scipy import special

    first, second = one.sd**2 / one.n, other.sd**2 / other.n
    if first + second == 0.0:
        return Difference(
            metric=metric, step=step, value=value, low=value, high=value, clear=value != 0.0
        )
    freedom = (first + second) ** 2 / (first**2 / (one.n - 1) + second**2 / (other.n - 1))
    half = float(special.stdtrit(freedom, 0.975)) * math.sqrt(first + second)
    return Difference(
        metric=metric,
        step=step,
        value=value,
        low=value - half,
        high=value + half,
        clear=abs(value) > half,
    )
