"""When did change begin: the first step of one signal that carries a change, or an honest "none".

The curve is a + b * clip(t - k, 0, m) with correlated noise (see `ramp`); the onset is k + 1. A
change counts when its likelihood ratio passes a threshold that was set on simulated series
without any change: white noise, AR(1), random walks, walks under noise (`thresholds.toml`). The
interval comes from a moving-block bootstrap of the whitened residuals.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from b100tui.analysis import ramp
from b100tui.analysis.thresholds import table

Status = Literal["onset", "from_start", "none", "too_short"]
Least = tuple[float, float]  # the least rise and the least fall that count, both positive
ANY: Least = (0.0, 0.0)
TOGETHER = 256  # series a fit, which bounds its memory: some megabytes at a hundred steps
COARSE = (1, 2, 4, 8, 16, 32, 64, 128)  # ramp lengths where a loop waits for the answer


class Onset(Struct, frozen=True, kw_only=True):
    """The answer for one signal. Step, low and high are None unless a change was found.

    `rise` is the fitted change from before to after, in the signal's unit; `noise` is how smooth
    the noise is (see `ramp.Noise`), 0 to 1; `reason` says why there is no answer.
    """

    status: Status
    step: int | None = None
    low: int | None = None
    high: int | None = None
    statistic: float | None = None
    threshold: float | None = None
    rise: float | None = None
    noise: float | None = None
    n: int = 0
    reason: str = ""


def quick_onset(
    steps: Sequence[int], values: Sequence[float | None], *, reference: int = 1
) -> int | None:
    """Return the first step that carries a change of one signal, or None.

    A point estimate with a high threshold, for run lists. Steps before the reference, None
    and non-finite values are left out and the rest is taken as equally spaced.
    """
    return quick_onsets([(steps, values)], reference=reference)[0]


def quick_onsets(
    signals: Sequence[tuple[Sequence[int], Sequence[float | None]]], *, reference: int = 1
) -> list[int | None]:
    """Return `quick_onset` of every signal; those of one length are fitted together."""
    limits = table()
    found: list[int | None] = [None] * len(signals)
    alike: dict[int, list[tuple[int, tuple[int, ...], NDArray[np.float64]]]] = {}
    for place, (steps, values) in enumerate(signals):
        at, series, size = ramp.prepared(steps, values, reference)
        if len(at) >= limits.shortest and size != 0.0:
            alike.setdefault(len(at), []).append((place, at, series))
    for length, group in alike.items():
        family = ramp.curves(tuple(range(length)))
        least = limits.threshold(length) + limits.quick_margin
        for first in range(0, len(group), TOGETHER):
            some = group[first : first + TOGETHER]
            best = ramp.fit(family, np.array([series for _, _, series in some]))
            for row in np.flatnonzero(best.statistic >= least).tolist():
                place, at, _ = some[row]
                start = family[int(best.noise[row])].start[int(best.curve[row])]
                found[place] = at[int(start) + 1]
    return found


def onset(
    steps: Sequence[int],
    values: Sequence[float | None],
    *,
    reference: int = 1,
    margin: float = 0.0,
    least: Least = ANY,
    seed: int = 0,
) -> Onset:
    """Return the onset of one signal with its interval.

    Steps before the reference step, None and non-finite values are left out. `margin` is
    added to the threshold; a change smaller than `least` (rise, fall) is none that counts. The
    same seed gives the same interval. Statuses: `from_start` when no step but the reference
    lies before the change, `too_short` below the least number of values that can show one.
    """
    at, series, size = ramp.prepared(steps, values, reference)
    limits = table()
    if len(at) < limits.shortest:
        return Onset(
            status="too_short",
            n=len(at),
            reason=f"{len(at)} usable values, at least {limits.shortest} are needed",
        )
    if size == 0.0:
        return Onset(status="none", n=len(at), reason="all values are equal")
    family = ramp.curves(at)
    found = ramp.fit(family, series[np.newaxis, :])
    chosen = family[int(found.noise[0])]
    statistic = float(found.statistic[0])
    seen = Onset(
        status="none",
        statistic=statistic,
        threshold=limits.threshold(len(at)) + margin,
        noise=chosen.noise.smooth,
        n=len(at),
        reason="no change beyond what correlated noise does by itself",
    )
    if statistic < limits.threshold(len(at)) + margin:
        return seen
    curve = int(found.curve[0])
    best = _Best(at, series, chosen, curve, size * float(found.slope[0]))
    rise = best.rise
    if abs(rise) < (least[0] if rise > 0.0 else least[1]):
        reason = f"it changed by {rise:+.2g}, which is too little to matter"
        return structs.replace(seen, rise=rise, reason=reason)
    blocks = len(at) < len(ramp.usable(steps, values, reference)[0])
    return _placed(seen, best, reference, seed, blocks)


def place(
    seen: Onset,
    at: tuple[int, ...],
    series: ramp.Floats,
    size: float,
    noise: ramp.Noise,
    reference: int,
) -> Onset:
    """Return where the change of a series lies whose significance and noise are known.

    `series` (n,) and `size` are what `ramp.scaled` returned, `seen` says what was found.
    """
    chosen = _coarse(at, noise)
    white = ramp.whiten(series, noise)
    shares = chosen.basis @ (white - (white @ chosen.flat) * chosen.flat)
    curve = int(np.argmax(np.abs(shares)))
    best = _Best(at, series, chosen, curve, size * float(shares[curve] * chosen.scale[curve]))
    return _placed(seen, best, reference, 0, False)


@lru_cache(maxsize=16)
def _coarse(at: tuple[int, ...], noise: ramp.Noise) -> ramp.Curves:
    return ramp.of_shapes(*ramp.shapes(at, COARSE), noise)


class _Best(Struct, frozen=True):
    """The best curve of a series: row `curve` of `chosen`, with its slope in the signal's unit."""

    at: tuple[int, ...]
    series: ramp.Floats
    chosen: ramp.Curves
    curve: int
    slope: float

    @property
    def rise(self) -> float:
        """The change from before to after, in the signal's unit."""
        start = self.at[int(self.chosen.start[self.curve])]
        return self.slope * min(float(self.chosen.ramp[self.curve]), self.at[-1] - start)


def _placed(seen: Onset, best: _Best, reference: int, seed: int, blocks: bool) -> Onset:
    at, chosen, curve = best.at, best.chosen, best.curve
    start = int(chosen.start[curve])
    low, high = interval(chosen, best.series, curve, seed)
    bent = chosen.noise.smooth >= table().bent and chosen.ramp[curve] > 1.0
    if blocks or bent:
        # Blocks of steps were averaged, or what is left under a ramp is smooth: a bend that the
        # curve's straight pieces do not follow. The kink is sharp to a step (block) at best.
        low, high = max(0, low - 1), min(len(at) - 1 - ramp.CARRIERS, high + 1)
    return structs.replace(
        seen,
        status="from_start" if start == 0 else "onset",
        step=at[start + 1],
        # Between two steps that were looked at nobody knows; and a series that begins after
        # the reference cannot show how early its change is.
        low=reference + 1 if start == 0 else at[min(low, start)] + 1,
        high=at[max(high, start) + 1],
        rise=best.rise,
        reason="",
    )


def interval(chosen: ramp.Curves, series: ramp.Floats, curve: int, seed: int) -> tuple[int, int]:
    """Return the lowest and highest position of k that the moving-block bootstrap leaves.

    Blocks of whitened residuals are drawn with replacement, added to the whitened fit and
    fitted again with the same noise coefficient (Kuensch 1989, on innovations).
    """
    limits = table()
    white = ramp.whiten(series, chosen.noise)
    white -= (white @ chosen.flat) * chosen.flat
    fitted = (white @ chosen.basis[curve]) * chosen.basis[curve]
    left = white - fitted
    length = len(series)
    block = max(2, round(limits.block_factor * length ** (1 / 3)))
    rng = np.random.default_rng(seed)
    pieces = -(-length // block)
    first = rng.integers(0, length - block + 1, size=(limits.bootstraps, pieces))
    places = (first[:, :, np.newaxis] + np.arange(block)).reshape(limits.bootstraps, -1)
    drawn = left[places[:, :length]] * np.sqrt(length / max(1, length - limits.spent))
    shares = (fitted + drawn).astype(np.float32) @ chosen.basis.T.astype(np.float32)
    starts = chosen.start[np.argmax(np.abs(shares), axis=1)]
    low, high = np.quantile(starts, [limits.tail, 1.0 - limits.tail], method="closest_observation")
    return int(low), int(high)
