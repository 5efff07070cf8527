"""Shared means of drawing: octave noise, gradients, soft shapes, light. RGB in 0 to 1."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

# float32 in effect; numpy's stubs widen to float64 in mixed arithmetic, so no width is promised.
Plane = NDArray[Any]
Picture = NDArray[Any]
Colour = Sequence[float]


def grid(width: int, height: int) -> tuple[Plane, Plane]:
    """Return (x, y) planes of pixel places as shares of the picture's height, y downward."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.asarray(x / height, np.float32), np.asarray(y / height, np.float32)


def octaves(
    width: int,
    height: int,
    random: np.random.Generator,
    *,
    cell: float,
    count: int = 5,
    fall: float = 0.5,
    stretch: float = 1.0,
) -> Plane:
    """Return fractal noise around 0 with unit spread.

    The coarsest octave has cells of `cell` times the height (`stretch` times as wide); each
    further octave halves the cell and weighs `fall` times as much.
    """
    total = np.zeros((height, width), np.float32)
    weight = 1.0
    for _ in range(count):
        rows = max(2, round(1.0 / cell) + 1)
        columns = max(2, round(width / height / (cell * stretch)) + 1)
        if rows > height or columns > width:
            rows, columns = min(rows, height), min(columns, width)
        coarse = random.standard_normal((rows, columns), dtype=np.float32)
        total += np.float32(weight) * np.asarray(
            cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32
        )
        weight *= fall
        cell /= 2
    return np.asarray((total - total.mean()) / (total.std() + 1e-6), np.float32)


def step(low: float, high: float, value: Plane) -> Plane:
    """Return a smooth 0 to 1 rise of `value` from `low` to `high` (either order)."""
    t = np.clip((value - np.float32(low)) / np.float32(high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def mix(under: Picture, over: Picture | Colour, cover: Plane | float) -> Picture:
    """Return `under` with `over` laid on it where `cover` (0 to 1) says."""
    share = np.asarray(cover, np.float32)
    top = np.asarray(over, np.float32)
    if share.ndim < 2:
        return np.asarray(under * (1 - share) + top * share, np.float32)
    out = np.array(under, np.float32)
    where = covered(share)
    if not out[where].size:
        return out
    if top.ndim == 3:
        top = top[where]
    thrice = cv2.merge([np.ascontiguousarray(share[where])] * 3)  # broadcasting is much slower
    out[where] = under[where] * (1 - thrice) + top * thrice
    return out


def covered(cover: Plane) -> tuple[slice, slice]:
    """Return the smallest rows and columns outside which `cover` is 0."""
    hit = cover != 0
    spans = []
    for line in (hit.any(axis=1), hit.any(axis=0)):
        places = np.flatnonzero(line)
        spans.append(slice(int(places[0]), int(places[-1]) + 1) if places.size else slice(0, 0))
    return spans[0], spans[1]


def around(
    x: Plane, y: Plane, place: tuple[float, float], reach: tuple[float, float]
) -> tuple[slice, slice]:
    """Return the rows and columns of `grid` planes within `reach` of `place`."""
    rows = np.flatnonzero(np.abs(y[:, 0] - place[1]) <= reach[1])
    columns = np.flatnonzero(np.abs(x[0] - place[0]) <= reach[0])
    return (
        slice(int(rows[0]), int(rows[-1]) + 1) if rows.size else slice(0, 0),
        slice(int(columns[0]), int(columns[-1]) + 1) if columns.size else slice(0, 0),
    )


def ramp(value: Plane, stops: Sequence[float], colours: Sequence[Colour]) -> Picture:
    """Return colours interpolated along `value` through (stop, colour) pairs."""
    table = np.asarray(colours, np.float64)
    planes = [np.interp(value.astype(np.float64), stops, table[:, i]) for i in range(3)]
    return np.stack(planes, axis=2).astype(np.float32)


def flat(width: int, height: int, colour: Colour) -> Picture:
    """Return a picture of one colour."""
    return np.broadcast_to(np.asarray(colour, np.float32), (height, width, 3)).copy()


def relief(bump: Plane, strength: float, light: Sequence[float] = (-0.5, -0.7)) -> Plane:
    """Return shading around 1 of a height field lit from `light` (x right, y down)."""
    slope_x = np.asarray(cv2.Sobel(bump, cv2.CV_32F, 1, 0, ksize=3), np.float32)
    slope_y = np.asarray(cv2.Sobel(bump, cv2.CV_32F, 0, 1, ksize=3), np.float32)
    return np.asarray(1 - strength * (light[0] * slope_x + light[1] * slope_y), np.float32)


def polygon(width: int, height: int, points: Sequence[tuple[float, float]]) -> Plane:
    """Return the antialiased cover of a polygon whose points are shares of the height."""
    mask = np.zeros((height, width), np.uint8)
    corners = np.round(np.asarray(points, np.float64) * height * 16).astype(np.int32)
    cv2.fillPoly(mask, [corners], 255, lineType=cv2.LINE_AA, shift=4)
    return np.asarray(mask / 255.0, np.float32)


def blob(x: Plane, y: Plane, centre: tuple[float, float], radii: tuple[float, float]) -> Plane:
    """Return squared elliptic distance: 0 in the centre, 1 on the rim."""
    return np.asarray(
        ((x - centre[0]) / radii[0]) ** 2 + ((y - centre[1]) / radii[1]) ** 2, np.float32
    )


def soften(plane: Plane, share: float) -> Plane:
    """Return `plane` blurred by a sigma of `share` times its height."""
    sigma = max(0.3, share * plane.shape[0])
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), sigma), np.float32)


def warp(picture: Picture, dx: Plane, dy: Plane) -> Picture:
    """Return `picture` read at places moved by dx, dy pixels (reflected at the rim)."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    moved = cv2.remap(picture, x + dx, y + dy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(moved, np.float32)


def face(
    width: int, height: int, corners: Sequence[tuple[float, float]]
) -> tuple[Plane, Plane, Plane]:
    """Return (u, v, cover) of a rectangle seen in perspective.

    `corners` are its top left, top right, bottom right and bottom left places as shares of the
    height; u runs 0 to 1 from left to right, v from top to bottom; cover is 0 outside.
    """
    target = np.asarray(corners, np.float32) * height
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(target, unit)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    depth = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2]
    depth = np.where(np.abs(depth) < 1e-9, 1e-9, depth)
    u = (matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2]) / depth
    v = (matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2]) / depth
    cover = polygon(width, height, corners)
    return u.astype(np.float32), v.astype(np.float32), cover


def scatter(cells: Plane, random: np.random.Generator) -> Plane:
    """Return one random value in 0 to 1 for each whole number in `cells`."""
    table = random.random(4096, dtype=np.float32)
    return np.asarray(table[np.mod(cells.astype(np.int64), 4096)], np.float32)
