"""Series with planted truth: curves that begin to change at a known step, and nulls."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NULLS = ("white", "ar0.3", "ar0.5", "ar0.7", "ar0.9", "walk")
SHAPES = ("ramp", "ramp_plateau", "saturating", "jump")


def noise(kind: str, count: int, length: int, rng: np.random.Generator) -> Floats:
    """Series of standard deviation 1 (innovations of 1 for a walk) without any change.

    white, ar<phi>, walk, or level<r>: a walk seen through white noise of sd r.
    """
    drawn = rng.standard_normal((count, length))
    if kind == "white":
        return drawn
    if kind == "walk":
        return np.cumsum(drawn, axis=1)
    if kind.startswith("level"):
        return np.cumsum(drawn, axis=1) + float(kind[5:]) * rng.standard_normal((count, length))
    phi = float(kind[2:])
    out = drawn.copy()
    for step in range(1, length):
        out[:, step] = phi * out[:, step - 1] + np.sqrt(1 - phi * phi) * drawn[:, step]
    return out


def change(shape: str, steps: NDArray[np.int64], onset: int) -> Floats:
    """A curve of height about 1 whose first changed step is `onset`."""
    since = np.clip(steps - (onset - 1), 0, None).astype(float)
    if shape == "jump":
        return np.asarray(since > 0, float)
    if shape == "ramp":
        return np.asarray(since / max(1.0, since.max()))
    if shape == "ramp_plateau":
        return np.asarray(np.clip(since, 0, 8) / 8)
    return np.asarray(1.0 - np.exp(-since / 5.0))
