"""The average power spectrum of luma, and what the probes read from it."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
TILE = 256
SMALLEST = 32


def tile_side(shape: tuple[int, int]) -> int:
    """Return the tile side for a picture: 256, or the power of two that still fits."""
    side = min(*shape, TILE)
    return 1 << (side.bit_length() - 1)


def power(luma: Floats) -> NDArray[np.float64]:
    """Return the mean power spectrum of non-overlapping Hann-windowed tiles.

    Welch 1967 in two dimensions: tiles of `tile_side` pixels, centred on the picture (a rim
    narrower than a tile is not seen), each without its own weighted mean. Shape (side,
    side // 2 + 1), frequencies as numpy.fft.fftfreq and rfftfreq. Both sides of `luma` must be
    at least 32.
    """
    import cv2

    height, width = luma.shape
    side = tile_side((height, width))
    rows, columns = height // side, width // side
    top, left = (height - rows * side) // 2, (width - columns * side) // 2
    window = _window(side)
    weight = window.sum()
    total = np.zeros((side, side // 2 + 1))
    for row in range(rows):
        band = luma[top + row * side : top + (row + 1) * side, left : left + columns * side]
        tiles = band.reshape(side, columns, side).swapaxes(0, 1)
        means = (tiles * window).sum(axis=(1, 2), keepdims=True, dtype=np.float64) / weight
        for tile in (tiles - means.astype(np.float32)) * window:
            # numpy's transform takes six times as long, importing scipy's takes most of a second
            wave = np.asarray(cv2.dft(tile, flags=cv2.DFT_COMPLEX_OUTPUT), np.float32)
            half = wave[:, : side // 2 + 1]
            total += half[:, :, 0] ** 2 + half[:, :, 1] ** 2
    mean: NDArray[np.float64] = total / (rows * columns)
    return mean


@cache
def _window(side: int) -> Floats:
    ramp = np.hanning(side + 1)[:-1]
    return np.outer(ramp, ramp).astype(np.float32)


def high_share(spectrum: NDArray[np.float64]) -> float | None:
    """Return the share of energy above 0.25 cycles a pixel; None for a flat picture."""
    weighted = spectrum * _weights(spectrum.shape[0])
    energy = float(weighted.sum())
    if energy <= 0.0:
        return None
    return float(weighted[_radius(spectrum.shape[0]) > 0.25].sum()) / energy


def slope(spectrum: NDArray[np.float64]) -> float | None:
    """Return the exponent of the radial power spectrum; None for a flat picture.

    Least squares of log power on log frequency over ring means between 4 tile cycles and 0.45
    cycles a pixel, rings equally spaced in log frequency (Field 1987: about -2 for scenes).
    """
    weighted = spectrum * _weights(spectrum.shape[0])
    heights, places = [], []
    for inside, amount, place in _rings(spectrum.shape[0]):
        mean = float(weighted.ravel()[inside].sum()) / amount
        if mean > 0.0:
            heights.append(np.log(mean))
            places.append(place)
    if len(heights) < 3:
        return None
    return float(np.polyfit(places, heights, 1)[0])


def line_peak(spectrum: NDArray[np.float64]) -> float | None:
    """Return the strongest line on the two frequency axes over its surroundings, in decibels.

    Power on an axis is that of structure constant along the other one: a grid of period p puts
    lines at k/p. Each bin is set against the median of the 6 bins on either side of it, its
    own window lobe (2 bins) left out, from 1/32 cycles a pixel on. None for a flat picture.
    """
    side = spectrum.shape[0]
    bins, around = _surroundings(side)
    best = None
    for axis in (spectrum[0, : side // 2 + 1], spectrum[: side // 2 + 1, 0]):
        beside = np.sort(np.append(axis, np.inf)[around], axis=1)  # a bin that is not there is last
        count = (around <= side // 2).sum(axis=1)
        rows = np.arange(len(bins))
        middle = (beside[rows, (count - 1) // 2] + beside[rows, count // 2]) / 2.0
        here = axis[bins]
        there = (here > 0.0) & (middle > 0.0)
        if there.any():
            level = 10.0 * float(np.log10(np.max(here[there] / middle[there])))
            best = level if best is None else max(best, level)
    return best


@cache
def _surroundings(side: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the bins that may hold a line, and the 12 beside each; side // 2 + 1 where none is."""
    bins = np.arange(max(side // 32, 3), side // 2 + 1)
    away = np.array([n for n in range(-8, 9) if abs(n) > 2])
    around = bins[:, None] + away
    around[(around < 1) | (around > side // 2)] = side // 2 + 1
    return bins, around


@cache
def _radius(side: int) -> NDArray[np.float64]:
    down, across = np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :]
    radius: NDArray[np.float64] = np.hypot(down, across)
    return radius


@cache
def _weights(side: int) -> NDArray[np.float64]:
    """Count each column of the half spectrum for its mirror image too."""
    weights = np.full((side, side // 2 + 1), 2.0)
    weights[:, 0] = 1.0
    weights[:, side // 2] = 1.0
    return weights


@cache
def _rings(side: int) -> list[tuple[NDArray[np.intp], float, float]]:
    """Return each ring's bins (flat), how many they count for, and the log of its mean radius."""
    radius, weights = _radius(side), _weights(side)
    edges = np.geomspace(4.0 / side, 0.45, 17)
    which = np.digitize(radius, edges)
    rings = []
    for ring in range(1, len(edges)):
        inside = which == ring
        amount = float(weights[inside].sum())
        if amount:
            place = float(np.log(float((radius * weights)[inside].sum()) / amount))
            rings.append((np.flatnonzero(inside), amount, place))
    return rings
