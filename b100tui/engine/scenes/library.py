"""Library: a hall of bookshelves in one-point perspective, deep shadow and shafts of light."""

import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture, Plane

_COVERS = np.array(
    [
        (0.42, 0.10, 0.08), (0.12, 0.20, 0.34), (0.14, 0.28, 0.18), (0.46, 0.32, 0.12),
        (0.26, 0.14, 0.10), (0.55, 0.48, 0.36), (0.30, 0.10, 0.20), (0.16, 0.15, 0.16),
    ],
    np.float32,
)  # fmt: skip


def shelves(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw two walls of books, floor, coffered ceiling, a tall window and its beams."""
    x, y = brush.grid(width, height)
    aspect = width / height
    left, right, top, bottom = aspect * 0.41, aspect * 0.59, 0.34, 0.64
    picture = brush.flat(width, height, (0.03, 0.025, 0.02))
    floor = [(left, bottom), (right, bottom), (aspect + 0.35, 1.12), (-0.35, 1.12)]
    picture = _floor(picture, floor, random)
    ceiling = [(-0.35, -0.25), (aspect + 0.35, -0.25), (right, top), (left, top)]
    picture = _ceiling(picture, ceiling)
    walls = (
        [(-0.35, -0.25), (left, top), (left, bottom), (-0.35, 1.12)],
        [(right, top), (aspect + 0.35, -0.25), (aspect + 0.35, 1.12), (right, bottom)],
    )
    for number, corners in enumerate(walls):
        picture = _books(picture, corners, number, random)
    picture = _window(picture, (left, right, top, bottom))
    far = brush.blob(x, y, (aspect / 2, 0.48), (0.75, 0.55))
    picture = picture * (0.35 + 1.05 * np.exp(-far * 0.9))[..., None]
    return _beams(picture, x, y, random)


def _books(
    picture: Picture, corners: list[tuple[float, float]], wall: int, random: np.random.Generator
) -> Picture:
    height, width = picture.shape[:2]
    u, v, cover = brush.face(width, height, corners)
    depth = u if wall == 0 else 1 - u
    bays = 6.0
    bay = np.floor(u * bays)
    in_bay = np.mod(u * bays, 1)
    rows = 9.0
    row = np.floor(v * rows)
    in_row = np.mod(v * rows, 1)
    place = in_bay * 17 + 0.35 * np.sin(in_bay * 31 + row * 2.1 + bay)
    book = np.floor(place)
    code = book + 40 * row + 700 * bay + 3000 * wall
    tall = 0.28 - 0.20 * brush.scatter(code, random)
    lean = np.mod(place, 1)
    spine = (in_row > tall).astype(np.float32) * (in_row < 0.90)
    index = (brush.scatter(code + 77, random) * len(_COVERS)).astype(np.int64) % len(_COVERS)
    colour = _COVERS[index] * (0.75 + 0.55 * brush.scatter(code + 991, random))[..., None]
    round_ = np.sin(np.pi * np.clip(lean, 0, 1)) ** 0.6
    colour = colour * (0.25 + 0.85 * round_)[..., None]
    gilt = np.exp(-(((in_row - tall - 0.12) / 0.025) ** 2)) + np.exp(
        -(((in_row - 0.78) / 0.02) ** 2)
    )
    gilt = gilt * (brush.scatter(code + 5, random) > 0.45)
    colour = brush.mix(
        colour.astype(np.float32), (0.80, 0.62, 0.28), np.clip(gilt, 0, 1) * 0.6 * round_
    )
    shadow = brush.step(0.0, 0.35, in_row)
    back = brush.flat(width, height, (0.035, 0.024, 0.016))
    body = brush.mix(back, colour * (0.45 + 0.55 * shadow)[..., None], spine)
    board = brush.step(0.885, 0.905, in_row)
    body = brush.mix(body, (0.30, 0.18, 0.09), board)
    post = brush.step(0.035, 0.02, np.minimum(in_bay, 1 - in_bay))
    body = brush.mix(body, (0.34, 0.21, 0.11), post)
    edge = np.exp(-(((np.minimum(in_bay, 1 - in_bay) - 0.03) / 0.006) ** 2))
    body = body * (1 - 0.6 * edge)[..., None]
    body = body * (0.45 + 1.25 * np.clip(depth, 0, 1) ** 1.4)[..., None]
    return brush.mix(picture, body, cover)


def _floor(
    picture: Picture, corners: list[tuple[float, float]], random: np.random.Generator
) -> Picture:
    height, width = picture.shape[:2]
    u, v, cover = brush.face(width, height, corners)
    plank = np.floor(u * 22)
    tone = brush.scatter(plank + 9 + 31 * np.floor(v * 5 + 0.5 * np.mod(plank, 2)), random)
    wood = np.array((0.36, 0.22, 0.12)) * (0.65 + 0.6 * tone)[..., None]
    seam = np.exp(-(((np.mod(u * 22, 1) - 0.02) / 0.05) ** 2))
    wood = wood * (1 - 0.5 * seam)[..., None]
    carpet = brush.step(0.34, 0.345, u) * brush.step(0.66, 0.655, u)
    weave = 0.5 + 0.5 * np.sin(u * 260) * np.sin(v * 160)
    rug = np.array((0.42, 0.09, 0.08)) * (0.75 + 0.35 * weave)[..., None]
    wood = brush.mix(wood.astype(np.float32), rug.astype(np.float32), carpet)
    hem = np.exp(-(((np.abs(u - 0.5) - 0.135) / 0.007) ** 2))
    wood = brush.mix(wood, (0.78, 0.58, 0.26), hem * 0.8)
    gloss = np.exp(-(((u - 0.5) / 0.16) ** 2)) * (1 - np.clip(v, 0, 1)) ** 1.6
    return brush.mix(
        picture, wood + np.asarray((0.75, 0.62, 0.40), np.float32) * gloss[..., None], cover
    )


def _ceiling(picture: Picture, corners: list[tuple[float, float]]) -> Picture:
    height, width = picture.shape[:2]
    u, v, cover = brush.face(width, height, corners)
    a, b = np.mod(u * 7, 1), np.mod(v * 9, 1)
    beam = np.maximum(
        brush.step(0.16, 0.10, np.minimum(a, 1 - a)), brush.step(0.16, 0.10, np.minimum(b, 1 - b))
    )
    wood = brush.mix(brush.flat(width, height, (0.10, 0.06, 0.035)), (0.30, 0.19, 0.10), beam)
    return brush.mix(picture, wood * (0.35 + 0.9 * np.clip(v, 0, 1) ** 2)[..., None], cover)


def _window(picture: Picture, box: tuple[float, float, float, float]) -> Picture:
    """Fill the far wall with a tall arched window of small panes."""
    height, width = picture.shape[:2]
    left, right, top, bottom = box
    u, v, cover = brush.face(
        width, height, [(left, top), (right, top), (right, bottom), (left, bottom)]
    )
    wall = brush.flat(width, height, (0.42, 0.32, 0.22)) * (1.1 - 0.4 * v)[..., None]
    arch = (np.abs(u - 0.5) < 0.30) & (((u - 0.5) / 0.30) ** 2 + ((v - 0.34) / 0.26) ** 2 < 1)
    opening = (arch | ((np.abs(u - 0.5) < 0.30) & (v > 0.34) & (v < 0.86))).astype(np.float32)
    a, b = np.mod((u - 0.2) / 0.15, 1), np.mod(v * 9, 1)
    bars = np.maximum(
        brush.step(0.10, 0.05, np.minimum(a, 1 - a)), brush.step(0.10, 0.05, np.minimum(b, 1 - b))
    )
    glass = brush.ramp(v, [0, 1], [(1.0, 0.97, 0.86), (1.0, 0.88, 0.62)])
    pane = brush.mix(glass, (0.35, 0.26, 0.18), bars * 0.75)
    return brush.mix(picture, brush.mix(wall, pane, brush.soften(opening, 0.002)), cover)


def _beams(picture: Picture, x: Plane, y: Plane, random: np.random.Generator) -> Picture:
    """Add shafts of light falling from the upper right, with dust in them."""
    height, width = picture.shape[:2]
    total = np.zeros((height, width), np.float32)
    slope = 0.85
    line = x + slope * (y - 0.1)
    for centre, wide, power in (
        (1.02, 0.035, 0.6),
        (1.22, 0.055, 0.9),
        (1.46, 0.045, 0.75),
        (1.72, 0.06, 0.6),
    ):
        shaft = np.exp(-(np.abs((line - centre) / wide) ** 3))
        total += power * shaft * brush.step(1.0, 0.15, y) * brush.step(-0.35, 0.2, y)
    dust = brush.octaves(width, height, random, cell=0.14, count=6, fall=0.6)
    motes = brush.step(
        2.6, 3.4, brush.octaves(width, height, random, cell=0.008, count=2, fall=0.8)
    )
    glow = total * (0.27 + 0.05 * dust) + 0.7 * total * motes
    lit = picture * (1 + 1.1 * total)[..., None]
    return np.asarray(lit + np.array((1.0, 0.84, 0.55)) * glow[..., None], np.float32)
