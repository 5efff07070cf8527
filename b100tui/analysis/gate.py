"""Has a run broken by step N? Decided on the steps up to N alone, and never taken back.

The gate replays every look from the first possible one, each as it stood then. Once a look
crosses, the gate stays crossed. A look crosses when two signals, or one clearly enough, pass
their thresholds by a change that is large enough to matter. As each look is one more chance of
a false alarm, the thresholds carry a margin that was set on runs watched for 100 steps.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.analysis import looks, ramp
from b100tui.analysis.consensus import RunOnset, Series, agree, single_signal
from b100tui.analysis.limit import HELD, Tolerance, limit
from b100tui.analysis.onset import Least, Onset, onset, place
from b100tui.analysis.signals import as_fitted, least, texture_at_hand
from b100tui.analysis.thresholds import table

On = Literal["onset", "limit"]
Floats = NDArray[np.float64]
PLACED = 4  # the surest signals are placed in time; more would say the same
SPARSE = 50  # beyond ramp.LONGEST values the gate looks at every 50th only


class Gate(Struct, frozen=True, kw_only=True):
    """The decision at `step`. `crossed` is None when nothing can be decided.

    `value` is the step where change began or the limit was passed, `low` and `high` its
    interval as known at the look that crossed (`look`). `return_to` is the last step before
    the interval, never before the reference.
    """

    step: int
    crossed: bool | None
    on: On
    value: int | None = None
    low: int | None = None
    high: int | None = None
    return_to: int | None = None
    look: int | None = None
    signals: tuple[str, ...] = ()
    why: str = ""


def gate_onset(signals: Mapping[str, Series], step: int, *, reference: int = 1) -> Gate:
    """Return whether the onset of a run shows by `step`; later values are not read."""
    watched = _watched(signals, step, reference)
    shortest = table().shortest
    usable = [one for one in watched if len(one.steps) >= shortest]
    if not usable:
        most = max((len(one.steps) for one in watched), default=0)
        why = f"too short: {most} scored steps from step {reference} on, {shortest} are needed"
        return Gate(step=step, crossed=None, on="onset", why=why)
    for look in _candidates(usable):
        found = _at_look(look, usable, reference)
        if found is not None and found.step is not None and found.low is not None:
            names = ", ".join(found.consensus)
            return Gate(
                step=step,
                crossed=True,
                on="onset",
                value=found.step,
                low=found.low,
                high=found.high,
                return_to=max(reference, found.low - 1),
                look=look,
                signals=found.consensus,
                why=f"{names}: change began at step {found.step}"
                f" ({found.low}-{found.high}), seen at step {look}",
            )
    return Gate(step=step, crossed=False, on="onset", why="no signal changed beyond its noise")


def gate_limit(
    signals: Mapping[str, Mapping[int, float | None]],
    comparable: Sequence[int],
    step: int,
    *,
    reference: int = 1,
    using: Sequence[Tolerance] | None = None,
) -> Gate:
    """Return whether a tolerance was passed for two comparable steps by `step`."""
    known = sorted({one for one in comparable if reference < one <= step})
    found = limit(signals, known, reference=reference, using=using)
    if not found.each:
        why = f"no tolerance has {HELD} values at comparable steps up to step {step}"
        return Gate(step=step, crossed=None, on="limit", why=why)
    if found.step is None:
        return Gate(step=step, crossed=False, on="limit", why="every tolerance is kept")
    return Gate(
        step=step,
        crossed=True,
        on="limit",
        value=found.step,
        low=found.step,
        high=found.step,
        return_to=max(reference, found.step - 1),
        signals=(found.name or "",),
        why=f"from step {found.step} on: {found.why}",
    )


class _Watched(Struct, frozen=True):
    """One signal up to the step asked about, and how far it was over its threshold at each look.

    `values` are the usable values as fitted; `excess` (n,) belongs to the first values of
    `steps`, -inf where a look says nothing; `late` holds the sparse looks beyond them.
    """

    name: str
    steps: tuple[int, ...]
    values: Floats
    least: Least
    excess: Floats
    late: dict[int, float]


class _Over(Struct, frozen=True):
    """A signal that is over its threshold at a look, with its values as they were known then."""

    excess: float
    signal: _Watched
    count: int
    series: Floats
    size: float
    found: looks.Fitted | None

    def placed(self, reference: int) -> Onset:
        """Return where the change of the signal lies."""
        at = self.signal.steps[: self.count]
        if self.found is None:
            values = self.signal.values[: self.count].tolist()
            margin = table().look_margin
            return onset(at, values, reference=reference, margin=margin, least=self.signal.least)
        seen = Onset(
            status="none",
            statistic=self.found.statistic,
            threshold=self.found.statistic - self.excess,
            n=self.count,
        )
        return place(seen, at, self.series, self.size, self.found.noise, reference)


def _watched(signals: Mapping[str, Series], step: int, reference: int) -> list[_Watched]:
    known = {}
    for name, (at, values) in signals.items():
        pairs = [(one, value) for one, value in zip(at, values, strict=True) if one <= step]
        fitted = as_fitted(name, [value for _, value in pairs])
        known[name] = ramp.usable([one for one, _ in pairs], fitted, reference)
    limits = table()
    shortest = limits.shortest
    dense = {
        name: (at[: ramp.LONGEST], ramp.despiked(raw[: ramp.LONGEST]))
        for name, (at, raw) in known.items()
        if len(at) >= shortest
    }
    found = looks.statistics([(at, ramp.scaled(clean)[0]) for at, clean in dense.values()])
    statistics = dict(zip(dense, found, strict=True))
    aligned = texture_at_hand({name: at for name, (at, _) in known.items()})
    out = []
    for name, (at, raw) in known.items():
        enough = least(name, aligned)
        excess, late = np.full(0, -np.inf), {}
        if name in dense:
            excess = _excess(dense[name][0], raw, dense[name][1], statistics[name], enough)
            late = _late(at, raw, enough, reference)
        out.append(_Watched(name, at, raw, enough, excess, late))
    return out


def _excess(
    at: tuple[int, ...], raw: Floats, clean: Floats, statistic: Floats, enough: Least
) -> Floats:
    """Return how far each look was over its threshold, (n,); -inf where it cannot have been.

    `statistic` is that of `clean`, in which hindsight may have put values in line: a look that
    saw another series is judged on its own.
    """
    limits = table()
    count = len(at)
    lengths = np.arange(1, count + 1)
    bars = np.interp(np.log(lengths), np.log(limits.lengths), limits.limits) + limits.look_margin
    out = np.where(lengths >= limits.shortest, statistic - bars, -np.inf)
    for look in np.flatnonzero(ramp.stirred(raw[:count], clean)) + 1:
        if look < limits.shortest:
            continue
        then = ramp.despiked(raw[:look])
        if not np.array_equal(then, clean[:look]):
            series, size = ramp.scaled(then)
            alone = looks.fitted(at, series).statistic if size else -np.inf
            out[look - 1] = alone - bars[look - 1]
    spread = np.maximum.accumulate(clean) - np.minimum.accumulate(clean)
    return np.asarray(np.where(spread > min(enough), out, -np.inf))


def _late(at: tuple[int, ...], raw: Floats, enough: Least, reference: int) -> dict[int, float]:
    """Return the excess at the sparse looks beyond the first LONGEST values, by step."""
    margin = table().look_margin
    out = {}
    for count in range(ramp.LONGEST + SPARSE, len(at) + 1, SPARSE):
        found = onset(
            at[:count], raw[:count].tolist(), reference=reference, margin=margin, least=enough
        )
        if found.step is not None:
            out[at[count - 1]] = (found.statistic or 0.0) - (found.threshold or 0.0)
    return out


def _at(one: _Watched, look: int) -> tuple[int, float]:
    """Return how many values of a signal are known at `look`, and its excess there."""
    count = bisect_right(one.steps, look)
    if count == 0:
        return 0, -np.inf
    if count <= len(one.excess):
        return count, float(one.excess[count - 1])
    return count, one.late.get(one.steps[count - 1], -np.inf)


def _clear(watched: Sequence[_Watched]) -> float:
    return table().signal_margin * float(np.log(len(watched)))


def _candidates(watched: Sequence[_Watched]) -> list[int]:
    """Return the steps at which a look may cross: enough signals over their thresholds."""
    over = {
        step
        for one in watched
        for step, value in zip(one.steps, one.excess, strict=False)
        if value >= 0.0
    }
    over |= {step for one in watched for step in one.late}
    out = []
    for look in sorted(over):
        excess = sorted(_at(one, look)[1] for one in watched)
        if excess[-1] >= _clear(watched) or (len(excess) > 1 and excess[-2] >= 0.0):
            out.append(look)
    return out


def _at_look(look: int, watched: Sequence[_Watched], reference: int) -> RunOnset | None:
    """Return what the signals say at `look`, None when their changes are too small to matter."""
    answers = {
        one.name: Onset(status="none", n=_at(one, look)[0], reason="no change yet")
        for one in watched
    }
    over = [
        _Over(excess, one, count, series, size, found)
        for one in watched
        for count, excess in (_at(one, look),)
        if excess >= 0.0
        for series, size in (ramp.scaled(ramp.despiked(one.values[:count])),)
        for found in (
            looks.fitted(one.steps[: len(one.excess)], series)
            if count <= len(one.excess)
            else None,
        )
        if found is None or _enough(found.rise * size, one.least)
    ]
    over.sort(key=lambda one: -one.excess)
    if not over or (len(over) == 1 and over[0].excess < _clear(watched)):
        return None
    for one in over[:PLACED]:
        answers[one.signal.name] = one.placed(reference)
    agreed = agree(answers)
    if agreed.step is not None:
        return agreed
    # Several changed, each at a step of its own: the surest one is named.
    return single_signal(over[0].signal.name, answers)


def _enough(rise: float, least: Least) -> bool:
    return abs(rise) >= (least[0] if rise > 0.0 else least[1])
