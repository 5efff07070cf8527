"""Scores that no metric gives: an unreadable reply, a broken import, an overflow.

Scores are raw and never clipped: one out of its range by a little is a score like any other.
Beyond the limits here a difference says nothing about a picture, so such a value counts as
missing, and whoever leaves it out says so.
"""

import math
from collections.abc import Mapping, Sequence

from b100tui.model.metric import Metric

WIDTHS = 1000.0  # of the metric's own range, beyond either end
BEYOND_ALL = 1e15  # where an end is open or nothing is known; a double keeps no tenths there


def believable(metric: Metric | None) -> tuple[float, float]:
    """Return the least and the largest value that can be a score, both finite.

    None stands for a metric of which nothing is known.
    """
    if metric is None or metric.low is None or metric.high is None or metric.low == metric.high:
        return -BEYOND_ALL, BEYOND_ALL
    reach = WIDTHS * abs(metric.high - metric.low)
    ends = metric.low, metric.high
    return max(min(ends) - reach, -BEYOND_ALL), min(max(ends) + reach, BEYOND_ALL)


def is_absurd(metric: Metric | None, value: float) -> bool:
    """Return whether a value is infinite or beyond what can be a score; NaN is merely missing."""
    low, high = believable(metric)
    return not (low <= value <= high or math.isnan(value))


def believed(
    metric: Metric | None, values: Mapping[int, float | None]
) -> tuple[Mapping[int, float | None], tuple[int, ...]]:
    """Return the values by step without the absurd ones, and the steps of those."""
    low, high = believable(metric)
    wrong = tuple(
        step
        for step, value in values.items()
        if value is not None and not low <= value <= high and not math.isnan(value)
    )
    if not wrong:
        return values, ()
    gone = set(wrong)
    return {step: value for step, value in values.items() if step not in gone}, wrong


def absurd_words(steps: Sequence[int], name: str = "") -> str:
    """Return the note about absurd scores (of a metric) that were left out; "" for none."""
    if not steps:
        return ""
    at = ", ".join(map(str, steps[:3])) + (", ..." if len(steps) > 3 else "")
    noun, where = ("score", "step") if len(steps) == 1 else ("scores", "steps")
    of = f" of {name}" if name else ""
    return f"{len(steps)} absurd {noun}{of} left out ({where} {at})"
