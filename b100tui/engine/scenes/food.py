"""Dongpo: a plate of potstickers with pleats, browned sides, scallions and a dish of sauce."""

import cv2
import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture, Plane


def dumplings(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw the plate from above at a slant on dark wood."""
    x, y = brush.grid(width, height)
    picture = _wood(width, height, random)
    middle = (width / height * 0.47, 0.52)
    picture = _plate(picture, x, y, middle, (0.66, 0.43))
    places = [
        (-0.36, -0.06, 0.35), (-0.17, -0.17, 0.1), (0.06, -0.20, -0.12), (0.29, -0.14, -0.4),
        (-0.27, 0.11, 0.2), (-0.02, 0.02, 0.0), (0.24, 0.07, -0.3), (0.06, 0.21, 0.12),
    ]  # fmt: skip
    for dx, dy, turn in places:
        slant = turn + float(random.uniform(-0.15, 0.15))
        picture = _dumpling(picture, x, y, (middle[0] + dx, middle[1] + dy), slant, random)
    picture = _scallions(picture, middle, random)
    return _dish(picture, x, y, (width / height * 0.88, 0.24))


def _wood(width: int, height: int, random: np.random.Generator) -> Picture:
    x, _ = brush.grid(width, height)
    grain = brush.octaves(width, height, random, cell=0.05, count=5, stretch=14, fall=0.65)
    rings = np.sin(34 * brush.octaves(width, height, random, cell=0.6, count=2, stretch=6) * 0.2)
    tone = 0.5 + 0.22 * grain + 0.12 * rings
    wood = brush.ramp(
        tone, [0, 0.5, 1], [(0.10, 0.06, 0.04), (0.24, 0.15, 0.10), (0.4, 0.27, 0.18)]
    )
    return wood * (1.15 - 0.35 * np.clip(x / 1.8, 0, 1))[..., None]


def _plate(
    picture: Picture, x: Plane, y: Plane, middle: tuple[float, float], radii: tuple[float, float]
) -> Picture:
    shadow = brush.blob(
        x, y, (middle[0] + 0.03, middle[1] + 0.05), (radii[0] + 0.06, radii[1] + 0.05)
    )
    picture = picture * (1 - 0.75 * brush.step(1.12, 0.8, shadow))[..., None]
    rim = np.sqrt(brush.blob(x, y, middle, radii))
    soft = 1.6 / x.shape[0]
    cover = brush.step(1 + soft, 1 - soft, rim)
    side = np.clip(
        0.5 + 0.5 * ((middle[0] - x) / radii[0] * 0.6 + (middle[1] - y) / radii[1] * 0.8), 0, 1
    )
    china = brush.ramp(side, [0, 1], [(0.66, 0.67, 0.70), (0.97, 0.96, 0.93)])
    inner = brush.step(0.80, 0.73, rim)
    china = brush.mix(china, (0.90, 0.89, 0.86), 0.75 * inner)
    lip = np.exp(-(((rim - 0.765) / 0.018) ** 2))
    china = china * (1 - 0.30 * lip)[..., None]
    line = np.exp(-(((rim - 0.93) / 0.012) ** 2)) + 0.6 * np.exp(-(((rim - 0.885) / 0.006) ** 2))
    china = brush.mix(china, (0.13, 0.25, 0.52), np.clip(line, 0, 1) * 0.85)
    gloss = np.exp(-(((rim - 0.985) / 0.014) ** 2)) * side
    china = china + 0.25 * gloss[..., None]
    return brush.mix(picture, china, cover)


def _dumpling(
    picture: Picture,
    x: Plane,
    y: Plane,
    place: tuple[float, float],
    turn: float,
    random: np.random.Generator,
) -> Picture:
    """Lay one half-moon of dough: fat body below, a pleated crest above, a browned foot."""
    height, width = x.shape
    long, high = 0.155, 0.092
    bumps = brush.octaves(width, height, random, cell=0.02, count=3)
    patches = brush.octaves(width, height, random, cell=0.06, count=5, fall=0.6)
    whole, near = picture, brush.around(x, y, place, (2.4 * long, 3.4 * high))
    picture, x, y, bumps, patches = (plane[near] for plane in (picture, x, y, bumps, patches))
    dx, dy = x - place[0], y - place[1]
    u = (dx * np.cos(turn) + dy * np.sin(turn)) / long
    v = (-dx * np.sin(turn) + dy * np.cos(turn)) / high + 0.30 * u * u - 0.1
    shade = np.exp(-((u / 1.05) ** 4) - (((v - 0.55) / 0.75) ** 2) * 1.4)
    picture = picture * (1 - 0.55 * shade)[..., None]
    inside = np.abs(u) ** 2.3 + np.abs(v) ** 2.2
    cover = brush.step(1.04, 0.96, inside)
    bulge = np.sqrt(np.clip(1 - inside, 0, 1))
    pleat_zone = brush.step(-0.05, -0.55, v) * brush.step(1.0, 0.86, np.abs(u))
    phase = 15.5 * u + 1.6 * np.sin(2.2 * v)
    pleats = np.sin(phase) * pleat_zone
    crest = np.exp(-(((v + 0.62 - 0.06 * np.sin(phase)) / 0.13) ** 2)) * brush.step(
        0.98, 0.7, np.abs(u)
    )
    bump = bulge * 0.9 + 0.11 * pleats + 0.20 * crest + 0.008 * bumps
    light = brush.relief(brush.soften(bump, 0.0018 * height / len(bump)), 5.5, (-0.55, -0.8))
    dough = brush.ramp(
        np.clip(bulge, 0, 1),
        [0, 0.5, 1],
        [(0.70, 0.53, 0.32), (0.91, 0.79, 0.58), (0.96, 0.88, 0.72)],
    )
    brown = brush.step(0.25, 0.95, v + 0.20 * patches) + 0.35 * brush.step(1.1, 2.0, patches)
    crust = brush.ramp(
        np.clip(0.5 + 0.25 * patches, 0, 1),
        [0, 0.5, 1],
        [(0.28, 0.12, 0.04), (0.56, 0.29, 0.10), (0.76, 0.48, 0.20)],
    )
    dough = brush.mix(dough, crust, np.clip(brown, 0, 1) * 0.92)
    dough = dough * np.clip(light, 0.45, 1.35)[..., None]
    gloss = np.exp(-(((u + 0.25) / 0.35) ** 2) - (((v + 0.05) / 0.16) ** 2)) * (0.6 + 0.3 * bumps)
    dough = dough + 0.22 * np.clip(gloss, 0, 1)[..., None]
    whole = whole.copy()
    whole[near] = brush.mix(picture, dough, cover)
    return whole


def _scallions(
    picture: Picture, middle: tuple[float, float], random: np.random.Generator
) -> Picture:
    """Strew green rings and sesame over the plate."""
    height = picture.shape[0]
    canvas = np.ascontiguousarray(picture)
    for _ in range(90):
        angle, far = random.uniform(0, 2 * np.pi), np.sqrt(random.uniform(0, 1)) * 0.7
        place = (
            int((middle[0] + 0.62 * far * np.cos(angle)) * height),
            int((middle[1] + 0.40 * far * np.sin(angle)) * height),
        )
        turn = float(random.uniform(0, 180))
        if random.random() < 0.55:
            size = float(random.uniform(0.008, 0.014)) * height
            axes = (int(size), int(size * random.uniform(0.5, 0.9)))
            green = float(random.uniform(0.42, 0.72))
            below = (place[0] + 2, place[1] + 3)
            cv2.ellipse(canvas, below, axes, turn, 0, 360, (0.25, 0.18, 0.10), 2, cv2.LINE_AA)
            cv2.ellipse(canvas, place, axes, turn, 0, 360, (0.28, green, 0.16), 3, cv2.LINE_AA)
            cv2.ellipse(canvas, place, axes, turn, 200, 300, (0.72, 0.88, 0.5), 2, cv2.LINE_AA)
        else:
            axes = (int(0.007 * height), int(0.004 * height))
            cv2.ellipse(
                canvas,
                (place[0] + 1, place[1] + 2),
                axes,
                turn,
                0,
                360,
                (0.4, 0.3, 0.2),
                -1,
                cv2.LINE_AA,
            )
            cv2.ellipse(canvas, place, axes, turn, 0, 360, (0.96, 0.90, 0.74), -1, cv2.LINE_AA)
    return canvas


def _dish(picture: Picture, x: Plane, y: Plane, middle: tuple[float, float]) -> Picture:
    """Set a small dish of dark sauce at the upper right."""
    picture = _plate(picture, x, y, middle, (0.17, 0.13))
    sauce = brush.blob(x, y, middle, (0.122, 0.090))
    cover = brush.step(1.06, 0.94, sauce)
    body = brush.ramp(
        sauce, [0, 0.8, 1], [(0.16, 0.05, 0.02), (0.22, 0.08, 0.03), (0.45, 0.2, 0.08)]
    )
    shine = np.exp(
        -(((x - middle[0] + 0.035) / 0.035) ** 2) - (((y - middle[1] + 0.03) / 0.012) ** 2)
    )
    return brush.mix(picture, body + 0.75 * shine[..., None], cover)
