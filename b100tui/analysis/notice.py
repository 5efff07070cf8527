"""Which metric would have noticed first: its alarm held against when the run really broke."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from b100tui.analysis.absurd import believed
from b100tui.analysis.onset import onset
from b100tui.model.metric import Metric

Truth = Literal["marks", "limit", "onset"]


class Broke(Struct, frozen=True):
    """When a run broke and who says so; None means it stayed clean."""

    step: int | None
    by: Truth


class Alarm(Struct, frozen=True, kw_only=True):
    """A metric's own alarm in one run: its onset in the direction "worse".

    `improved` says that it changed for the better instead, which is no alarm; `absurd` counts
    scores that were left out.
    """

    run: str
    step: int | None
    improved: bool = False
    usable: bool = True
    absurd: int = 0


class Notice(Struct, frozen=True, kw_only=True):
    """One metric over all runs.

    `delay` is the median over the broken runs in which it raised an alarm, in steps (negative:
    before the break). `caught` of `broken` runs; `false_alarms` among `clean` runs. Runs in
    which the metric has too few scores count nowhere but in `unusable`; `absurd` counts scores
    that were left out.
    """

    metric: str
    delay: float | None
    delays: dict[str, int]
    caught: int
    broken: int
    false_alarms: int
    clean: int
    unusable: int
    truth: dict[str, int]
    absurd: int = 0


def when_broken(
    marks: Sequence[int], limit: int | None, onset_step: int | None, *, reference: int = 1
) -> Broke:
    """Return when a run broke: the first human mark, else the limit, else the consensus onset."""
    after = [step for step in marks if step > reference]
    if after:
        return Broke(min(after), "marks")
    if limit is not None:
        return Broke(limit, "limit")
    return Broke(onset_step, "onset")


def alarm(
    metric: Metric, run: str, values: Mapping[int, float | None], *, reference: int = 1
) -> Alarm:
    """Return the alarm of one metric in one run; unknown direction: any change counts.

    Absurd scores count as missing.
    """
    values, absurd = believed(metric, values)
    steps = sorted(values)
    found = onset(steps, [values[step] for step in steps], reference=reference)
    if found.status == "too_short":
        return Alarm(run=run, step=None, usable=False, absurd=len(absurd))
    if found.step is None or found.rise is None or metric.direction == "unknown":
        return Alarm(run=run, step=found.step, absurd=len(absurd))
    better = (found.rise > 0.0) == (metric.direction == "higher")
    step = None if better else found.step
    return Alarm(run=run, step=step, improved=better, absurd=len(absurd))


def notice(metric: str, alarms: Sequence[Alarm], truth: Mapping[str, Broke]) -> Notice:
    """Return how soon a metric noticed, from its alarms and when each run broke."""
    delays: dict[str, int] = {}
    broken = clean = false_alarms = unusable = 0
    by: dict[str, int] = {}
    for one in alarms:
        broke = truth.get(one.run)
        if broke is None:
            continue
        if not one.usable:
            unusable += 1
            continue
        by[broke.by] = by.get(broke.by, 0) + 1
        if broke.step is None:
            clean += 1
            false_alarms += one.step is not None
            continue
        broken += 1
        if one.step is not None:
            delays[one.run] = one.step - broke.step
    return Notice(
        metric=metric,
        delay=float(median(delays.values())) if delays else None,
        delays=delays,
        caught=len(delays),
        broken=broken,
        false_alarms=false_alarms,
        clean=clean,
        unusable=unusable,
        truth=by,
        absurd=sum(one.absurd for one in alarms),
    )


def ranked(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Return the metrics, first to notice first.

    Share of broken runs caught, less the share of clean runs with a false alarm; then delay.
    """

    def key(one: Notice) -> tuple[float, float, str]:
        caught = one.caught / one.broken if one.broken else 0.0
        wrong = one.false_alarms / one.clean if one.clean else 0.0
        delay = one.delay if one.delay is not None else float("inf")
        return (wrong - caught, delay, one.metric)

    return tuple(sorted(notices, key=key))
