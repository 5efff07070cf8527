"""The signals a run is judged by: on which scale they are fitted, and what is too little."""

import math
import tomllib
from collections.abc import Mapping, Sequence, Sized
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct, convert

from b100tui.analysis.onset import ANY, Least


class Signal(Struct, frozen=True):
    """One signal of `signals.toml`; `rise` and `fall` are on the scale it is fitted on."""

    scale: Literal["log", "plain"]
    rise: float
    fall: float
    why: str
    softens: bool = False


@lru_cache(maxsize=1)
def judged() -> dict[str, Signal]:
    """Return the shipped signals by name."""
    text = files("b100tui.analysis").joinpath("signals.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), dict[str, Signal])


# What a run is judged by unless the caller says otherwise: grain, texture, colour, fidelity.
SIGNALS = tuple(judged())
# Signals that mean something as a ratio without being judged themselves.
_ALSO_RATIOS = frozenset({"noise_wavelet", "gradient_energy", "halo"})
ALIGNED_TEXTURE = "texture_aligned"


def as_fitted(name: str, values: Sequence[float | None]) -> Sequence[float | None]:
    """Return the values of a signal on the scale they are fitted on: the log of a ratio."""
    one = judged().get(name)
    if (one is None or one.scale != "log") and name not in _ALSO_RATIOS:
        return values
    return [math.log(v) if v is not None and 0.0 < v < math.inf else None for v in values]


def texture_at_hand(signals: Mapping[str, Sized]) -> bool:
    """Return whether the aligned texture is known at half as many steps as any other signal."""
    most = max((len(values) for values in signals.values()), default=0)
    return 2 * len(signals.get(ALIGNED_TEXTURE, ())) >= most > 0


def least(name: str, aligned: bool) -> Least:
    """Return the least rise and fall of a signal that count.

    Resampling softens a picture without damage: with the aligned texture at hand the fall of
    a signal that it softens says nothing more.
    """
    one = judged().get(name)
    if one is None:
        return ANY
    return (one.rise, math.inf if one.softens and aligned else one.fall)
