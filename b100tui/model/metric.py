"""What a metric is: direction, typical range, and the rules that follow from them."""

from typing import Literal

from msgspec import Struct

Direction = Literal["higher", "lower", "unknown"]


class Metric(Struct, frozen=True, kw_only=True):
    """One row of the metric registry. `low` and `high` are the typical range; None is open."""

    id: str
    name: str
    backend: str
    direction: Direction = "unknown"
    low: float | None = None
    high: float | None = None
    range_source: str = ""
    min_side: int = 1
    licence: str = ""
    cost: str = ""
    needs_reference: bool = False
    paper: bool = False
    about: str = ""


def normalised(metric: Metric, value: float) -> float | None:
    """Return 100 (x - low) / (high - low), reversed where lower is better, never clipped.

    None when a bound is open, the range is empty or the direction unknown (paper, section 4.1).
    """
    if metric.low is None or metric.high is None or metric.direction == "unknown":
        return None
    if metric.low == metric.high:
        return None
    share = (value - metric.low) / (metric.high - metric.low)
    return 100.0 * (share if metric.direction == "higher" else 1.0 - share)


def corrected_gap(metric: Metric, reference: float, value: float) -> float | None:
    """Return the raw gap with the sign "positive = scored better"; None without a direction.

    A positive gap on a degrading trajectory is a failure (paper, section 4.1): it needs a
    direction, not a range.
    """
    if metric.direction == "unknown":
        return None
    return value - reference if metric.direction == "higher" else reference - value
