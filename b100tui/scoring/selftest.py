"""A known picture and what metrics must say of it, before a long job begins."""

import math

import numpy as np

from b100tui.metrics.protocol import Failure, Pixels

SIDE = 256
# PIQE needs no weights, so its value can be known ahead: that of pyiqa 0.1.16, which gives the
# published values of its calibration pictures to 1e-3. The picture is drawn in integers, so it is
# the same everywhere. The others are held to a finite number.
EXPECTED = {"piqe": 70.9349}
TOLERANCE = 0.05


def known_picture() -> Pixels:
    """Return a picture of SIDE x SIDE with shapes, slopes and grain, the same on every machine."""
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.int64)
    grain = (x * 1103515245 + y * 12345 + (x * y) * 214013 + 2531011) >> 7
    tiles = ((x // 32 + y // 48) % 3) * 50
    channels = [40 + tiles + (x + c * y) // 6 + grain % 23 + (c * 9) for c in range(3)]
    pixels: Pixels = np.clip(np.stack(channels, axis=2), 0, 255).astype(np.uint8)
    return pixels


def verdict(metric: str, outcome: object) -> Failure | None:
    """Return what is wrong with `outcome` for the known picture, None when nothing is."""
    if isinstance(outcome, Failure):
        return outcome
    if not isinstance(outcome, float | int) or not math.isfinite(outcome):
        return Failure("self_test", f"the known picture scored {outcome!r}, which is no number")
    if metric in EXPECTED and isinstance(outcome, float):
        expected = EXPECTED[metric]
        if abs(outcome - expected) > TOLERANCE:
            words = f"the known picture scored {outcome:g} instead of {expected:g}"
            return Failure("self_test", words)
    return None
