"""Table: an empty wooden table before a plain wall, lit from a window at the left."""

import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture


def table(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw wall, table top in perspective with planks and grain, its front edge and two legs."""
    x, y = brush.grid(width, height)
    aspect = width / height
    plaster = brush.octaves(width, height, random, cell=0.25, count=7, fall=0.62)
    light = np.exp(-brush.blob(x, y, (0.35, 0.12), (1.25, 0.85)))
    wall = np.array((0.80, 0.77, 0.70)) * (0.52 + 0.55 * light + 0.018 * plaster)[..., None]
    picture: Picture = wall.astype(np.float32)
    for i in range(2):
        for j in range(2):
            left, top = 0.34 + 0.21 * i + 0.05 * j, 0.06 + 0.19 * j
            corners = [
                (left, top),
                (left + 0.18, top + 0.02),
                (left + 0.22, top + 0.18),
                (left + 0.04, top + 0.16),
            ]
            pane = brush.soften(brush.polygon(width, height, corners), 0.006)
            picture = picture + np.asarray((0.20, 0.17, 0.11), np.float32) * pane[..., None]
    floor = brush.step(0.80, 0.82, y)
    boards = brush.octaves(width, height, random, cell=0.04, count=4, stretch=9)
    ground = np.array((0.33, 0.26, 0.20)) * (0.75 + 0.09 * boards)[..., None]
    picture = brush.mix(picture, ground.astype(np.float32), floor)
    skirting = brush.step(0.765, 0.768, y) * brush.step(0.802, 0.798, y)
    picture = brush.mix(picture, (0.70, 0.67, 0.60), skirting * 0.9)
    shade = np.exp(-brush.blob(x, y, (aspect * 0.54, 0.93), (0.85, 0.14)))
    picture = picture * (1 - 0.55 * shade)[..., None]
    for place in (0.105, 0.84):
        left = aspect * place
        leg = [(left, 0.90), (left + 0.075, 0.90), (left + 0.06, 1.05), (left + 0.012, 1.05)]
        wood = (
            np.array((0.30, 0.18, 0.10))
            * (0.8 + 0.5 * np.clip((left + 0.05 - x) * 12, 0, 1))[..., None]
        )
        picture = brush.mix(picture, wood.astype(np.float32), brush.polygon(width, height, leg))
    corners = [
        (aspect * 0.17, 0.50),
        (aspect * 0.83, 0.50),
        (aspect * 0.955, 0.88),
        (aspect * 0.045, 0.88),
    ]
    u, v, cover = brush.face(width, height, corners)
    board = np.floor(v * 5)
    shift = brush.scatter(board + 11, random)
    grain_source = brush.octaves(
        width * 2, height, random, cell=0.045, count=6, stretch=16, fall=0.66
    )
    rows = np.mod((v * 1.7 + shift * 3.1) * height / 2, height - 1).astype(np.int64)
    columns = np.mod((u * 0.9 + shift) * width, 2 * width - 1).astype(np.int64)
    grain = grain_source[rows, columns]
    knots = brush.octaves(width, height, random, cell=0.3, count=2, stretch=3)
    figure = np.sin(26 * (v + 0.035 * knots) + 9 * shift)
    tone = 0.5 + 0.15 * grain + 0.10 * figure + 0.22 * (shift - 0.5)
    wood = brush.ramp(
        tone,
        [0, 0.35, 0.7, 1],
        [(0.22, 0.11, 0.05), (0.44, 0.25, 0.12), (0.63, 0.41, 0.22), (0.78, 0.57, 0.34)],
    )
    seam = np.abs(np.mod(v * 5 + 0.5, 1) - 0.5)
    wood = wood * (1 - 0.65 * np.exp(-((seam / 0.018) ** 2)))[..., None]
    gloss = np.exp(-brush.blob(x, y, (aspect * 0.33, 0.60), (0.55, 0.22)))
    wood = wood * (0.72 + 0.62 * gloss)[..., None] + 0.10 * (gloss**3)[..., None]
    picture = brush.mix(picture, wood, cover)
    front = [
        (aspect * 0.045, 0.88),
        (aspect * 0.955, 0.88),
        (aspect * 0.95, 0.935),
        (aspect * 0.05, 0.935),
    ]
    a, b, apron = brush.face(width, height, front)
    edge = (
        np.array((0.40, 0.23, 0.11))
        * (0.95 - 0.45 * b + 0.10 * np.take(grain_source, 40, axis=0)[columns])[..., None]
    )
    picture = brush.mix(picture, (edge * (1.1 - 0.4 * a)[..., None]).astype(np.float32), apron)
    bright = np.exp(-(((y - 0.881) / 0.003) ** 2)) * (np.abs(x - aspect / 2) < aspect * 0.453)
    return picture + np.asarray((0.22, 0.17, 0.11), np.float32) * bright[..., None].astype(
        np.float32
    )
