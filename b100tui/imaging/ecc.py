"""Affine fits between two high-passed planes: search over eight turns, then ECC by level."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Plane = NDArray[np.float32]
Inside = NDArray[np.bool_]
Affine = NDArray[np.float64]  # (2, 3)

LEVELS = (176, 352, 704, 1408)  # longest side, pixels
COARSE, FINE = LEVELS[1], LEVELS[-1]
CANVAS = 128  # square of the search over turns
SCALES = (0.87, 1.0, 1.15)
MOST_CANDIDATES = 3
FINE_BAND, WIDE_BAND = 1.2, 10.0  # Gaussian sigmas of the band that is kept, pixels of a level
REPEAT = 16  # pixels of a level: beyond what a smooth picture shares with its own neighbourhood
BORDER = 20  # pixels of a level that the wide blur spoils along the frame


def plane(pixels: Pixels, longest: int) -> Plane:
    """Return the high-passed luma of `pixels` (H, W, 3) with the given longest side."""
    height, width = pixels.shape[:2]
    factor = longest / max(height, width)
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    size = (max(8, round(width * factor)), max(8, round(height * factor)))
    if size != (width, height):
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        grey = cv2.resize(grey, size, interpolation=how)
    grey = grey.astype(np.float32)
    wide = cv2.GaussianBlur(grey, (0, 0), WIDE_BAND)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), FINE_BAND) - wide, dtype=np.float32)


def oriented(picture: Plane, turn: int) -> Plane:
    """Return the picture turned clockwise `turn` % 4 quarters, after a left-right flip if >= 4."""
    flipped = picture[:, ::-1] if turn >= 4 else picture
    return np.ascontiguousarray(np.rot90(flipped, -(turn % 4)))


def compose(outer: Affine, inner: Affine) -> Affine:
    """Return the map that applies `inner`, then `outer`."""
    full = np.vstack([outer, [0, 0, 1]]) @ np.vstack([inner, [0, 0, 1]])
    return np.asarray(full[:2], dtype=np.float64)


def invert(matrix: Affine) -> Affine:
    """Return the inverse map; a collapsed one inverts to something far out of every bound."""
    linear = matrix[:, :2]
    if abs(np.linalg.det(linear)) < 1e-6:
        return np.array([[1e3, 0, 0], [0, 1e3, 0]], dtype=np.float64)
    back = np.linalg.inv(linear)
    return np.column_stack([back, -back @ matrix[:, 2]])


def move(matrix: Affine, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `points` (n, 2) as x, y moved by the map."""
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2])


def resize_matrix(source: tuple[int, ...], target: tuple[int, ...]) -> Affine:
    """Return the pixel-centre map of a resize from `source` to `target` (H, W, ...)."""
    sx, sy = target[1] / source[1], target[0] / source[0]
    return np.array([[sx, 0, 0.5 * sx - 0.5], [0, sy, 0.5 * sy - 0.5]], dtype=np.float64)


def unturn(turn: int, shape: tuple[int, int]) -> Affine:
    """Return the map from pixels of the turned picture to those of the picture (H, W)."""
    height, width = shape
    # Read off where three corners come from: the turn of an index picture.
    rows, columns = np.mgrid[0:2, 0:2].astype(np.float32)
    far_y, far_x = height - 1, width - 1
    from_y, from_x = oriented(rows * far_y, turn), oriented(columns * far_x, turn)
    across = far_y if turn % 2 else far_x
    down = far_x if turn % 2 else far_y
    origin = np.array([from_x[0, 0], from_y[0, 0]], dtype=np.float64)
    right = (np.array([from_x[0, 1], from_y[0, 1]]) - origin) / max(1, across)
    below = (np.array([from_x[1, 0], from_y[1, 0]]) - origin) / max(1, down)
    return np.column_stack([right, below, origin]).astype(np.float64)


def settle(
    template: Plane, picture: Plane, start: Affine, rounds: int, every: int = 1
) -> Affine | None:
    """Return the affine map from `template` to `picture` that ECC reaches from `start`.

    Their borders are left out: what the high-pass makes of an edge of the frame stays with the
    frame, not with the content, and would pull every fit towards "not moved". Of the template
    one pixel in `every` by `every` is compared, with the whole picture. None where it does not
    converge (Evangelidis and Psarakis 2008).
    """
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, rounds, 1e-5)
    edge = min(BORDER, min(*template.shape, *picture.shape) // 8)
    core = slice(edge, -edge or None)
    mask = np.zeros(picture.shape, dtype=np.uint8)
    mask[core, core] = 1
    chosen = np.array([[every, 0, edge], [0, every, edge]], dtype=np.float64)
    try:
        _, matrix = cv2.findTransformECC(
            np.ascontiguousarray(template[core, core][::every, ::every]),
            picture,
            compose(start, chosen).astype(np.float32),
            cv2.MOTION_AFFINE,
            criteria,
            mask,
            1,
        )
    except cv2.error:
        # OpenCV says "does not converge" by raising; the caller tries the next guess.
        return None
    if not np.all(np.isfinite(matrix)):
        return None
    return compose(np.asarray(matrix, dtype=np.float64), invert(chosen))


def warped(picture: Plane, matrix: Affine, shape: tuple[int, ...]) -> tuple[Plane, Inside]:
    """Return `picture` warped onto a plane of `shape` (H, W), and where it exists there."""
    if picture.shape == shape and np.array_equal(matrix, np.eye(2, 3)):
        return picture, np.ones(picture.shape, dtype=np.bool_)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    small, size = matrix.astype(np.float32), (shape[1], shape[0])
    there = cv2.warpAffine(picture, small, size, flags=flags)
    inside = cv2.warpAffine(np.ones_like(picture), small, size, flags=flags) > 0.99
    return np.asarray(there, dtype=np.float32), np.asarray(inside, dtype=np.bool_)


def correlation(step: Plane, picture: Plane, inside: Inside) -> float:
    """Return the correlation of `step` with a picture warped onto it, over `inside`."""
    if inside.mean() < 0.2:
        return 0.0
    one, other = step[inside], picture[inside]
    one, other = one - one.mean(), other - other.mean()
    # Sums, not BLAS products: those wake a thread pool for every small vector.
    size = float(np.sqrt(np.sum(one * one) * np.sum(other * other)))
    return float(np.sum(one * other)) / size if size > 0 else 0.0


def cross(picture: Plane) -> float:
    """Return the weaker over the stronger eigenvalue of the mean structure tensor, 0 to 1.

    Near 0 all edges run one way, and a shift along them changes nothing.
    """
    across = cv2.Sobel(picture, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(picture, cv2.CV_32F, 0, 1)
    xx, yy = float(np.mean(across * across)), float(np.mean(down * down))
    xy = float(np.mean(across * down))
    spread = float(np.hypot(xx - yy, 2.0 * xy))
    return (xx + yy - spread) / (xx + yy + spread) if xx + yy > 0.0 else 0.0


def repetition(picture: Plane) -> float:
    """Return the largest correlation of a plane with itself moved by REPEAT pixels or more.

    Shifts reach a quarter of each side. Near 1 the picture repeats itself, as windows or cloth.
    """
    height, width = picture.shape
    size = (2 * height, 2 * width)
    spectrum = np.fft.rfft2(picture - picture.mean(), size)
    found = np.fft.irfft2(np.abs(spectrum) ** 2, size)
    rows, columns = np.arange(-(height // 4), height // 4), np.arange(-(width // 4), width // 4)
    far = np.hypot(rows[:, np.newaxis], columns) >= REPEAT
    overlap = np.outer(height - np.abs(rows), width - np.abs(columns))
    power = float(np.var(picture))
    if power <= 0.0 or not far.any():
        return 0.0
    return float(np.max((found[np.ix_(rows, columns)] / overlap)[far])) / power


def cropped(matrix: Affine, turned: tuple[int, ...], fine: tuple[int, ...]) -> float:
    """Return the share (0 to 1) of the turned reference that lies outside the step."""
    height, width = turned[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)
    there = move(invert(matrix), corners - 0.5).astype(np.float32) + 0.5
    frame = np.array([[0, 0], [fine[1], 0], [fine[1], fine[0]], [0, fine[0]]], dtype=np.float32)
    area, _ = cv2.intersectConvexConvex(there, frame)
    whole = cv2.contourArea(there)
    return float(np.clip(1.0 - area / whole, 0.0, 1.0)) if whole > 0 else 1.0


def rescaled(
    matrix: Affine,
    step: Mapping[int, Plane],
    reference: Mapping[int, Plane],
    turn: int,
    low: int,
    high: int,
    *,
    back: bool = False,
) -> Affine:
    """Return a map between planes of level `low` as one between planes of level `high`."""
    ends = []
    for planes, turned in ((step, 0), (reference, turn)):
        small, large = planes[low].shape, planes[high].shape
        if turned % 2:
            small, large = small[::-1], large[::-1]
        ends.append(resize_matrix(small, large))
    source, target = (ends[1], ends[0]) if back else (ends[0], ends[1])
    return compose(target, compose(matrix, invert(source)))


class Canvas(Struct, frozen=True):
    """One turn and scale of the reference on the square of the search: `size` is its norm."""

    turn: int
    scale: float
    shape: tuple[int, ...]
    size: float
    spectrum: NDArray[np.complex128]


def canvases(reference: Plane) -> tuple[Canvas, ...]:
    """Return the reference in eight turns and three scales, for `candidates`."""
    made = []
    for turn in range(8):
        turned = oriented(reference, turn)
        for scale in SCALES:
            square = _canvas(turned, scale)
            size = float(np.sum(square * square))
            spectrum = np.conj(np.fft.rfft2(square))
            made.append(Canvas(turn, scale, turned.shape, size, spectrum))
    return tuple(made)


def candidates(reference: Sequence[Canvas], step: Plane) -> list[tuple[int, Affine]]:
    """Return (turn, first guess from step to turned reference) of the likeliest turns.

    Cross-correlation on a small square with every canvas of the reference; best first.
    """
    one = _canvas(step, 1.0)
    power = float(np.sum(one * one))
    spectrum = np.fft.rfft2(one)
    best: dict[int, tuple[float, int, Affine]] = {}
    for other in reference:
        surface = np.fft.irfft2(spectrum * other.spectrum, s=one.shape)
        size = float(np.sqrt(power * other.size)) + 1e-12
        down, across = np.unravel_index(int(np.argmax(surface)), surface.shape)
        value = float(surface[down, across]) / size
        if other.turn not in best or value > best[other.turn][0]:
            guess = _guess(int(across), int(down), other.scale, other.shape, step)
            best[other.turn] = (value, other.turn, guess)
    found = sorted(best.values(), key=lambda entry: -entry[0])
    keep = [entry for entry in found if entry[0] >= 0.6 * found[0][0]][:MOST_CANDIDATES]
    if best[0] not in keep:
        keep.append(best[0])
    return [(turn, guess) for _, turn, guess in keep]


def _canvas(picture: Plane, scale: float) -> NDArray[np.float64]:
    """Return the picture centred on a square of 2 * CANVAS, blurred so that near is near."""
    factor = CANVAS * scale / max(picture.shape)
    blurred = cv2.GaussianBlur(picture, (0, 0), 2.0)
    middle = np.array([[factor, 0, 0], [0, factor, 0]], dtype=np.float64)
    middle[:, 2] = CANVAS - factor * np.array(
        [(picture.shape[1] - 1) / 2, (picture.shape[0] - 1) / 2]
    )
    side = (2 * CANVAS, 2 * CANVAS)
    return np.asarray(cv2.warpAffine(blurred, middle, side), dtype=np.float64)


def _guess(across: int, down: int, scale: float, turned: tuple[int, ...], step: Plane) -> Affine:
    """Turn a peak of the search into a map from the step to the turned reference."""
    dx = (across + CANVAS) % (2 * CANVAS) - CANVAS
    dy = (down + CANVAS) % (2 * CANVAS) - CANVAS
    step_factor = CANVAS / max(step.shape)
    # step canvas = scale * reference canvas + d; both centred
    linear = np.eye(2) / scale * (max(turned) / max(step.shape))
    shift = np.array([dx, dy]) / (step_factor * scale) * (max(turned) / max(step.shape))
    step_middle = np.array([(step.shape[1] - 1) / 2, (step.shape[0] - 1) / 2])
    turned_middle = np.array([(turned[1] - 1) / 2, (turned[0] - 1) / 2])
    return np.column_stack([linear, turned_middle - linear @ step_middle - shift])
