"""The change statistic at every look: as it stood after each step, without the later ones.

Whitening is lower triangular, so the projections of the first N values are running sums of
the products of the whole series: all looks cost little more than one.
"""

from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.analysis import ramp

Floats = NDArray[np.float64]

# Half of the ramp lengths of `ramp.RAMPS` do here: a look costs half and misses next to nothing.
RAMPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class _Running(Struct, frozen=True):
    """What does not depend on the values, (curves, n) except `ones` (n,) and its square sums."""

    phi: float
    curves: Floats
    ones: Floats
    curve_ones: Floats
    length: Floats  # squared length of each curve, constant projected out
    ones_ones: Floats
    allowed: NDArray[np.bool_]


@lru_cache(maxsize=2)
def _running(steps: tuple[int, ...]) -> tuple[_Running, ...]:
    rows, starts, _ = ramp.shapes(steps, RAMPS)
    looks = np.arange(1, len(steps) + 1)
    allowed = starts[:, np.newaxis] + 1 + ramp.CARRIERS <= looks[np.newaxis, :]
    out = []
    for phi in ramp.PHI:
        curves = ramp.whiten(rows, phi)
        ones = ramp.whiten(np.ones(len(steps)), phi)
        ones_ones = np.cumsum(ones * ones)
        curve_ones = np.cumsum(curves * ones, axis=1)
        length = np.cumsum(curves * curves, axis=1) - curve_ones**2 / ones_ones
        allowed_here = allowed & (length > 1e-9)
        out.append(
            _Running(
                phi=phi,
                curves=curves,
                ones=ones,
                curve_ones=curve_ones / ones_ones,
                length=np.where(allowed_here, length, np.inf),
                ones_ones=ones_ones,
                allowed=allowed_here,
            )
        )
    return tuple(out)


def statistics(steps: tuple[int, ...], series: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return (statistic, index of the noise coefficient) after each step, both (n,).

    `series` (n,) is finite and of moderate size. The statistic of look N is that of `ramp.fit`
    on the first N values with the ramp lengths RAMPS; it is -inf where nothing can be said yet.
    """
    looks = np.arange(1, len(steps) + 1)
    best0 = np.full(len(steps), -np.inf)
    best1 = np.full(len(steps), -np.inf)
    noise = np.zeros(len(steps), dtype=np.int64)
    mean = np.cumsum(series) / looks
    floor = 1e-12 * np.maximum(np.cumsum(series**2) - looks * mean**2, 0.0) + 1e-300
    for number, one in enumerate(_running(steps)):
        white = ramp.whiten(series, one.phi)
        ones = np.cumsum(white * one.ones)
        total = np.maximum(np.cumsum(white * white) - ones**2 / one.ones_ones, floor)
        shares = np.cumsum(one.curves * white, axis=1) - one.curve_ones * ones
        gain = np.max(shares * shares / one.length, axis=0)
        bonus = 0.5 * np.log1p(-one.phi * one.phi)
        best0 = np.maximum(best0, bonus - 0.5 * looks * np.log(total))
        like1 = bonus - 0.5 * looks * np.log(np.maximum(total - gain, floor))
        noise = np.where(like1 > best1, number, noise)
        best1 = np.maximum(best1, like1)
    statistic = np.where(looks >= 2 + ramp.CARRIERS, 2.0 * (best1 - best0), -np.inf)
    return statistic, noise
