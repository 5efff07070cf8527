"""The table of thresholds that was set on simulated series without any change."""

import tomllib
from functools import lru_cache
from importlib.resources import files

import numpy as np
from msgspec import Struct, convert


class Thresholds(Struct, frozen=True, kw_only=True):
    """`thresholds.toml`: likelihood-ratio limits by number of values, and what belongs to them.

    `limits[i]` belongs to `lengths[i]` values; between lengths they are interpolated on a
    logarithmic scale, beyond the last they stay. The other names are told in the file.
    """

    shortest: int
    lengths: tuple[int, ...]
    limits: tuple[float, ...]
    level: float  # share of clean series that pass the limit, at most
    signal_margin: float  # a lone signal among s: times ln s
    look_margin: float  # the gate looks after every step
    quick_margin: float
    bootstraps: int
    block_factor: float
    spent: int  # degrees of freedom a fit uses up
    tail: float
    bent: float  # smoothness of the noise from which an interval is one step wider on either side

    def threshold(self, length: int) -> float:
        """Return the limit for `length` values."""
        return float(np.interp(np.log(length), np.log(self.lengths), self.limits))


@lru_cache(maxsize=1)
def table() -> Thresholds:
    """Return the shipped table."""
    text = files("b100tui.analysis").joinpath("thresholds.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), Thresholds)
