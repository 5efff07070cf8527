"""The average power spectrum of luma, and what the probes read from it."""

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
    import scipy.fft

    height, width = luma.shape
    side = tile_side((height, width))
    rows, columns = height // side, width // side
    top, left = (height - rows * side) // 2, (width - columns * side) // 2
    ramp = np.hanning(side + 1)[:-1]
    window = np.outer(ramp, ramp).astype(np.float32)
    total = np.zeros((side, side // 2 + 1))
    for row in range(rows):
        band = luma[top + row * side : top + (row + 1) * side, left : left + columns * side]
        tiles = band.reshape(side, columns, side).swapaxes(0, 1)
        means = (tiles * window).sum(axis=(1, 2), keepdims=True, dtype=np.float64) / window.sum()
        spectra = scipy.fft.rfft2((tiles - means.astype(np.float32)) * window)
        total += (spectra.real**2 + spectra.imag**2).sum(axis=0, dtype=np.float64)
    mean: NDArray[np.float64] = total / (rows * columns)
    return mean


def high_share(spectrum: NDArray[np.float64]) -> float | None:
    """Return the share of energy above 0.25 cycles a pixel; None for a flat picture."""
    radius = _radius(spectrum.shape[0])
    weights = _weights(spectrum)
    energy = float((spectrum * weights).sum())
    if energy <= 0.0:
        return None
    return float((spectrum * weights)[radius > 0.25].sum()) / energy


def slope(spectrum: NDArray[np.float64]) -> float | None:
    """Return the exponent of the radial power spectrum; None for a flat picture.

    Least squares of log power on log frequency over ring means between 4 tile cycles and 0.45
    cycles a pixel, rings equally spaced in log frequency (Field 1987: about -2 for scenes).
    """
    side = spectrum.shape[0]
    radius = _radius(side)
    weights = _weights(spectrum)
    edges = np.geomspace(4.0 / side, 0.45, 17)
    which = np.digitize(radius, edges)
    heights, places = [], []
    for ring in range(1, len(edges)):
        inside = which == ring
        amount = float(weights[inside].sum())
        mean = float((spectrum * weights)[inside].sum()) / amount if amount else 0.0
        if mean > 0.0:
            heights.append(np.log(mean))
            places.append(np.log(float((radius * weights)[inside].sum()) / amount))
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
    best = None
    for axis in (spectrum[0, :], spectrum[: side // 2 + 1, 0]):
        for bin_ in range(max(side // 32, 3), side // 2 + 1):
            near = [n for n in range(bin_ - 8, bin_ + 9) if abs(n - bin_) > 2]
            around = float(np.median([axis[n] for n in near if 1 <= n <= side // 2]))
            if axis[bin_] > 0.0 and around > 0.0:
                level = 10.0 * float(np.log10(axis[bin_] / around))
                best = level if best is None else max(best, level)
    return best


def _radius(side: int) -> NDArray[np.float64]:
    down, across = np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :]
    radius: NDArray[np.float64] = np.hypot(down, across)
    return radius


def _weights(spectrum: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count each column of the half spectrum for its mirror image too."""
    side = spectrum.shape[0]
    weights = np.full(spectrum.shape, 2.0)
    weights[:, 0] = 1.0
    weights[:, side // 2] = 1.0
    return weights
