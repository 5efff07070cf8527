"""The size table of the simulated model: which output size answers which input."""

import math
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec


@cache
def _table() -> dict[str, Any]:
    text = files("b100tui.editors").joinpath("sizes.toml").read_bytes()
    table: dict[str, Any] = msgspec.toml.decode(text)
    return table


def output_size(width: int, height: int, resolution: str, scale: float = 1.0) -> tuple[int, int]:
    """Return (width, height) in pixels of the answer to an input of `width` x `height`.

    The ratio nearest by logarithm wins; `scale` shrinks the whole table for demos.
    Raises ValueError for a resolution other than 1K, 2K, 4K.
    """
    factors = _table()["factors"]
    if resolution not in factors:
        raise ValueError(f"resolution {resolution!r} is none of {', '.join(factors)}")
    wanted = math.log(width / height)
    best = min(_table()["one_k"], key=lambda size: abs(math.log(size[0] / size[1]) - wanted))
    factor = factors[resolution] * scale
    return max(1, round(best[0] * factor)), max(1, round(best[1] * factor))


def central_crop(width: int, height: int, ratio: float) -> tuple[int, int, int, int]:
    """Return (x, y, w, h) of the largest central part of `width` x `height` with that ratio."""
    if width / height > ratio:
        kept = min(width, max(1, round(height * ratio)))
        return (width - kept) // 2, 0, kept, height
    kept = min(height, max(1, round(width / ratio)))
    return 0, (height - kept) // 2, width, kept
