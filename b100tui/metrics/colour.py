"""Colour statistics of a picture in one pass of stripes: Lab means, colourfulness, clipping."""

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cv2.typing import MatLike

_STRIPE = 32  # rows; a stripe's intermediates stay in the processor's cache
# Linear sRGB to CIE XYZ, D65 (IEC 61966-2-1); white is the sum of each row.
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_EPSILON, _KAPPA = 216 / 24389, 24389 / 27


class Colour(Struct, frozen=True):
    """`lab` is the mean (L*, a*, b*), D65; the shares run from 0 to 1."""

    lab: tuple[float, float, float]
    colourfulness: float
    saturation: float
    clipped: float


def colour_of(pixels: NDArray[np.uint8]) -> Colour:
    """Return the colour statistics of uint8 (height, width, 3) sRGB.

    lab: CIE 1976 L*a*b* of every pixel, averaged.
    colourfulness: sqrt(var rg + var yb) + 0.3 sqrt(mean rg^2 + mean yb^2) with rg = R - G and
    yb = (R + G) / 2 - B (Hasler and Suesstrunk 2003, M3).
    saturation: mean HSV saturation, 0 for black.
    clipped: share of the samples of all three channels at 0 or 255.
    """
    import cv2

    count = pixels.shape[0] * pixels.shape[1]
    roots, sums, squares = np.zeros(3), np.zeros(3), np.zeros(3)
    saturation, clipped = 0.0, 0
    for top in range(0, len(pixels), _STRIPE):
        stripe = np.ascontiguousarray(pixels[top : top + _STRIPE])
        channels = cv2.split(stripe)
        roots += _roots(channels)
        sums += cv2.sumElems(stripe)[:3]
        squares += _square_differences(channels)
        saturation += _saturation(channels)
        clipped += _clipped(stripe)
    x, y, z = (float(root) for root in roots / count)
    red, green, blue = (float(mean) for mean in sums / count)
    red_green, red_blue, green_blue = (float(square) for square in squares / count)
    # both opponents' mean squares, from whole numbers alone: nothing is lost to rounding
    strength = red_green + (2 * red_blue + 2 * green_blue - red_green) / 4
    offset = (red - green) ** 2 + ((red + green) / 2 - blue) ** 2
    return Colour(
        (116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)),
        math.sqrt(max(0.0, strength - offset)) + 0.3 * math.sqrt(offset),
        saturation / count,
        clipped / pixels.size,
    )


def _roots(channels: "Sequence[MatLike]") -> NDArray[np.float64]:
    """Return the sums of f(X/Xn), f(Y/Yn), f(Z/Zn), f the cube root with CIE's linear foot."""
    import cv2

    table, matrix = _tables()
    red, green, blue = (cv2.LUT(channel, table) for channel in channels)
    sums = np.empty(3)
    # plane by plane: OpenCV's transform of three channels at once takes three times as long
    for place, (of_red, of_green, of_blue) in enumerate(matrix):
        ratios = cv2.scaleAdd(blue, of_blue, cv2.addWeighted(red, of_red, green, of_green, 0.0))
        # the root of what is above the foot, and the line below it from where both meet
        _, below = cv2.threshold(ratios, _EPSILON, 0.0, cv2.THRESH_TRUNC)
        above = np.maximum(ratios, np.float32(_EPSILON), out=np.asarray(ratios))
        feet = cv2.sumElems(below)[0] - _EPSILON * above.size
        sums[place] = cv2.sumElems(cv2.pow(above, 1.0 / 3.0))[0] + _KAPPA / 116 * feet
    return sums


def _square_differences(channels: "Sequence[MatLike]") -> list[float]:
    """Return the sums of (R - G)^2, (R - B)^2 and (G - B)^2."""
    import cv2

    red, green, blue = channels
    pairs = ((red, green), (red, blue), (green, blue))
    return [cv2.norm(one, other, cv2.NORM_L2SQR) for one, other in pairs]


def _saturation(channels: "Sequence[MatLike]") -> float:
    import cv2

    red, green, blue = channels
    high, low = cv2.max(cv2.max(red, green), blue), cv2.min(cv2.min(red, green), blue)
    shares = cv2.divide(cv2.subtract(high, low), np.maximum(high, 1), dtype=cv2.CV_32F)
    return float(cv2.sumElems(shares)[0])


def _clipped(stripe: NDArray[np.uint8]) -> int:
    import cv2

    return stripe.size - cv2.countNonZero(cv2.inRange(stripe.reshape(len(stripe), -1), 1, 254))


@cache
def _tables() -> tuple[NDArray[np.float32], list[list[float]]]:
    """Return linear light by level, and each part of X, Y and Z over that of white."""
    levels = np.arange(256) / 255.0
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    matrix = _XYZ / _XYZ.sum(axis=1, keepdims=True)
    return linear.astype(np.float32), matrix.tolist()
