"""Building: a glass tower with a regular window grid, and the city fading in the haze."""

import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture, Plane

_HAZE = (0.80, 0.83, 0.87)
_SKYLINE = 0.62


def tower(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw the tower at its corner, two faces in perspective, over rows of paler buildings."""
    x, y = brush.grid(width, height)
    aspect = width / height
    sky = brush.ramp(y, [0, 0.45, 0.75], [(0.30, 0.49, 0.74), (0.66, 0.77, 0.88), _HAZE])
    clouds = brush.octaves(width, height, random, cell=0.28, count=6, stretch=2.6)
    picture = brush.mix(sky, (0.97, 0.96, 0.95), 0.75 * brush.step(0.3, 1.9, clouds))
    for depth in np.linspace(1.0, 0.12, 6):
        picture = _row(picture, float(depth), random)
    street = brush.step(0.90, 1.0, y + 0.02 * np.sin(9 * x))
    picture = brush.mix(picture, (0.24, 0.26, 0.29), street * 0.85)
    edge, top = 0.40 * aspect / 0.67, 0.055
    left = [(edge - 0.19, top + 0.075), (edge, top), (edge, 1.03), (edge - 0.235, 0.985)]
    right = [(edge, top), (edge + 0.135, top + 0.10), (edge + 0.165, 0.97), (edge, 1.03)]
    picture = _glass(picture, left, (13, 46), 0.92, random)
    picture = _glass(picture, right, (9, 46), 0.55, random)
    mast = np.exp(-(((x - edge + 0.02) / 0.0022) ** 2)) * (y < top + 0.03) * (y > 0.004)
    picture = brush.mix(picture, (0.25, 0.27, 0.3), mast.astype(np.float32))
    haze = brush.step(0.70, 1.05, y) * 0.28
    return brush.mix(picture, _HAZE, haze)


def _row(picture: Picture, depth: float, random: np.random.Generator) -> Picture:
    """Add one row of blocks at `depth` (1 = far, paler and smaller)."""
    height, width = picture.shape[:2]
    base = 0.70 + 0.26 * (1 - depth)
    x = -0.05
    while x < width / height:
        wide = float(random.uniform(0.04, 0.10)) * (1.25 - 0.6 * depth)
        top = base - float(random.uniform(0.05, 0.22)) * (1.3 - 0.5 * depth)
        tone = float(random.uniform(0.22, 0.5))
        first, last = max(0, round(x * height)), min(width, round((x + wide) * height))
        if last > first:
            y = round(top * height)
            u, v = np.meshgrid(
                np.linspace(0, 1, last - first, dtype=np.float32),
                np.linspace(0, 1, height - y, dtype=np.float32),
            )
            body = _block(u, v, (max(3, round(wide * 110)), max(6, round((1.05 - top) * 80))), tone)
            picture[y:, first:last] = brush.mix(body, _HAZE, 0.90 * depth**0.6)
        x += wide * float(random.uniform(0.75, 1.1))
    return picture


def _block(u: Plane, v: Plane, cells: tuple[int, int], tone: float) -> Picture:
    """Return the front of one block: a wall of grey `tone` with dark windows, lit at the right."""
    wall = np.array([tone * 1.05, tone * 1.01, tone * 0.98], np.float32)
    glass = _panes(u * cells[0], v * cells[1], 0.30, 0.35)
    plain = np.broadcast_to(wall, (*u.shape, 3))
    body = brush.mix(plain, (0.16, 0.2, 0.26), 0.7 * glass)
    return body * (0.8 + 0.35 * brush.step(0.0, 0.8, u))[..., None]


def _panes(u: Plane, v: Plane, gap_x: float, gap_y: float) -> Plane:
    """Return 1 on window panes of a unit grid and 0 on the bars between them."""
    in_x = brush.step(0.0, 0.12, np.abs(np.mod(u, 1) - 0.5) * -1 + (0.5 - gap_x / 2))
    in_y = brush.step(0.0, 0.12, np.abs(np.mod(v, 1) - 0.5) * -1 + (0.5 - gap_y / 2))
    return in_x * in_y


def _glass(
    picture: Picture,
    corners: list[tuple[float, float]],
    cells: tuple[int, int],
    light: float,
    random: np.random.Generator,
) -> Picture:
    """Add one face of the tower: reflecting panes, bright mullions, floor bands."""
    height, width = picture.shape[:2]
    u, v, cover = brush.face(width, height, corners)
    columns, rows = u * cells[0], v * cells[1]
    panes = _panes(columns, rows, 0.22, 0.30)
    number = np.floor(columns) * 131 + np.floor(rows) * 17
    odd = brush.scatter(number, random)
    glow = np.clip(v * 0.9 + 0.10 * np.sin(5 * u + 7 * v), 0, 1)
    glass = brush.ramp(
        glow,
        [0, 0.4, 0.75, 1],
        [(0.42, 0.60, 0.80), (0.24, 0.42, 0.62), (0.20, 0.31, 0.45), (0.34, 0.38, 0.42)],
    )
    glass = glass * (0.72 + 0.5 * odd[..., None])
    lit = (odd > 0.955).astype(np.float32)
    glass = brush.mix(glass, (0.98, 0.86, 0.58), 0.85 * lit)
    clouds = brush.octaves(width, height, random, cell=0.3, count=5, stretch=1.4)
    glass = brush.mix(glass, (0.86, 0.9, 0.95), 0.45 * brush.step(0.4, 2.0, clouds))
    frame = brush.flat(width, height, (0.74, 0.76, 0.78))
    face = brush.mix(frame, glass, panes)
    bands = brush.step(0.86, 0.97, np.mod(rows / 11.5, 1))
    face = brush.mix(face, (0.80, 0.80, 0.80), 0.75 * bands)
    return brush.mix(picture, face * light, cover)
