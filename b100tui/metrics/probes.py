"""Weight-free probes: what can be read from the pixels alone, without torch.

All work on uint8 RGB by the decode policy. Luma is 0.299 R + 0.587 G + 0.114 B in float32 grey
levels (0 to 255). A probe that has no meaning for a picture is a Failure with a name, never a
made-up number.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from b100tui.imaging.decode import DECODE_POLICY
from b100tui.metrics import edges, spectrum
from b100tui.metrics.colour import Colour, colour_of
from b100tui.metrics.protocol import Failure, Outcome, Pixels

# Changes with any formula below; part of every probe's metric_version.
PROBES_VERSION = "1"
Floats = NDArray[np.float32]
_FLAT = Failure("flat", "the picture is one flat luma: nothing to measure")


class View:
    """One picture as the probes see it; shared intermediates are computed once, on demand."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels
        self.height, self.width = pixels.shape[:2]
        self.short_side = min(self.height, self.width)

    @cached_property
    def luma(self) -> Floats:
        """Luma of the picture: see luma_of."""
        return luma_of(self.pixels)

    @cached_property
    def colour(self) -> Colour:
        """Colour statistics: see colour_of."""
        return colour_of(self.pixels)

    @cached_property
    def power(self) -> NDArray[np.float64]:
        """Mean power spectrum of luma: see spectrum.power."""
        return spectrum.power(self.luma)

    @cached_property
    def steps_across(self) -> Floats:
        """Luma steps to the right neighbour."""
        return np.diff(self.luma, axis=1)

    @cached_property
    def steps_down(self) -> Floats:
        """Luma steps to the lower neighbour."""
        return np.diff(self.luma, axis=0)


def luma_of(pixels: Pixels) -> Floats:
    """Return luma as float32 (height, width) in grey levels, in stripes to spare memory."""
    import cv2

    luma = np.empty(pixels.shape[:2], np.float32)
    for top in range(0, len(pixels), 256):
        stripe = np.ascontiguousarray(pixels[top : top + 256], np.float32)
        cv2.cvtColor(stripe, cv2.COLOR_RGB2GRAY, dst=luma[top : top + 256])
    return luma


def noise_sigma(view: View) -> Outcome:
    """Noise standard deviation of luma in grey levels.

    sqrt(pi/2) / (6 (W-2)(H-2)) sum |I * N| with the difference of two Laplacians N (Immerkaer,
    Fast noise variance estimation, CVIU 1996).
    """
    import cv2

    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    filtered = cv2.filter2D(view.luma, cv2.CV_32F, kernel)[1:-1, 1:-1]
    total = cv2.norm(np.ascontiguousarray(filtered), cv2.NORM_L1)
    return float(np.sqrt(np.pi / 2.0) * total / (6.0 * filtered.size))


def noise_wavelet(view: View) -> Outcome:
    """Noise standard deviation of luma in grey levels from the finest diagonal wavelets.

    Median of the non-zero absolute db2 coefficients over 0.6745 (Donoho and Johnstone 1994, as
    scikit-image's estimate_sigma); 0 where all of them vanish.
    """
    import cv2
    import pywt

    taps = np.array(pywt.Wavelet("db2").dec_hi[::-1], np.float32)
    detail = cv2.sepFilter2D(
        view.luma, cv2.CV_32F, taps, taps, anchor=(3, 3), borderType=cv2.BORDER_REFLECT
    )[1::2, 1::2]
    sizes = np.abs(detail).ravel()
    sizes = sizes[sizes > 1e-4]  # float32 rounding of a flat area is not noise
    return float(np.median(sizes)) / 0.6744897501960817 if sizes.size else 0.0


def laplacian_variance(view: View) -> Outcome:
    """Variance of the 4-neighbour Laplacian of luma, rim left out (Pech-Pacheco et al. 2000)."""
    import cv2

    filtered = cv2.Laplacian(view.luma, cv2.CV_32F, ksize=1)[1:-1, 1:-1]
    return float(filtered.var(dtype=np.float64))


def gradient_energy(view: View) -> Outcome:
    """Mean squared luma step to the right neighbour plus that to the lower one; 4 var of noise."""
    return _mean_square(view.steps_across) + _mean_square(view.steps_down)


def high_frequency(view: View) -> Outcome:
    """Share of luma energy above 0.25 cycles a pixel, mean left out; 1 - pi/16 for white noise."""
    return _or_flat(spectrum.high_share(view.power))


def spectral_slope(view: View) -> Outcome:
    """Exponent of the radial power spectrum of luma: see spectrum.slope."""
    return _or_flat(spectrum.slope(view.power))


def grid_peak(view: View) -> Outcome:
    """Strongest line of the spectrum's axes over its surroundings, decibels: spectrum.line_peak."""
    return _or_flat(spectrum.line_peak(view.power))


def halo(view: View) -> Outcome:
    """Swing across strong edges close by over that far away, a ratio: see edges.overshoot."""
    return edges.overshoot(view.luma)


def entropy(view: View) -> Outcome:
    """Shannon entropy in bits of the histogram of luma rounded to 256 levels."""
    import cv2

    levels = cv2.cvtColor(view.pixels, cv2.COLOR_RGB2GRAY)
    counts = cv2.calcHist([levels], [0], None, [256], [0, 256]).ravel().astype(np.float64)
    shares = counts[counts > 0] / counts.sum()
    return float(max(0.0, -(shares * np.log2(shares)).sum()))


def blockiness(view: View) -> Outcome:
    """Mean luma step across 8-pixel block borders over that inside blocks, minus 1.

    After Wang, Sheikh and Bovik 2002, with the block phase found (a crop moves it): the phase
    of eight whose ratio is largest, per axis, then the mean of both axes. Near 0 without blocks.
    """
    ratios = []
    for steps, axis in ((view.steps_across, 0), (view.steps_down, 1)):
        profile = np.abs(steps).mean(axis=axis, dtype=np.float64)
        phases = [profile[phase::8].mean() for phase in range(8)]
        total = float(np.sum(phases))
        if total <= 0.0:
            return _FLAT
        ratios.append(max(7.0 * p / (total - p) if total > p else np.inf for p in phases))
    value = float(np.mean(ratios)) - 1.0
    if not np.isfinite(value):
        return Failure("nan", "no luma step inside the blocks: the ratio has no value")
    return value


def colour_cast(view: View, reference: View) -> Outcome:
    """Euclidean distance of the mean CIE Lab colours of step and reference."""
    here, there = view.colour.lab, reference.colour.lab
    return float(np.linalg.norm(np.subtract(here, there)))


def texture_ratio(view: View, reference: View) -> Outcome:
    """Gradient energy over the reference's; the larger is first reduced to the smaller's size."""
    step, base = view.luma, reference.luma
    if step.shape != base.shape:
        size = (min(view.width, reference.width), min(view.height, reference.height))
        step, base = _reduced(step, size), _reduced(base, size)
    under = _energy(base)
    if under <= 0.0:
        return Failure("flat", "the reference is one flat luma: no texture to compare with")
    return _energy(step) / under


def psnr(view: View, reference: View) -> Outcome:
    """Return 10 log10(255^2 / mean squared RGB difference) in dB; unaligned, equal sizes only."""
    import cv2

    if view.pixels.shape != reference.pixels.shape:
        return _size_differs(view, reference)
    square = cv2.norm(view.pixels, reference.pixels, cv2.NORM_L2SQR) / view.pixels.size
    if square == 0.0:
        return Failure("identical", "equal pixels: the ratio is infinite")
    return float(10.0 * np.log10(255.0**2 / square))


def ssim(view: View, reference: View) -> Outcome:
    """Mean structural similarity of luma, unaligned, equal sizes only.

    Wang et al. 2004: 11x11 Gaussian of sigma 1.5, K1 0.01, K2 0.03, L 255, rim of 5 left out.
    """
    import cv2

    if view.pixels.shape != reference.pixels.shape:
        return _size_differs(view, reference)

    def local(values: Floats) -> Floats:
        return np.asarray(cv2.GaussianBlur(values, (11, 11), 1.5)[5:-5, 5:-5], np.float32)

    x, y = view.luma, reference.luma
    mean_x, mean_y = local(x), local(y)
    cross = local(x * y) - mean_x * mean_y
    spread = local(x * x) - mean_x**2 + local(y * y) - mean_y**2
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mean_x * mean_y + c1) * (2 * cross + c2)
    return float((top / ((mean_x**2 + mean_y**2 + c1) * (spread + c2))).mean(dtype=np.float64))


# id -> (smallest side in pixels, function)
_ALONE: dict[str, tuple[int, Callable[[View], Outcome]]] = {
    "noise_sigma": (3, noise_sigma),
    "noise_wavelet": (8, noise_wavelet),
    "laplacian_variance": (3, laplacian_variance),
    "gradient_energy": (2, gradient_energy),
    "high_frequency": (spectrum.SMALLEST, high_frequency),
    "spectral_slope": (spectrum.SMALLEST, spectral_slope),
    "lab_l": (1, lambda view: view.colour.lab[0]),
    "lab_a": (1, lambda view: view.colour.lab[1]),
    "lab_b": (1, lambda view: view.colour.lab[2]),
    "colourfulness": (1, lambda view: view.colour.colourfulness),
    "saturation": (1, lambda view: view.colour.saturation),
    "clipped": (1, lambda view: view.colour.clipped),
    "entropy": (1, entropy),
    "blockiness": (24, blockiness),
    "grid_peak": (64, grid_peak),
    "halo": (edges.SMALLEST, halo),
}
_AGAINST: dict[str, tuple[int, Callable[[View, View], Outcome]]] = {
    "colour_cast": (1, colour_cast),
    "texture_ratio": (2, texture_ratio),
    "psnr": (1, psnr),
    "ssim": (11, ssim),
}
ALONE = tuple(_ALONE)
AGAINST = tuple(_AGAINST)


def measure(
    pixels: Pixels, wanted: Sequence[str] = ALONE, reference: Pixels | View | None = None
) -> dict[str, float]:
    """Return the probes of `wanted` that have a value for `pixels`, by id."""
    outcomes = examine(pixels, wanted, reference)
    return {name: value for name, value in outcomes.items() if isinstance(value, float)}


def examine(
    pixels: Pixels, wanted: Sequence[str], reference: Pixels | View | None = None
) -> dict[str, Outcome]:
    """Return a finite value or a named Failure for each probe id in `wanted`."""
    view = View(pixels)
    other = View(reference) if isinstance(reference, np.ndarray) else reference
    return {name: _one(name, view, other) for name in wanted}


class Probes:
    """The probes as a backend of the scoring worker."""

    def version_parts(self, metric: str) -> dict[str, str]:
        """Return what can change a probe's values."""
        return {"backend": f"probes {PROBES_VERSION}", "decode": DECODE_POLICY, "metric": metric}

    def measure(
        self, metrics: Sequence[str], pixels: Pixels, reference: Pixels | None
    ) -> Mapping[str, Outcome]:
        """Return a value or a Failure for each of `metrics`."""
        return examine(pixels, metrics, reference)


def _one(name: str, view: View, other: View | None) -> Outcome:
    smallest = _ALONE[name][0] if name in _ALONE else _AGAINST[name][0]
    shorter = view.short_side if other is None else min(view.short_side, other.short_side)
    if name in _ALONE:
        shorter = view.short_side
    elif other is None:
        return Failure("no_reference", "the reference step has no readable picture")
    if shorter < smallest:
        return Failure("too_small", f"{shorter} px is under the {smallest} px it needs")
    if other is not None and name in _AGAINST:
        outcome = _AGAINST[name][1](view, other)
    else:
        outcome = _ALONE[name][1](view)
    if isinstance(outcome, float) and not np.isfinite(outcome):
        return Failure("nan", "the formula has no finite value for this picture")
    return outcome


def _or_flat(value: float | None) -> Outcome:
    return _FLAT if value is None else value


def _size_differs(view: View, reference: View) -> Failure:
    return Failure(
        "size_differs",
        f"{view.width}x{view.height} against {reference.width}x{reference.height} pixels",
    )


def _mean_square(steps: Floats) -> float:
    import cv2

    return float(cv2.norm(np.ascontiguousarray(steps), cv2.NORM_L2SQR)) / steps.size


def _energy(luma: Floats) -> float:
    return _mean_square(np.diff(luma, axis=1)) + _mean_square(np.diff(luma, axis=0))


def _reduced(luma: Floats, size: tuple[int, int]) -> Floats:
    import cv2

    if luma.shape == size[::-1]:
        return luma
    return np.asarray(cv2.resize(luma, size, interpolation=cv2.INTER_AREA), np.float32)
