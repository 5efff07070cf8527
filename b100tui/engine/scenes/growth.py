"""Moss and Peacock: bark with moss and lichen, and the eye of a feather."""

import cv2
import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture


def moss(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw cracked bark as ridged noise, cushions of moss on it, and rings of lichen."""
    x, y = brush.grid(width, height)
    sway = brush.octaves(width, height, random, cell=0.4, count=4)
    plates = brush.octaves(width, height, random, cell=0.30, count=6, stretch=0.32, fall=0.55)
    cracks = np.abs(plates + 0.25 * np.sin(14 * x + 2 * sway))
    fine = brush.octaves(width, height, random, cell=0.035, count=5, stretch=0.5, fall=0.75)
    bark_height = np.asarray(np.sqrt(np.clip(cracks, 0, 1.4)) + 0.10 * fine, np.float32)
    tone = np.clip(0.15 + 0.55 * bark_height + 0.04 * fine, 0, 1)
    bark = brush.ramp(
        tone,
        [0, 0.3, 0.6, 1],
        [(0.05, 0.035, 0.03), (0.22, 0.15, 0.11), (0.42, 0.33, 0.26), (0.60, 0.52, 0.44)],
    )
    shade = brush.relief(brush.soften(bark_height, 0.0012), 0.8, (-0.7, -0.5))
    picture = bark * np.clip(shade, 0.35, 1.7)[..., None]
    picture = _lichen(picture, random)
    spread = brush.octaves(width, height, random, cell=0.45, count=6, fall=0.55)
    lay = spread + 0.9 * (0.55 - np.abs(x - 0.35 - 0.35 * y)) * 1.6 - 0.25 * bark_height
    cover = brush.step(0.28, 0.62, np.asarray(lay, np.float32))
    tufts = brush.octaves(width, height, random, cell=0.055, count=3, fall=0.6)
    leaves = brush.octaves(width, height, random, cell=0.012, count=3, fall=0.9)
    cushion = np.asarray(0.5 * np.clip(lay, 0, 1.6) + 0.16 * tufts + 0.085 * leaves, np.float32)
    light = np.clip(brush.relief(cushion, 0.9, (-0.5, -0.8)), 0.25, 1.8)
    hue = np.clip(0.5 + 0.22 * tufts + 0.14 * leaves, 0, 1)
    green = brush.ramp(
        hue,
        [0, 0.4, 0.75, 1],
        [(0.06, 0.12, 0.02), (0.20, 0.33, 0.05), (0.44, 0.56, 0.11), (0.76, 0.80, 0.30)],
    )
    rim = brush.soften(cover, 0.012)
    picture = picture * (1 - 0.55 * np.clip(rim - cover, 0, 1))[..., None]
    return brush.mix(picture, green * light[..., None], cover)


def _lichen(picture: Picture, random: np.random.Generator) -> Picture:
    """Lay pale frilled discs with darker centres on the bark."""
    height, width = picture.shape[:2]
    x, y = brush.grid(width, height)
    frill = brush.octaves(width, height, random, cell=0.07, count=5, fall=0.65)
    crumbs = brush.octaves(width, height, random, cell=0.012, count=3, fall=0.85)
    for _ in range(15):
        place = (float(random.uniform(0, width / height)), float(random.uniform(0, 1)))
        size = float(random.uniform(0.025, 0.095))
        near = brush.around(x, y, place, (1.8 * size, 1.8 * size))
        far = np.sqrt(brush.blob(x[near], y[near], place, (size, size))) + 0.13 * frill[near]
        cover = brush.step(1.0, 0.86, np.asarray(far, np.float32)) * 0.93
        rings = 0.05 * np.sin(far * 17)
        shade = np.clip(
            0.80 + rings + 0.09 * crumbs[near] - 0.30 * np.exp(-((far / 0.35) ** 2)), 0.2, 1.2
        )
        tint = np.array(
            [(0.72, 0.78, 0.70), (0.80, 0.80, 0.66), (0.88, 0.70, 0.28)][int(random.integers(0, 3))]
        )
        disc = (tint * shade[..., None]).astype(np.float32)
        picture[near] = brush.mix(picture[near], disc, cover)
    return picture


def feather(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw the eye of a tail feather: nested drops of colour, and barbs that fan out."""
    x, y = brush.grid(width, height)
    aspect = width / height
    soft = brush.octaves(width, height, random, cell=0.5, count=4)
    picture = brush.ramp(y + 0.03 * soft, [0, 1], [(0.05, 0.08, 0.07), (0.02, 0.03, 0.035)])
    middle = (aspect * 0.5, 0.42)
    dx, dy = x - middle[0], y - middle[1]
    root = 0.62
    angle = np.arctan2(dx, root - dy)
    reach = np.hypot(dx, root - dy)
    strand = (
        angle * 95
        + 6 * np.sin(2.2 * reach)
        + 0.25 * brush.octaves(width, height, random, cell=0.1, count=4)
    )
    barb = 0.5 + 0.5 * np.cos(2 * np.pi * strand)
    barbules = 0.5 + 0.5 * np.sin(reach * 430 + 14 * np.abs(np.mod(strand, 1) - 0.5))
    drop = np.sqrt((dx / (0.36 - 0.10 * np.clip(dy, -0.5, 0.6))) ** 2 + (dy / 0.40) ** 2)
    ragged = brush.scatter(np.floor(strand) + 500, random) * 0.16
    body = brush.step(1.26, 1.02, np.asarray(drop + ragged, np.float32))
    stops = [0.0, 0.20, 0.25, 0.36, 0.42, 0.56, 0.64, 0.78, 0.95, 1.3]
    colours = [
        (0.03, 0.02, 0.16), (0.08, 0.06, 0.36), (0.02, 0.20, 0.56),
        (0.02, 0.60, 0.74), (0.16, 0.72, 0.62), (0.62, 0.38, 0.12),
        (0.78, 0.58, 0.20), (0.32, 0.56, 0.14), (0.14, 0.42, 0.22),
        (0.10, 0.24, 0.14),
    ]  # fmt: skip
    notch = 0.09 * np.exp(-((dx / 0.05) ** 2)) * (dy > 0)
    sheen = 0.012 * np.sin(9 * angle + soft) + 0.018 * (barbules - 0.5)
    colour = brush.ramp(np.asarray(drop + notch + sheen, np.float32), stops, colours)
    colour = colour * (0.45 + 0.68 * barb * (0.72 + 0.28 * barbules))[..., None]
    shine = np.exp(-(((dx + 0.10) / 0.16) ** 2) - (((dy + 0.14) / 0.16) ** 2))
    colour = colour * (1 + 0.65 * shine)[..., None]
    loose = brush.step(0.55, 0.95, np.asarray(barb, np.float32)) * brush.step(
        1.75, 1.0, np.asarray(drop, np.float32)
    )
    tips = brush.ramp(
        np.asarray(np.clip(drop - 1, 0, 1), np.float32),
        [0, 0.5, 1],
        [(0.20, 0.44, 0.18), (0.32, 0.34, 0.12), (0.30, 0.20, 0.10)],
    )
    tips = tips * (0.4 + 0.6 * barbules)[..., None]
    picture = brush.mix(picture, tips, loose * 0.9)
    picture = brush.mix(picture, colour, body)
    return _quill(picture, middle, root)


def _quill(picture: Picture, middle: tuple[float, float], root: float) -> Picture:
    """Add the pale shaft from the lower rim to the eye."""
    height = picture.shape[0]
    canvas = np.ascontiguousarray(picture)
    start = (round(middle[0] * height), round((middle[1] + root + 0.1) * height))
    end = (round(middle[0] * height), round((middle[1] + 0.14) * height))
    for wide, tone in ((9, (0.16, 0.12, 0.06)), (6, (0.72, 0.64, 0.42)), (2, (0.95, 0.90, 0.72))):
        cv2.line(canvas, start, end, tone, wide, cv2.LINE_AA)
    return canvas
