"""The flat-ramp-plateau curve a + b * clip(t - k, 0, m), fitted to many series at once.

Steps of an edit chain inherit each other's errors, so the noise is AR(1), up to 0.99, or a random
walk seen through white noise of its own (the local level model of Harvey 1989). Which of them it
is, is profiled out: every candidate curve is fitted by generalised least squares for each noise
of a fixed list. With curves kept as unit vectors orthogonal to the constant, a fit is one matrix
product.
"""

from bisect import insort
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Noise(Struct, frozen=True):
    """AR(1) with coefficient `phi`, or with `level` a walk under white noise of so many steps."""

    phi: float = 0.0
    level: float | None = None

    @property
    def smooth(self) -> float:
        """Correlation of neighbouring values that is left in such noise, 0 to 1.

        For a level its long-run weight on the past: one minus the steady gain of its filter.
        """
        if self.level is None:
            return self.phi
        spread = (1.0 + np.sqrt(1.0 + 4.0 * self.level**2)) / 2.0
        return float(1.0 - spread / (spread + self.level**2))


NOISES = (
    *(Noise(phi) for phi in (0.0, 0.25, 0.5, 0.7, 0.85, 0.95, 0.99)),
    Noise(level=1.0),
    Noise(level=4.0),
)
RAMPS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 130, 160, 200, 260, 320)
CARRIERS = 2  # steps that must carry the change: one odd last step is no onset
SPIKE = 8.0
LONGEST = 256  # points; longer series are averaged in blocks first


class Curves(Struct, frozen=True):
    """The candidate curves of one set of steps, whitened for one noise.

    `basis` is (curves, n), rows of length 1 and orthogonal to the whitened constant `flat`
    (n,); `scale` (curves,) turns a projection into the slope b; `start` (curves,) is the
    position of k among the steps and `ramp` (curves,) is m in steps.
    """

    noise: Noise
    flat: Floats
    basis: Floats
    scale: Floats
    start: NDArray[np.int64]
    ramp: Floats


class Fit(Struct, frozen=True):
    """The best curve of every series of a batch: arrays of one length, one entry a series.

    `statistic` is twice the log of the best curve's likelihood over the mean likelihood of "no
    change" under each noise.
    """

    statistic: Floats
    noise: NDArray[np.int64]  # index into NOISES of the noise under the best curve
    curve: NDArray[np.int64]  # row of that noise's basis
    slope: Floats


def whiten(series: Floats, noise: Noise) -> Floats:
    """Return the innovations of `series` along its last axis, of equal variance, same shape.

    Prais-Winsten for AR(1); for a level the Kalman filter that starts at the known constant. Each
    value rests on those before it alone, so the innovations of a beginning are a beginning.
    """
    out = np.empty_like(series)
    if noise.level is None:
        out[..., 0] = series[..., 0] * np.sqrt(1.0 - noise.phi * noise.phi)
        out[..., 1:] = series[..., 1:] - noise.phi * series[..., :-1]
        return out
    gains, spreads = _filter(series.shape[-1], noise.level)
    level = np.zeros(series.shape[:-1])
    for place in range(series.shape[-1]):
        miss = series[..., place] - level
        level = level + gains[place] * miss
        out[..., place] = miss / np.sqrt(spreads[place])
    return out


def bonus(noise: Noise, length: int) -> Floats:
    """Return minus half the log determinant of the covariance after each value, (length,)."""
    if noise.level is None:
        return np.full(length, 0.5 * np.log1p(-noise.phi * noise.phi))
    return np.asarray(-0.5 * np.cumsum(np.log(_filter(length, noise.level)[1])))


@lru_cache(maxsize=64)
def _filter(length: int, level: float) -> tuple[Floats, Floats]:
    """Return the gain and the innovation's variance at each value for a walk of unit steps."""
    gains, spreads = np.empty(length), np.empty(length)
    doubt = 0.0
    for place in range(length):
        spreads[place] = doubt + level * level
        gains[place] = doubt / spreads[place]
        doubt = doubt * (1.0 - gains[place]) + 1.0
    return gains, spreads


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
    """Return the candidate curves of `steps` (ascending, at least 4), one set a noise."""
    rows, starts, ramps = shapes(steps)
    return tuple(of_shapes(rows, starts, ramps, noise) for noise in NOISES)


def of_shapes(rows: Floats, starts: NDArray[np.int64], ramps: Floats, noise: Noise) -> Curves:
    """Return the whitened unit curves of `shapes` for one noise."""
    flat = whiten(np.ones(rows.shape[1]), noise)
    flat /= np.linalg.norm(flat)
    basis = whiten(rows, noise)
    basis -= np.outer(basis @ flat, flat)
    length = np.linalg.norm(basis, axis=1)
    basis /= length[:, None]
    return Curves(noise=noise, flat=flat, basis=basis, scale=1.0 / length, start=starts, ramp=ramps)


def fit(family: tuple[Curves, ...], series: Floats) -> Fit:
    """Fit every row of `series` (count, n), finite and of moderate size, by all curves."""
    count, length = series.shape
    without = np.empty((len(family), count))
    best = np.full(count, -np.inf)
    noise = np.zeros(count, dtype=np.int64)
    curve = np.zeros(count, dtype=np.int64)
    slope = np.zeros(count)
    # Rounding alone must not make a perfect fit infinitely better than a good one.
    floor = 1e-12 * np.sum((series - series.mean(axis=1, keepdims=True)) ** 2, axis=1) + 1e-300
    for number, one in enumerate(family):
        white = whiten(series, one.noise)
        white -= np.outer(white @ one.flat, one.flat)
        total = np.einsum("ij,ij->i", white, white)
        shares = white @ one.basis.T
        row = np.argmax(np.abs(shares), axis=1)
        share = shares[np.arange(count), row]
        extra = bonus(one.noise, length)[-1]
        without[number] = extra - 0.5 * length * np.log(np.maximum(total, floor))
        like = extra - 0.5 * length * np.log(np.maximum(total - share * share, floor))
        better = like > best
        best = np.where(better, like, best)
        noise = np.where(better, number, noise)
        curve = np.where(better, row, curve)
        slope = np.where(better, share * one.scale[row], slope)
    return Fit(statistic=2.0 * (best - mean_of(without)), noise=noise, curve=curve, slope=slope)


def mean_of(likelihoods: Floats) -> Floats:
    """Return the log of the mean over the first axis of what `likelihoods` are the logs of."""
    most = likelihoods.max(axis=0)
    return np.asarray(most + np.log(np.mean(np.exp(likelihoods - most), axis=0)))


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


def stirred(raw: Floats, clean: Floats) -> NDArray[np.bool_]:
    """Return for each beginning of `raw` (n,) whether `despiked` might differ from `clean` there.

    `clean` is `despiked(raw)`. False means that the beginning of `clean` is what was known then.
    """
    half = raw / 4.0
    sizes = np.abs(half[1:] - half[:-1])
    low = np.minimum(half[:-2], half[2:])
    middle = np.minimum(np.maximum(half[1:-1], low), np.maximum(half[:-2], half[2:]))
    lone = np.abs(half[1:-1] - middle)
    ahead = np.minimum(np.abs(half[2:] - half[1:-1]), np.abs(half[2:] - 2 * half[1:-1] + half[:-2]))
    bars = np.full(len(raw), np.inf)
    ranked: list[float] = []
    for place, size in enumerate(sizes.tolist(), 1):
        insort(ranked, size)
        typical = ranked[len(ranked) // 2]
        scale = 1.4826 * typical if typical > 0.0 else float(np.mean(sizes[:place]))
        bars[place] = SPIKE * scale
    out = np.zeros(len(raw), dtype=np.bool_)
    # A value near the end is judged by neighbours that may be odd themselves.
    odd = raw != clean
    for back in range(3):
        out[back:] |= odd[: len(raw) - back]
    out[2:] |= ahead > bars[2:]
    # Further back the bar alone has moved since: did it move past a value?
    for place in (np.flatnonzero(np.maximum.accumulate(lone) > np.min(bars)) + 2).tolist():
        least, most = min(bars[place], bars[-1]), max(bars[place], bars[-1])
        before = lone[: place - 1]
        out[place] |= bool(np.any((before > least) & (before <= most)))
    return out


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
