"""What the eye may ask of pixels: crop, zoom, difference, residual, channels, stretch.

Pure functions on uint8 RGB of shape (height, width, 3) in source pixels; results are uint8 RGB
again, ready to be shown. They never change their input.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from b100tui.imaging.decode import Pixels

Box = tuple[int, int, int, int]
Channel = Literal["r", "g", "b", "luma", "saturation"]
MIDDLE = 128  # where a signed difference of zero lies


def crop(pixels: Pixels, box: Box) -> Pixels:
    """Return the part of `pixels` inside `box` (x, y, width, height), cut at the edges.

    At least one pixel is left, the nearest one when the box lies outside.
    """
    height, width = pixels.shape[:2]
    x, y, across, down = box
    left, top = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
    right = min(max(x + across, left + 1), width)
    bottom = min(max(y + down, top + 1), height)
    return pixels[top:bottom, left:right]


def zoom(pixels: Pixels, factor: int) -> Pixels:
    """Return each pixel as a square of `factor` x `factor` equal ones (nearest neighbour)."""
    if factor < 1:
        raise ValueError(f"a zoom factor is at least 1, not {factor}")
    return np.repeat(np.repeat(pixels, factor, axis=0), factor, axis=1)


def absolute_difference(pixels: Pixels, reference: Pixels, gain: float = 1.0) -> Pixels:
    """Return gain |a - b| by channel, cut at 255; 0 where equal. Sizes must be equal."""
    import cv2

    _same_size(pixels, reference)
    apart = cv2.absdiff(pixels, reference)
    return np.asarray(cv2.convertScaleAbs(apart, alpha=gain), np.uint8)


def signed_difference(pixels: Pixels, reference: Pixels, gain: float = 1.0) -> Pixels:
    """Return 128 + gain (a - b) by channel, cut to 0..255; 128 where equal. Sizes are equal."""
    _same_size(pixels, reference)
    return _apart(pixels, reference, gain)


def residual(pixels: Pixels, gain: float = 4.0, radius: int = 1) -> Pixels:
    """Return 128 + gain (picture - denoised picture): what a median filter takes away.

    The median of (2 radius + 1)^2 pixels by channel keeps edges and drops grain (Tukey 1977).
    """
    import cv2

    whole = np.ascontiguousarray(pixels)
    return _apart(whole, np.asarray(cv2.medianBlur(whole, 2 * radius + 1), np.uint8), gain)


def channel(pixels: Pixels, name: Channel) -> Pixels:
    """Return one channel as grey: red, green, blue, luma, or saturation (HSV, 255 = full)."""
    import cv2

    whole = np.ascontiguousarray(pixels)
    if name == "luma":
        grey = cv2.cvtColor(whole, cv2.COLOR_RGB2GRAY)
    elif name == "saturation":
        grey = np.ascontiguousarray(cv2.cvtColor(whole, cv2.COLOR_RGB2HSV_FULL)[:, :, 1])
    else:
        grey = np.ascontiguousarray(whole[:, :, "rgb".index(name)])
    return _rgb(grey)


def stretch(pixels: Pixels, share: float = 0.01) -> Pixels:
    """Return the contrast stretched so that all but `share` at either end fill 0 to 255.

    One range for all three channels, so that hues stay. A flat picture comes back unchanged.
    """
    import cv2

    counts = sum(cv2.calcHist([pixels], [at], None, [256], [0, 256]).ravel() for at in range(3))
    sums = np.cumsum(counts)
    low = int(np.searchsorted(sums, share * sums[-1], side="right"))
    high = int(np.searchsorted(sums, (1.0 - share) * sums[-1], side="left"))
    if high <= low:
        return pixels.copy()
    table = _levels((np.arange(256, dtype=np.float32) - low) * (255.0 / (high - low)))
    return np.asarray(cv2.LUT(pixels, table), np.uint8)


def _apart(pixels: Pixels, reference: Pixels, gain: float) -> Pixels:
    """Return 128 + gain (a - b); OpenCV cuts to 0..255 and needs no float copy of the picture."""
    import cv2

    return np.asarray(cv2.addWeighted(pixels, gain, reference, -gain, MIDDLE), np.uint8)


def _same_size(pixels: Pixels, reference: Pixels) -> None:
    if pixels.shape != reference.shape:
        here, there = pixels.shape[1::-1], reference.shape[1::-1]
        raise ValueError(f"a difference needs equal sizes, not {here} and {there}")


def _levels(values: NDArray[np.float32]) -> Pixels:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _rgb(grey: NDArray[np.generic]) -> Pixels:
    return np.repeat(np.asarray(grey, np.uint8)[:, :, None], 3, axis=2)
