"""What strong edges look like: how far a step swings out before it settles."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
SOFT = 1.2  # pixels, sigma of the blur in which edges are looked for: noise makes none
SHARE = 0.03  # of all pixels, the steepest
STEEP = 4.0  # grey levels over two pixels: less is no edge
STEEPEST = 0.3  # of the steepest thousandth: less is the slope back from an overshoot
NEAR = (2, 3, 4, 5)  # pixels from the edge where a halo swings out
FAR = (9, 10, 11, 12)  # pixels from the edge where it has settled
SMALLEST = 2 * FAR[-1] + 3
CLEAR = 4.0  # robust deviations of all slopes: what noise or a soft pattern does not reach
SETTLED = 8.0  # grey levels over an edge far away, on average: less is a line or a pattern
FEW = 0.005  # of all pixels: fewer edges say little
ROWS = 1200  # rows of a large picture are thinned out to about so many


def overshoot(luma: Floats) -> float:
    """Return the swing across strong edges nearby over that far away, about 1 to 4.

    The mean edge profile (ISO 12233 measures its overshoot) of the steepest pixels, along rows and
    along columns, taken as half the difference of both sides: 1 for a clean step, above 1 where
    the bright side is brighter and the dark side darker close to the edge than beyond, below 1
    where it is blurred. SETTLED is added to both swings, so that weak or few edges draw it towards
    1, which it is where there are none. Thin lines settle too and raise it, so a picture is held
    against its own reference step. Both sides of `luma` (grey levels) must be at least SMALLEST.
    """
    import cv2

    reach = FAR[-1]
    soft = np.asarray(cv2.GaussianBlur(luma, (0, 0), SOFT), np.float32)
    planes = []
    upright = (np.ascontiguousarray(soft.T), np.ascontiguousarray(luma.T))
    for blurred, sharp in ((soft, luma), upright):
        thin = max(1, len(sharp) // ROWS)
        rows, values = blurred[::thin], np.ascontiguousarray(sharp[::thin])
        planes.append((rows[:, reach + 1 : 1 - reach] - rows[:, reach - 1 : -reach - 1], values))
    sizes = np.concatenate([np.abs(slope).ravel()[::7] for slope, _ in planes])
    sizes.sort()  # vectorised: faster than the partition of three quantiles
    typical, steep, most = (_at(sizes, share) for share in (0.5, 1.0 - SHARE, 1.0 - SHARE / 30))
    least = max(steep, STEEP, STEEPEST * most, CLEAR * typical / 0.6745)
    swings = dict.fromkeys((*NEAR, *FAR), 0.0)
    count = 0
    for slope, values in planes:
        row, column = np.divmod(np.flatnonzero(np.abs(slope) >= least), slope.shape[1])
        sign = np.sign(slope[row, column])
        place, count = row * values.shape[1] + column + reach, count + len(row)
        flat = values.ravel()
        for away in swings:
            both = flat[place + away] - flat[place - away]
            swings[away] += float(np.sum(sign * both, dtype=np.float64))
    settled = sum(swings[away] for away in FAR) / len(FAR)
    pixels = sum(slope.size for slope, _ in planes)
    steady = SETTLED * max(count, FEW * pixels)
    return (max(swings[away] for away in NEAR) + steady) / (max(settled, 0.0) + steady)


def _at(ordered: Floats, share: float) -> float:
    """Return a quantile of sorted values, read between neighbours (Hyndman and Fan's type 7)."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low]) + (place - low) * (float(ordered[high]) - float(ordered[low]))
