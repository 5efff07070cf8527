"""Pictures made here for alignment tests: textured scenes, fog, dunes, gradients, and moves."""

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def noise_field(
    shape: tuple[int, int], rng: np.random.Generator, slope: float
) -> NDArray[np.float64]:
    """A random field of unit spread whose amplitude falls with frequency to the power `slope`."""
    down = np.fft.fftfreq(shape[0])[:, np.newaxis]
    across = np.fft.rfftfreq(shape[1])[np.newaxis, :]
    radius = np.hypot(down, across)
    radius[0, 0] = 1.0
    spectrum = np.fft.rfft2(rng.standard_normal(shape)) * radius**-slope
    spectrum[0, 0] = 0.0
    field = np.fft.irfft2(spectrum, s=shape)
    return np.asarray(field / field.std())


def _colour(grey: NDArray[np.float64], tint: tuple[float, float, float]) -> Pixels:
    return np.clip(grey[..., np.newaxis] * np.array(tint), 0, 255).astype(np.uint8)


def scene(seed: int, shape: tuple[int, int] = (376, 704)) -> Pixels:
    """Natural-like texture with shapes: plenty to hold on to."""
    rng = np.random.default_rng(seed)
    grey = 120 + 35 * noise_field(shape, rng, 1.3)
    canvas = np.ascontiguousarray(grey.astype(np.float32))
    for _ in range(40):
        centre = (int(rng.integers(shape[1])), int(rng.integers(shape[0])))
        cv2.circle(canvas, centre, int(rng.integers(6, 40)), float(rng.uniform(20, 235)), -1)
    canvas += 6 * noise_field(shape, rng, 0.6)
    return _colour(canvas.astype(np.float64), (1.0, 0.95, 0.85))


def fog(seed: int, shape: tuple[int, int] = (376, 704)) -> Pixels:
    """Very smooth, low in contrast."""
    rng = np.random.default_rng(seed)
    down = np.linspace(0, 30, shape[0])[:, np.newaxis]
    return _colour(170 + down + 12 * noise_field(shape, rng, 2.6), (0.97, 1.0, 1.0))


def dunes(seed: int, shape: tuple[int, int] = (376, 704)) -> Pixels:
    """Wavy ridges under one light: different dunes look much alike."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]].astype(float)
    bend = 25 * noise_field(shape, rng, 2.2)
    waves = np.sin((y + 0.25 * x + bend) / 14.0 + rng.uniform(0, 6))
    slope = 40 * noise_field(shape, rng, 2.4)
    return _colour(165 + 18 * waves + 0.5 * slope - 0.06 * y, (1.0, 0.86, 0.66))


def gradient(angle: float, shape: tuple[int, int] = (376, 704)) -> Pixels:
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]] / max(shape)
    return _colour(90 + 120 * (x * np.cos(angle) + y * np.sin(angle)), (0.9, 0.95, 1.0))


def moved(
    picture: Pixels,
    *,
    zoom: float = 0.0,
    dx: float = 0.0,
    dy: float = 0.0,
    turn: float = 0.0,
    aspect: float = 0.0,
) -> Pixels:
    """The content zoomed, turned (degrees clockwise) about the centre, then shifted (pixels)."""
    height, width = picture.shape[:2]
    centre = np.array([(width - 1) / 2, (height - 1) / 2])
    angle = np.radians(turn)
    stretch = np.sqrt(1 + aspect)
    linear = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    linear = linear @ np.diag([(1 + zoom) * stretch, (1 + zoom) / stretch])
    matrix = np.column_stack([linear, centre - linear @ centre + [dx, dy]])
    out = cv2.warpAffine(
        picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(out, dtype=np.uint8)


def noisy(picture: Pixels, sigma: float, seed: int = 0) -> Pixels:
    drawn = np.random.default_rng(seed).normal(0, sigma, picture.shape)
    return np.clip(np.round(picture + drawn), 0, 255).astype(np.uint8)
