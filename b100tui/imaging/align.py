"""Geometric drift: how a step's content lies against the reference, or that nobody can tell.

A correlation alone proves nothing: different dunes reach 0.98. A fit counts only when, on
high-passed luma, going forward and back returns to within 0.5 px, the four quadrants agree
with the whole, it gains over no alignment, there is texture enough, and the change of scale
is within bounds. The reference is warped, never the step: interpolation smooths noise.
"""

import math
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
from msgspec import Struct

from b100tui.imaging.ecc import (
    COARSE,
    FINE,
    LEVELS,
    Affine,
    Canvas,
    Inside,
    Pixels,
    Plane,
    candidates,
    canvases,
    compose,
    correlation,
    cropped,
    cross,
    invert,
    move,
    oriented,
    plane,
    repetition,
    rescaled,
    resize_matrix,
    settle,
    unturn,
    warped,
)

Status = Literal["aligned", "identical", "unreliable"]


class Rules(Struct, frozen=True, kw_only=True):
    """When a fit counts; `tests/bench/bench_align.py` prints how true and false pairs differ."""

    most_zoom: float = 0.25  # relative; more is no drift of an edit chain
    most_shear: float = 0.03
    most_shift: float = 0.25  # share of the longer side
    back_px: float = 0.5  # forward after inverse, pixels of the refinement (1408 wide)
    quadrant_px: float = 2.0  # own shift of a quadrant, pixels of the refinement
    least_texture: float = 0.35  # grey levels (0..255) of high-passed luma
    least_cross: float = 0.03  # weaker over stronger direction of the gradients
    most_repetition: float = 0.7  # from here on a picture may fit itself one period off
    period_lead: float = 1.04  # by which a fit far away must then beat that
    near_share: float = 0.02  # of the longer side: a fit this close to "not moved" is no period off
    turn_gain: float = 0.05  # correlation by which a turned fit must beat the unturned one
    turn_lead: float = 0.02  # and any other turned one
    least_quadrants: int = 3  # with texture of their own
    least_correlation: float = 0.25
    least_quadrant: float = 0.2  # correlation in each quadrant with texture
    least_gain: float = 0.03  # correlation over no alignment
    near_px: float = 4.0  # a fit this close to "not moved" gains little: least_near_gain
    least_near_gain: float = 0.004
    still_px: float = 0.75  # and this close it needs none


RULES = Rules()


class Alignment(Struct, frozen=True, kw_only=True):
    """How the step lies against the reference, about the picture's centre.

    Of the content: zoom_pct > 0 means larger, dx_px and dy_px > 0 mean moved right and down, in
    the step's source pixels; crop_pct is the share of the reference that the step no longer
    shows. `rotation_deg` (clockwise, -180 to 180) includes quarter turns; `mirrored` is a
    left-right flip before it. `matrix` maps step pixels to reference pixels (2x3 row-major, in
    source pixels); None when unreliable. `confidence` is 0 to 1; `reason` says why a fit was
    refused, or what to know about it.
    """

    status: Status
    zoom_pct: float | None = None
    aspect_pct: float | None = None
    dx_px: float | None = None
    dy_px: float | None = None
    rotation_deg: float | None = None
    mirrored: bool | None = None
    crop_pct: float | None = None
    confidence: float = 0.0
    matrix: tuple[float, ...] | None = None
    reason: str = ""

    @property
    def affine(self) -> Affine:
        """The matrix as (2, 3); raises ValueError when there is none."""
        if self.matrix is None:
            raise ValueError(f"not aligned: {self.reason}")
        return np.array(self.matrix, dtype=np.float64).reshape(2, 3)


class Reference(Struct, frozen=True):
    """The reference picture made ready for many steps: high-passed planes by level.

    `canvases` serve the search over turns; `repeats` is its `repetition`.
    """

    pixels: Pixels
    planes: dict[int, Plane]
    canvases: tuple[Canvas, ...]
    repeats: float


def prepare(pixels: Pixels) -> Reference:
    """Return `pixels` (H, W, 3) uint8 ready to align steps against."""
    most = max(pixels.shape[:2])
    planes = {level: plane(pixels, min(level, most)) for level in LEVELS}
    return Reference(pixels, planes, canvases(planes[LEVELS[0]]), repetition(planes[COARSE]))


def align(reference: Reference, pixels: Pixels, rules: Rules = RULES) -> Alignment:
    """Return how `pixels` (H, W, 3) uint8 lies against the reference.

    Never raises for the content of a picture: what cannot be told is `unreliable`.
    """
    if pixels.shape == reference.pixels.shape and np.array_equal(pixels, reference.pixels):
        return Alignment(
            status="identical",
            zoom_pct=0.0,
            aspect_pct=0.0,
            dx_px=0.0,
            dy_px=0.0,
            rotation_deg=0.0,
            mirrored=False,
            crop_pct=0.0,
            confidence=1.0,
            matrix=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        )
    if min(*pixels.shape[:2], *reference.pixels.shape[:2]) < 64:
        return _refused("too small to align (under 64 px)")
    step = {level: plane(pixels, max(one.shape)) for level, one in reference.planes.items()}
    texture = min(float(step[COARSE].std()), float(reference.planes[COARSE].std()))
    if texture < rules.least_texture:
        return _refused(f"too little texture ({texture:.2f} grey levels)")
    if min(cross(step[COARSE]), cross(reference.planes[COARSE])) < rules.least_cross:
        return _refused("the texture runs one way only: a shift along it cannot be told")
    found = _search(reference, step, rules)
    if isinstance(found, str):
        return _refused(found)
    turn, matrix, back = found
    return _judged(reference, step, pixels, turn, matrix, back, rules)


def _refused(reason: str) -> Alignment:
    return Alignment(status="unreliable", reason=reason)


def _search(
    reference: Reference, step: dict[int, Plane], rules: Rules
) -> tuple[int, Affine, Affine] | str:
    """Return (orientation, step to oriented reference, independent way back), or why not."""
    first, second, third, last = LEVELS
    fits: dict[int, tuple[float, Affine, Affine]] = {}
    for turn, start in candidates(reference.canvases, step[first]):
        turned = oriented(reference.planes[first], turn)
        matrix = settle(step[first], turned, start, 60)
        if matrix is None:
            continue
        turned = oriented(reference.planes[second], turn)
        matrix = settle(
            step[second], turned, rescaled(matrix, step, reference.planes, turn, first, second), 40
        )
        if matrix is None:
            continue
        there, inside = warped(turned, matrix, step[second].shape)
        fits[turn] = (correlation(step[second], there, inside), matrix, start)
    if not fits:
        return "no fit converged"
    values = sorted((one[0] for one in fits.values()), reverse=True)
    turn = max(fits, key=lambda one: fits[one][0])
    if turn and 0 in fits and fits[0][0] > values[0] - rules.turn_gain:
        turn = 0  # a picture that mirrors itself has not been mirrored
    if turn and len(values) > 1 and values[1] > values[0] - rules.turn_lead:
        return "several turns fit alike"
    _, matrix, start = fits[turn]
    planes = reference.planes
    for low, high, rounds, every in ((second, third, 12, 2), (third, last, 4, 2)):
        begin = rescaled(matrix, step, planes, turn, low, high)
        settled = settle(step[high], oriented(planes[high], turn), begin, rounds, every)
        matrix = begin if settled is None else settled
    # The way back starts from the coarse guess again, so that it can disagree.
    back = settle(oriented(planes[first], turn), step[first], invert(start), 60)
    for low, high, rounds, every in ((first, second, 40, 1), (second, third, 12, 2)):
        if back is None:
            return "the way back does not converge"
        begin = rescaled(back, step, planes, turn, low, high, back=True)
        back = settle(oriented(planes[high], turn), step[high], begin, rounds, every)
    if back is None:
        return "the way back does not converge"
    return turn, matrix, rescaled(back, step, planes, turn, third, last, back=True)


def _judged(
    reference: Reference,
    step: dict[int, Plane],
    pixels: Pixels,
    turn: int,
    matrix: Affine,
    back: Affine,
    rules: Rules,
) -> Alignment:
    fine = step[FINE]
    turned = oriented(reference.planes[FINE], turn)
    height, width = fine.shape
    shape = _shape(matrix, turned.shape, fine.shape)
    longest = max(height, width)
    beyond = ""
    if abs(shape.zoom) > rules.most_zoom or abs(shape.aspect) > rules.most_zoom:
        beyond = f"scale out of bounds (zoom {100 * shape.zoom:+.0f} %)"
    elif abs(shape.shear) > rules.most_shear:
        beyond = f"sheared by {100 * shape.shear:.1f} %"
    elif max(abs(shape.dx), abs(shape.dy)) > rules.most_shift * longest:
        beyond = "moved by more than a quarter of the picture"
    if beyond:
        return _refused(beyond)
    gone = _return_error(matrix, back, (height, width))
    if gone > rules.back_px:
        return _refused(f"forward and back differ by {gone:.1f} px")
    there, inside = warped(turned, matrix, fine.shape)
    value = correlation(fine, there, inside)
    if value < rules.least_correlation:
        return _refused(f"the pictures hardly correlate ({value:.2f})")
    apart = _corner_shift(matrix, turn, (height, width), turned.shape)
    if apart > rules.near_share * longest:
        period = math.sqrt(max(0.0, reference.repeats) * max(0.0, repetition(step[COARSE])))
        if period > rules.most_repetition and value < rules.period_lead * period:
            return _refused("the picture repeats itself: it may lie a period off")
    if apart > rules.still_px:
        gain = value - _still(reference.planes[FINE], fine)
        needed = rules.least_near_gain if apart < rules.near_px else rules.least_gain
        if gain < needed:
            return _refused(f"no gain over leaving it unmoved ({gain:+.3f})")
    worst, seen, refusal = _quadrants(fine, there, inside, rules)
    if refusal:
        return _refused(refusal)
    full = _in_source(matrix, turn, reference, pixels, turned.shape, fine.shape)
    scale = pixels.shape[1] / width, pixels.shape[0] / height
    doubt = 1.0 - 0.3 * gone / rules.back_px - 0.3 * worst / rules.quadrant_px
    sizes = (
        "" if pixels.shape == reference.pixels.shape else "sizes differ: zoom is against a resize"
    )
    return Alignment(
        status="aligned",
        zoom_pct=100.0 * shape.zoom,
        aspect_pct=100.0 * shape.aspect,
        dx_px=shape.dx * scale[0],
        dy_px=shape.dy * scale[1],
        rotation_deg=_wrapped(90.0 * (turn % 4) + shape.rotation),
        mirrored=turn >= 4,
        crop_pct=100.0 * cropped(matrix, turned.shape, fine.shape),
        confidence=float(np.clip(doubt * min(1.0, 0.4 + value) * seen / 4, 0.0, 1.0)),
        matrix=tuple(full.ravel().tolist()),
        reason=sizes,
    )


class _Shape(Struct, frozen=True):
    """The content's movement at FINE, about the centre; rotation in degrees clockwise."""

    zoom: float
    aspect: float
    shear: float
    rotation: float
    dx: float
    dy: float


def _centre(shape: tuple[int, ...]) -> tuple[float, float]:
    return (shape[1] - 1) / 2, (shape[0] - 1) / 2


def _shape(matrix: Affine, turned: tuple[int, ...], fine: tuple[int, ...]) -> _Shape:
    ahead = invert(matrix)
    (a, b), (c, d) = ahead[:, :2]
    across = math.hypot(a, c)
    det = a * d - b * c
    centre = move(ahead, np.array([_centre(turned)]))[0]
    middle = _centre(fine)
    return _Shape(
        zoom=math.sqrt(abs(det)) - 1.0,
        aspect=float(across * across / det - 1.0) if det > 0 else math.inf,
        shear=float((a * b + c * d) / det) if det > 0 else math.inf,
        rotation=math.degrees(math.atan2(c, a)),
        dx=float(centre[0] - middle[0]),
        dy=float(centre[1] - middle[1]),
    )


def _grid(shape: tuple[int, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    across, down = np.meshgrid(np.linspace(0, shape[1] - 1, 5), np.linspace(0, shape[0] - 1, 5))
    return np.stack([across.ravel(), down.ravel()], axis=1)


def _return_error(matrix: Affine, back: Affine, shape: tuple[int, int]) -> float:
    points = _grid(shape)
    away = move(back, move(matrix, points)) - points
    return float(np.sqrt(np.mean(np.sum(away**2, axis=1))))


def _corner_shift(
    matrix: Affine, turn: int, shape: tuple[int, int], turned: tuple[int, ...]
) -> float:
    """How far the fit is from "not moved", in pixels of the refinement; infinite when turned."""
    if turn or shape != turned:
        return math.inf
    points = _grid(shape)
    return float(np.max(np.hypot(*(move(matrix, points) - points).T)))


def _still(reference: Plane, step: Plane) -> float:
    """Correlation without any alignment: the reference resized to the step."""
    if reference.shape != step.shape:
        size = step.shape[::-1]
        resized = cv2.resize(reference, size, interpolation=cv2.INTER_LINEAR)
        reference = np.asarray(resized, dtype=np.float32)
    return correlation(step, *warped(reference, np.eye(2, 3), step.shape))


def _quadrants(step: Plane, there: Plane, whole: Inside, rules: Rules) -> tuple[float, int, str]:
    """Return (largest own shift, quadrants that could be judged, why refused or "")."""
    height, width = step.shape
    worst, seen = 0.0, 0
    for rows in (slice(0, height // 2), slice(height // 2, height)):
        for columns in (slice(0, width // 2), slice(width // 2, width)):
            mask = whole[rows, columns]
            if mask.mean() < 0.3:
                continue
            one, other = step[rows, columns] * mask, there[rows, columns] * mask
            spread = float(np.sqrt(np.mean(one[mask] ** 2) * np.mean(other[mask] ** 2)))
            if min(one[mask].std(), other[mask].std()) < rules.least_texture:
                continue
            value = float(np.mean(one[mask] * other[mask])) / spread
            if value < rules.least_quadrant:
                return worst, seen, f"a quadrant hardly correlates ({value:.2f})"
            (dx, dy), _ = cv2.phaseCorrelate(one, other, _hanning(one.shape))
            worst = max(worst, math.hypot(dx, dy))
            if worst > rules.quadrant_px:
                return worst, seen, f"the quadrants disagree by {worst:.1f} px"
            seen += 1
    if seen < rules.least_quadrants:
        return worst, seen, f"texture in {seen} of 4 quadrants only"
    return worst, seen, ""


@lru_cache(maxsize=16)
def _hanning(shape: tuple[int, int]) -> Plane:
    window = cv2.createHanningWindow(shape[::-1], cv2.CV_32F)
    return np.asarray(window, dtype=np.float32)


def _in_source(
    matrix: Affine,
    turn: int,
    reference: Reference,
    pixels: Pixels,
    turned: tuple[int, ...],
    fine: tuple[int, ...],
) -> Affine:
    """Return the matrix from step source pixels to reference source pixels, turn undone."""
    down = resize_matrix(pixels.shape, fine)
    height, width = reference.pixels.shape[:2]
    whole = (width, height) if turn % 2 else (height, width)
    up = resize_matrix(turned, whole)
    return compose(unturn(turn, (height, width)), compose(up, compose(matrix, down)))


def _wrapped(degrees: float) -> float:
    return (degrees + 180.0) % 360.0 - 180.0


def warp_reference(reference: Pixels, found: Alignment, shape: tuple[int, ...]) -> Pixels:
    """Return the reference as the step shows it, (H, W, 3) of `shape`; outside is black.

    The step itself is never interpolated. Raises ValueError when there is no alignment.
    """
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    if found.status == "identical":
        return reference
    warped = cv2.warpAffine(reference, found.affine, (shape[1], shape[0]), flags=flags)
    return np.asarray(warped, dtype=np.uint8)
