"""The damage that a simulated model adds in one step, on float pixels.

Pixels are RGB, 0 to 255, float32, shape (H, W, 3). Every function is pure; randomness comes
from the generator that is handed in.
"""

from typing import TYPE_CHECKING

import cv2
import numpy as np

from b100tui.editors.schedule import Profile, Schedule, Shift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.float32]

_LATTICE = 8


def slip(pixels: "Pixels", shift: Shift) -> "Pixels":
    """Return `pixels` enlarged about the centre by `shift.zoom`, then moved by dx, dy pixels."""
    height, width = pixels.shape[:2]
    factor = 1.0 + shift.zoom
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    matrix = np.array(
        [
            [factor, 0.0, middle_x * (1 - factor) + shift.dx],
            [0.0, factor, middle_y * (1 - factor) + shift.dy],
        ],
        np.float64,
    )
    moved = cv2.warpAffine(
        pixels, matrix, (width, height), flags=cv2.INTER_LANCZOS4, borderMode=cv2.BORDER_REFLECT_101
    )
    return np.asarray(moved, np.float32)


def damage(
    pixels: "Pixels", profile: Profile, strength: float, random: np.random.Generator
) -> "Pixels":
    """Return `pixels` after one step's loss of detail, halo, tint, lattice and grain."""
    height, width = pixels.shape[:2]
    fine = cv2.GaussianBlur(pixels, (3, 3), 0.7)
    coarse = cv2.GaussianBlur(pixels, (9, 9), 2.0)
    lost = profile.texture * strength
    ring = profile.halo * strength
    # pixels - lost (pixels - fine) + ring (fine - coarse), in two passes over memory
    kept = cv2.addWeighted(pixels, 1.0 - lost, fine, lost + ring, 0.0)
    out: Pixels = np.asarray(cv2.addWeighted(kept, 1.0, coarse, -ring, 0.0), np.float32)
    if profile.saturation:
        grey = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        gain = profile.saturation * strength
        out = np.asarray(cv2.addWeighted(out, 1.0 + gain, grey, -gain, 0.0), np.float32)
    tint = [part * strength for part in profile.tint]
    sigma = profile.grain * strength
    if sigma <= 0:
        return np.asarray(cv2.add(out, np.array([*tint, 0.0])), np.float32)
    luma = _grain(height, width, profile.blotch, random)
    luma *= np.float32(sigma)
    if profile.grid:
        luma += _lattice(height, width) * np.float32(profile.grid * strength)
    # plane by plane, which stays in the processor's cache, then one pass over the picture
    planes = [
        cv2.scaleAdd(plane, sigma * profile.chroma, luma + np.float32(offset))
        for plane, offset in zip(_chroma(height, width, random), tint, strict=True)
    ]
    return np.asarray(cv2.add(out, cv2.merge(planes)), np.float32)


def apply_step(pixels: "Pixels", schedule: Schedule, profile: Profile, step: int) -> "Pixels":
    """Return `pixels` after the slips and the damage planted for `step`."""
    from b100tui.editors.schedule import generator

    for shift in schedule.shifts:
        if shift.step == step:
            pixels = slip(pixels, shift)
    if schedule.onset is not None and step >= schedule.onset:
        random = generator("damage", schedule.seed, schedule.profile, step)
        pixels = damage(pixels, profile, schedule.strength, random)
    return pixels


def _grain(height: int, width: int, blotch: float, random: np.random.Generator) -> "Pixels":
    """Noise of unit variance, `blotch` of it three pixels wide, the rest one pixel wide."""
    fine = random.standard_normal((height, width), dtype=np.float32)
    if blotch <= 0:
        return fine
    small = random.standard_normal((-(-height // 3), -(-width // 3)), dtype=np.float32)
    wide = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    share = float(np.sqrt(blotch))
    return np.asarray(cv2.addWeighted(fine, float(np.sqrt(1 - blotch)), wide, share, 0.0))


def _chroma(height: int, width: int, random: np.random.Generator) -> "tuple[Pixels, ...]":
    """Colour noise without luma, as planes of red, green and blue: red and blue pull apart."""
    small = random.standard_normal((-(-height // 2), -(-width // 2), 2), dtype=np.float32)
    planes = cv2.split(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))
    red, blue = (np.asarray(plane, np.float32) for plane in planes)
    green = -0.51 * red - 0.19 * blue  # keeps 0.299 R + 0.587 G + 0.114 B at zero
    return red, green, blue


def _lattice(height: int, width: int) -> "Pixels":
    rows = np.cos(np.arange(height, dtype=np.float32) * np.float32(2 * np.pi / _LATTICE))
    columns = np.cos(np.arange(width, dtype=np.float32) * np.float32(2 * np.pi / _LATTICE))
    return np.asarray(rows[:, None] + columns[None, :], np.float32)
