"""The flat-ramp-plateau curve a + b * clip(t - k, 0, m), fitted to many series at once.

Steps of an edit chain inherit each other's errors, so the noise is modelled as AR(1) and its
coefficient is profiled out: every candidate curve is fitted by generalised least squares
(Prais-Winsten) for each coefficient of a fixed grid, up to 0.99, which is close to a random
walk. With curves kept as unit vectors orthogonal to the constant, a fit is one matrix product.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PHI = (0.0, 0.25, 0.5, 0.7, 0.85, 0.95, 0.99)
RAMPS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 130, 160, 200, 260, 320)
CARRIERS = 2  # steps that must carry the change: one odd last step is no onset
SPIKE = 8.0
LONGEST = 256  # points; longer series are averaged in blocks first


class Curves(Struct, frozen=True):
    """The candidate curves of one set of steps, whitened for one AR coefficient.

    `basis` is (curves, n), rows of length 1 and orthogonal to the whitened constant `flat`
    (n,); `scale` (curves,) turns a projection into the slope b; `start` (curves,) is the
    position of k among the steps and `ramp` (curves,) is m in steps.
    """

    phi: float
    flat: Floats
    basis: Floats
    scale: Floats
    start: NDArray[np.int64]
    ramp: Floats


class Fit(Struct, frozen=True):
    """The best curve of every series of a batch: arrays of one length, one entry a series.

    `statistic` is twice the gain in log likelihood over "constant with AR(1) noise".
    """

    statistic: Floats
    phi: NDArray[np.int64]  # index into PHI of the noise under the best curve
    curve: NDArray[np.int64]  # row of that coefficient's basis
    slope: Floats


def whiten(series: Floats, phi: float) -> Floats:
    """Return the Prais-Winsten transform of `series` along its last axis, same shape."""
    out = np.empty_like(series)
    out[..., 0] = series[..., 0] * np.sqrt(1.0 - phi * phi)
    out[..., 1:] = series[..., 1:] - phi * series[..., :-1]
    return out


def shapes(
    steps: tuple[int, ...], ramps_tried: tuple[int, ...] = RAMPS
) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return every clip(t - k, 0, m) as rows (curves, n), with the position of k and m."""
    times = np.asarray(steps, dtype=np.float64)
    rows: list[Floats] = []
    starts: list[int] = []
    ramps: list[float] = []
    for start in range(len(times) - CARRIERS):
        left = times[-1] - times[start]
        for ramp in [float(m) for m in ramps_tried if m < left] + [float(left)]:
            rows.append(np.clip(times - times[start], 0.0, ramp))
            starts.append(start)
            ramps.append(ramp)
    return np.array(rows), np.array(starts, dtype=np.int64), np.array(ramps)


@lru_cache(maxsize=4)
def curves(steps: tuple[int, ...]) -> tuple[Curves, ...]:
    """Return the candidate curves of `steps` (ascending, at least 4), one set a coefficient."""
    rows, starts, ramps = shapes(steps)
    return tuple(of_shapes(rows, starts, ramps, phi) for phi in PHI)


def of_shapes(rows: Floats, starts: NDArray[np.int64], ramps: Floats, phi: float) -> Curves:
    """Return the whitened unit curves of `shapes` for one AR coefficient."""
    flat = whiten(np.ones(rows.shape[1]), phi)
    flat /= np.linalg.norm(flat)
    basis = whiten(rows, phi)
    basis -= np.outer(basis @ flat, flat)
    length = np.linalg.norm(basis, axis=1)
    basis /= length[:, None]
    return Curves(phi=phi, flat=flat, basis=basis, scale=1.0 / length, start=starts, ramp=ramps)


def fit(family: tuple[Curves, ...], series: Floats) -> Fit:
    """Fit every row of `series` (count, n), finite and of moderate size, by all curves."""
    count, length = series.shape
    best0 = np.full(count, -np.inf)
    best1 = np.full(count, -np.inf)
    phi = np.zeros(count, dtype=np.int64)
    curve = np.zeros(count, dtype=np.int64)
    slope = np.zeros(count)
    # Rounding alone must not make a perfect fit infinitely better than a good one.
    floor = 1e-12 * np.sum((series - series.mean(axis=1, keepdims=True)) ** 2, axis=1) + 1e-300
    for number, one in enumerate(family):
        white = whiten(series, one.phi)
        white -= np.outer(white @ one.flat, one.flat)
        total = np.einsum("ij,ij->i", white, white)
        shares = white @ one.basis.T
        row = np.argmax(np.abs(shares), axis=1)
        share = shares[np.arange(count), row]
        bonus = 0.5 * np.log1p(-one.phi * one.phi)
        like0 = bonus - 0.5 * length * np.log(np.maximum(total, floor))
        like1 = bonus - 0.5 * length * np.log(np.maximum(total - share * share, floor))
        best0 = np.maximum(best0, like0)
        better = like1 > best1
        best1 = np.where(better, like1, best1)
        phi = np.where(better, number, phi)
        curve = np.where(better, row, curve)
        slope = np.where(better, share * one.scale[row], slope)
    return Fit(statistic=2.0 * (best1 - best0), phi=phi, curve=curve, slope=slope)


def despiked(raw: Floats) -> Floats:
    """Return `raw` (n,) with lone outliers beyond SPIKE robust deviations put in line.

    The deviation is that of the first differences (MAD, normal consistent). The first value
    is the reference and stays; the last must fit neither the value before nor its trend.
    """
    if len(raw) < 4:
        return raw
    half = raw / 4.0  # differences of values near the largest double must not overflow
    sizes = np.abs(half[1:] - half[:-1])
    # Where most neighbours are equal the median says nothing: the mean stands in.
    typical = float(np.partition(sizes, len(sizes) // 2)[len(sizes) // 2])
    scale = 1.4826 * typical if typical > 0.0 else float(np.mean(sizes))
    low = np.minimum(half[:-2], half[2:])
    middle = np.minimum(np.maximum(half[1:-1], low), np.maximum(half[:-2], half[2:]))
    out = half.copy()
    lone = np.abs(half[1:-1] - middle) > SPIKE * scale
    out[1:-1][lone] = middle[lone]
    ahead = (out[-2], 2.0 * out[-2] - out[-3])
    if min(abs(half[-1] - value) for value in ahead) > SPIKE * scale:
        out[-1] = out[-2]
    return raw if np.array_equal(out, half) else np.asarray(out * 4.0)


def usable(
    steps: Sequence[int], values: Sequence[float | None], reference: int
) -> tuple[tuple[int, ...], Floats]:
    """Return the steps from the reference on that have a finite value, ascending, and the values.

    Of several values of one step the first counts.
    """
    at = np.asarray(list(steps), dtype=np.int64)
    raw = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    keep = np.isfinite(raw) & (at >= reference)
    at, first = np.unique(at[keep], return_index=True)
    return tuple(at.tolist()), raw[keep][first]


def scaled(raw: Floats) -> tuple[Floats, float]:
    """Return `raw` (n,) centred on its median with size 1, and that size; 0 if all are equal."""
    centre = float(np.median(raw / 2.0))
    # Halved first, so that values near the largest double cannot overflow.
    shifted = raw / 2.0 - centre
    size = float(np.max(np.abs(shifted)))
    if size <= 1e-13 * abs(centre):
        return np.zeros_like(raw), 0.0
    return shifted / size, 2.0 * size


def prepared(
    steps: Sequence[int], values: Sequence[float | None], reference: int
) -> tuple[tuple[int, ...], Floats, float]:
    """Return (steps, values, size) from the reference on, ready for `fit`.

    A value that stands alone against both neighbours is an odd picture, not a change that
    stays: it is put back between them. Series longer than LONGEST are averaged in equal
    blocks, each known by its first step.
    """
    at, raw = usable(steps, values, reference)
    if not len(raw):
        return at, raw, 0.0
    raw = despiked(raw)
    if len(raw) > LONGEST:
        block = -(-len(raw) // LONGEST)
        edges = np.arange(0, len(raw), block)
        lengths = np.diff(np.append(edges, len(raw)))
        raw = np.add.reduceat(raw / np.repeat(lengths, lengths), edges)
        at = tuple(at[edge] for edge in edges)
    return at, *scaled(raw)
