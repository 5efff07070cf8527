"""The change statistic at every look: as it stood after each step, without the later ones.

Whitening is lower triangular, so the projections of the first N values are running sums of
the products of the whole series: all looks cost little more than one. What does not depend on
the values is made once for evenly spaced steps and serves every shorter run too.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.analysis import ramp

Floats = NDArray[np.float64]

# A few ramp lengths (and "to the end") and noises do here: a look costs a fraction of a fit and
# misses next to nothing. The margin for looks was set on this statistic itself.
RAMPS = (1, 6, 24)
NOISES = (
    *(ramp.Noise(phi) for phi in (0.0, 0.5, 0.85, 0.99)),
    ramp.Noise(level=2.0),
)
STRIDE = 20  # tables are made for multiples of so many steps


class Fitted(Struct, frozen=True):
    """The best curve at one look: its noise, statistic and rise (slope times length so far)."""

    noise: ramp.Noise
    statistic: float
    rise: float


class _Running(Struct, frozen=True):
    """The curves free of the constant, and one over their length so far, both (n, curves).

    `filter` (n, n) is what makes a series as free: lower triangular, see `_free`.
    """

    noise: ramp.Noise
    filter: Floats
    curves: Floats
    scale: Floats


class _Table(Struct, frozen=True):
    """The tables by noise; of each curve the ramp length and the place where it starts, ascending.

    At value number t the first `begun[t]` curves differ from zero, and the first `carried[t]`
    have enough steps that carry them.
    """

    times: tuple[int, ...]
    each: tuple[_Running, ...]
    ramps: Floats
    starts: NDArray[np.int64]
    begun: tuple[int, ...]
    carried: tuple[int, ...]


@lru_cache(maxsize=4)
def _running(steps: tuple[int, ...]) -> _Table:
    rows, starts, ramps = ramp.shapes(steps, RAMPS)
    places = np.arange(len(steps))
    out = []
    for noise in NOISES:
        curves = _free(rows, noise)
        length = np.sqrt(np.cumsum(curves * curves, axis=1))
        with np.errstate(divide="ignore"):
            scale = np.where(length > 1e-5, 1.0 / length, 0.0)
        out.append(
            _Running(
                noise,
                np.ascontiguousarray(_free(np.eye(len(steps)), noise).T),
                np.ascontiguousarray(curves.T),
                np.ascontiguousarray(scale.T),
            )
        )
    return _Table(
        times=steps,
        each=tuple(out),
        ramps=ramps,
        starts=starts,
        begun=tuple(np.searchsorted(starts, places, side="left").tolist()),
        carried=tuple(np.searchsorted(starts, places - ramp.CARRIERS, side="right").tolist()),
    )


def _free(series: Floats, noise: ramp.Noise) -> Floats:
    """Return the recursive residuals of `series` about a constant under `noise`, same shape.

    Innovations from which the constant is predicted out value by value (Brown, Durbin and Evans
    1975): independent, of equal variance, and those of a beginning are a beginning. The first
    is zero, as the constant takes it up.
    """
    white = ramp.whiten(series, noise)
    ones = ramp.whiten(np.ones(series.shape[-1]), noise)
    weight = np.cumsum(ones * ones)
    known = np.cumsum(white * ones, axis=-1) / weight
    out = np.zeros_like(white)
    spread = np.sqrt(1.0 + ones[1:] ** 2 / weight[:-1])
    out[..., 1:] = (white[..., 1:] - ones[1:] * known[..., :-1]) / spread
    return out


def _table(steps: tuple[int, ...]) -> _Table:
    """Return the tables that serve `steps`.

    Evenly spaced steps are the beginning of a longer even row, whatever their numbers.
    """
    apart = steps[1] - steps[0] if len(steps) > 1 else 1
    if all(after - before == apart for before, after in pairwise(steps)):
        return _running(tuple(range(-(-len(steps) // STRIDE) * STRIDE)))
    return _running(steps)


def statistics(many: Sequence[tuple[tuple[int, ...], Floats]]) -> list[Floats]:
    """Return the statistic after each step, (n,), of each (steps, series).

    A series (n,) is finite and of moderate size. The statistic of look N is that of `ramp.fit`
    on the first N values with the ramp lengths RAMPS and the noises NOISES; it is -inf where
    nothing can be said yet.
    """
    out: list[Floats] = [np.empty(0)] * len(many)
    groups: dict[int, tuple[_Table, list[int]]] = {}
    for place, (steps, _) in enumerate(many):
        table = _table(steps)
        groups.setdefault(id(table), (table, []))[1].append(place)
    for table, places in groups.values():
        longest = max(len(many[place][1]) for place in places)
        batch = np.zeros((len(places), longest))
        for row, place in enumerate(places):
            batch[row, : len(many[place][1])] = many[place][1]
        found = _batch(table, batch)
        for row, place in enumerate(places):
            out[place] = found[row, : len(many[place][1])]
    return out


def _batch(table: _Table, series: Floats) -> Floats:
    count = series.shape[1]
    looks = np.arange(1, count + 1)
    without = np.empty((len(NOISES), *series.shape))
    best = np.full(series.shape, -np.inf)
    mean = np.cumsum(series, axis=1) / looks
    floor = np.maximum(np.cumsum(series**2, axis=1) - looks * mean**2, 0.0)
    floor = 1e-12 * floor + 1e-300
    for number, one in enumerate(table.each):
        free = series @ one.filter[:count, :count].T
        total = np.maximum(np.cumsum(free * free, axis=1), floor)
        gain = np.zeros(series.shape)
        sums = np.zeros((len(series), one.curves.shape[1]))
        for place in range(1, count):
            begun, carried = table.begun[place], table.carried[place]
            part = sums[:, :begun]
            part += free[:, place, None] * one.curves[place, :begun]
            if carried:
                share = part[:, :carried] * one.scale[place, :carried]
                share *= share
                share.max(axis=1, out=gain[:, place])
        extra = ramp.bonus(one.noise, count)
        without[number] = extra - 0.5 * looks * np.log(total)
        best = np.maximum(best, extra - 0.5 * looks * np.log(np.maximum(total - gain, floor)))
    statistic = 2.0 * (best - ramp.mean_of(without))
    return np.asarray(np.where(looks >= 2 + ramp.CARRIERS, statistic, -np.inf))


def fitted(steps: tuple[int, ...], series: Floats) -> Fitted:
    """Return the best curve on all of `series` (n,), n at least 4: the last look alone.

    `steps` may go on after the series: the same table then serves every look at a run.
    """
    count = len(series)
    table = _table(steps)
    usable = table.carried[count - 1]
    without = []
    best, noise, rise = -np.inf, NOISES[0], 0.0
    floor = 1e-12 * float(np.sum((series - series.mean()) ** 2)) + 1e-300
    for one in table.each:
        free = one.filter[:count, :count] @ series
        total = max(float(free @ free), floor)
        extra = float(ramp.bonus(one.noise, count)[-1])
        without.append([extra - 0.5 * count * np.log(total)])
        scale = one.scale[count - 1, :usable]
        shares = free @ one.curves[:count, :usable] * scale
        row = int(np.argmax(np.abs(shares)))
        like = extra - 0.5 * count * np.log(max(total - float(shares[row]) ** 2, floor))
        if like > best:
            best, noise = like, one.noise
            reach = table.times[count - 1] - table.times[int(table.starts[row])]
            rise = float(shares[row] * scale[row]) * min(float(table.ramps[row]), reach)
    null = float(ramp.mean_of(np.array(without))[0])
    return Fitted(noise, 2.0 * (best - null), rise)
