"""Has a run broken by step N? Decided on the steps up to N alone, and never taken back.

The gate replays every look from the first possible one, each as it stood then. Once a look
crosses, the gate stays crossed. As each look is one more chance of a false alarm, the
thresholds carry a margin that was set on simulated runs watched for 100 steps.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from b100tui.analysis import looks, ramp
from b100tui.analysis.consensus import RunOnset, Series, agree, as_fitted
from b100tui.analysis.limit import HELD, Tolerance, limit
from b100tui.analysis.onset import Onset, onset
from b100tui.analysis.thresholds import table

On = Literal["onset", "limit"]
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
    known = {
        name: _until((at, as_fitted(name, values)), step) for name, (at, values) in signals.items()
    }
    watched = {name: _watch(at, values, reference) for name, (at, values) in known.items()}
    shortest = table().shortest
    if not any(len(one.steps) >= shortest for one in watched.values()):
        most = max((len(one.steps) for one in watched.values()), default=0)
        why = f"too short: {most} scored steps from step {reference} on, {shortest} are needed"
        return Gate(step=step, crossed=None, on="onset", why=why)
    for look in sorted({at for one in watched.values() for at in one.crossing}):
        found = _at_look(look, known, watched, reference)
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
    """One signal: its usable steps, and the looks (step numbers) at which it crosses."""

    steps: tuple[int, ...]
    crossing: frozenset[int]


def _until(series: Series, step: int) -> Series:
    pairs = [(at, value) for at, value in zip(*series, strict=True) if at <= step]
    return [at for at, _ in pairs], [value for _, value in pairs]


def _watch(steps: Sequence[int], values: Sequence[float | None], reference: int) -> _Watched:
    at, raw = ramp.usable(steps, values, reference)
    limits = table()
    margin = limits.look_margin
    crossing: set[int] = set()
    dense = min(len(at), ramp.LONGEST)
    if dense >= limits.shortest:
        first, clean = at[:dense], ramp.despiked(raw[:dense])
        statistic, noise = looks.statistics(first, ramp.scaled(clean)[0])
        for count in range(limits.shortest, dense + 1):
            then = ramp.despiked(raw[:count])
            if np.array_equal(then, clean[:count]):
                value, number = float(statistic[count - 1]), int(noise[count - 1])
            else:
                # Hindsight put a value in line (or back): judge this look on its own.
                found = ramp.fit(ramp.curves(first[:count]), ramp.scaled(then)[0][np.newaxis, :])
                value, number = float(found.statistic[0]), int(found.phi[0])
            if value >= limits.threshold(count, number) + margin and np.ptp(then) > 0:
                crossing.add(at[count - 1])
    for count in range(ramp.LONGEST + SPARSE, len(at) + 1, SPARSE):
        late = onset(at[:count], raw[:count].tolist(), reference=reference, margin=margin)
        if late.step is not None:
            crossing.add(at[count - 1])
    return _Watched(steps=at, crossing=frozenset(crossing))


def _at_look(
    look: int,
    known: Mapping[str, Series],
    watched: Mapping[str, _Watched],
    reference: int,
) -> RunOnset | None:
    """Return what the signals agree on at `look`; a signal unscored there keeps its last look."""
    answers: dict[str, Onset] = {}
    for name, one in watched.items():
        past = [at for at in one.steps if at <= look]
        if past and past[-1] in one.crossing:
            steps, values = _until(known[name], look)
            margin = table().look_margin
            answers[name] = onset(steps, values, reference=reference, margin=margin)
        else:
            answers[name] = Onset(status="none", n=len(past), reason="no change yet")
    return agree(answers) if answers else None
