"""Fog, Rice and Sand: a misty forest, terraces at sunset, a dune at twilight."""

import cv2
import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture, Plane

_MIST = (0.80, 0.83, 0.84)


def fog(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw conifers in seven distances, each row paler, with bands of mist between."""
    _, y = brush.grid(width, height)
    picture = brush.ramp(y, [0, 0.6, 1], [(0.70, 0.75, 0.78), _MIST, (0.66, 0.70, 0.70)])
    glow = brush.octaves(width, height, random, cell=0.5, count=4, stretch=2)
    picture = picture * (1 + 0.025 * glow)[..., None]
    for depth in np.linspace(1.0, 0.0, 7):
        cover = _trees(width, height, float(depth), random)
        near = 1 - float(depth)
        leaf = brush.octaves(width, height, random, cell=0.03 + 0.03 * near, count=5, fall=0.7)
        dark = np.array([0.24, 0.29, 0.29]) * (1 + 0.22 * leaf[..., None])
        tone = brush.mix(dark.astype(np.float32), _MIST, 0.97 * float(depth) ** 0.6)
        picture = brush.mix(picture, tone, cover * (0.93 - 0.05 * float(depth)))
        swirl = brush.octaves(width, height, random, cell=0.22, count=5, stretch=3.5)
        floor = 0.52 + 0.5 * near
        band = brush.step(floor - 0.26, floor + 0.06, y) * (0.62 + 0.16 * swirl)
        picture = brush.mix(picture, _MIST, np.clip(band, 0, 0.92) * (0.9 - 0.45 * near))
    low = brush.octaves(width, height, random, cell=0.2, count=5, stretch=3)
    veil = brush.step(0.70, 1.0, y) * (0.72 + 0.14 * low)
    picture = brush.mix(picture, _MIST, np.clip(veil, 0, 0.9))
    ground = brush.octaves(width, height, random, cell=0.04, count=5, fall=0.7, stretch=2)
    cover = brush.step(0.95, 1.04, y + 0.012 * ground)
    moss = np.array([0.16, 0.19, 0.13]) * (1 + 0.25 * ground[..., None])
    return brush.mix(picture, moss.astype(np.float32), cover * 0.9)


def _trees(width: int, height: int, depth: float, random: np.random.Generator) -> Plane:
    """Return the cover of one row of conifers; near rows are tall, far rows small and dense."""
    mask = np.zeros((height, width), np.uint8)
    near = 1 - depth
    size = 0.16 + 0.95 * near**1.5
    foot = 0.50 + 0.52 * near
    spacing = 0.035 + 0.26 * near**1.3
    x = float(random.uniform(-0.1, 0.05))
    while x < width / height + 0.1:
        tall = size * float(random.uniform(0.65, 1.1))
        _conifer(
            mask,
            x * height,
            (foot + float(random.uniform(-0.02, 0.04))) * height,
            tall * height,
            random,
        )
        x += spacing * float(random.uniform(0.5, 1.5))
    return np.asarray(mask / 255.0, np.float32)


def _conifer(
    mask: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]",
    x: float,
    foot: float,
    tall: float,
    random: np.random.Generator,
) -> None:
    """Draw one conifer: a thin trunk and drooping boughs that widen downward."""
    top = foot - tall
    trunk = max(1.0, tall * 0.016)
    points = [
        (x - trunk * 0.2, top),
        (x + trunk * 0.2, top),
        (x + trunk, foot + 40),
        (x - trunk, foot + 40),
    ]
    cv2.fillPoly(mask, [np.round(np.array(points) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    rows = max(9, int(tall / 6))
    for i in range(rows):
        share = (i + 0.4) / rows
        y = top + tall * 0.97 * share
        reach = tall * (0.015 + 0.165 * share**0.85)
        for side in (-1.0, 1.0):
            long = reach * float(random.uniform(0.55, 1.15))
            droop = long * float(random.uniform(0.25, 0.55))
            thick = max(1.2, tall * 0.015 * float(random.uniform(0.7, 1.3)))
            bough = [
                (x, y - thick),
                (x + side * long * 0.6, y + droop * 0.45 - thick * 0.5),
                (x + side * long, y + droop),
                (x + side * long * 0.5, y + droop * 0.7 + thick),
                (x, y + thick * 1.6),
            ]
            cv2.fillPoly(
                mask, [np.round(np.array(bough) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4
            )


def terraces(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw flooded terraces: curved dikes as contour lines of a slope, mirroring a low sun."""
    x, y = brush.grid(width, height)
    horizon = 0.27
    sun = (width / height * 0.62, horizon - 0.045)
    sky = _sunset(x, y, sun, horizon, random)
    far = brush.octaves(width, height, random, cell=0.35, count=5, stretch=1.5)
    ridge = brush.step(horizon - 0.055, horizon - 0.045, y + 0.022 * far)
    picture = brush.mix(sky, (0.34, 0.22, 0.30), ridge * 0.85)
    depth = np.clip((y - horizon) / (1 - horizon), 1e-3, 1)
    ground_y = 1.0 / (depth + 0.16)
    ground_x = (x - width / height / 2) * ground_y
    bends = brush.octaves(width, height, random, cell=0.55, count=3, stretch=1.5, fall=0.45)
    level = (
        3.4 * ground_y
        + 0.85 * np.sin(1.25 * ground_x + 0.6)
        + 0.45 * np.cos(2.7 * ground_x - 1.1 * ground_y)
        + 0.34 * bends
    )
    share = np.mod(level, 1.0)
    number = np.floor(level)
    mirror = _sunset(x, 2 * horizon - y * 0.62 + 0.08, sun, horizon, random)
    tint = brush.scatter(number + 2000, random)
    water = mirror * (0.62 + 0.42 * tint[..., None])
    ripple = brush.octaves(width, height, random, cell=0.03, count=4, stretch=7, fall=0.7)
    water = water * (1 + 0.05 * ripple)[..., None]
    shoots = brush.octaves(width, height, random, cell=0.018, count=3, fall=0.8)
    planted = brush.step(0.45, 0.75, tint) * brush.step(0.2, 1.4, shoots)
    water = brush.mix(water, (0.20, 0.30, 0.10), 0.65 * planted)
    bank = brush.step(0.66, 0.74, share) * brush.step(1.0, 0.97, share)
    grass = brush.octaves(width, height, random, cell=0.025, count=5, fall=0.75)
    earth = brush.ramp(
        np.clip(0.5 + 0.25 * grass + 0.5 * (share - 0.8), 0, 1),
        [0, 0.5, 1],
        [(0.05, 0.06, 0.03), (0.17, 0.17, 0.07), (0.42, 0.34, 0.14)],
    )
    land = brush.mix(water, earth, bank)
    rim = np.exp(-(((share - 0.685) / 0.022) ** 2))
    land = brush.mix(land, (0.98, 0.72, 0.38), 0.55 * rim)
    wet = np.exp(-(((share - 0.60) / 0.05) ** 2))
    land = land * (1 - 0.45 * wet)[..., None]
    land = brush.mix(land, (0.93, 0.60, 0.38), 0.75 * np.exp(-depth * 6))
    return brush.mix(picture, land, brush.step(horizon - 0.002, horizon + 0.012, y + 0.006 * far))


def _sunset(
    x: Plane, y: Plane, sun: tuple[float, float], horizon: float, random: np.random.Generator
) -> Picture:
    height, width = x.shape
    t = np.clip(y / horizon, -0.4, 1.2)
    sky = brush.ramp(
        t,
        [-0.4, 0.0, 0.45, 0.8, 1.05],
        [
            (0.22, 0.25, 0.45),
            (0.34, 0.33, 0.52),
            (0.72, 0.46, 0.50),
            (0.96, 0.62, 0.38),
            (1.0, 0.80, 0.50),
        ],
    )
    clouds = brush.octaves(width, height, random, cell=0.12, count=5, stretch=5)
    sky = brush.mix(sky, (0.98, 0.52, 0.40), 0.5 * brush.step(0.4, 1.8, clouds))
    glow = np.exp(-np.sqrt(brush.blob(x, y, sun, (0.16, 0.11))) * 1.5)
    sky = sky + np.asarray((0.65, 0.45, 0.2), np.float32) * glow[..., None]
    disc = brush.step(1.15, 0.9, brush.blob(x, y, sun, (0.033, 0.033)))
    return brush.mix(np.clip(sky, 0, 1), (1.0, 0.96, 0.80), disc)


def dune(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw one great dune with a curved ridge between a lit and a shaded slope, and first stars."""
    x, y = brush.grid(width, height)
    aspect = width / height
    sky = brush.ramp(
        y,
        [0, 0.25, 0.45, 0.6],
        [(0.07, 0.09, 0.22), (0.22, 0.22, 0.42), (0.56, 0.38, 0.48), (0.90, 0.58, 0.44)],
    )
    stars = np.zeros((height, width), np.float32)
    for _ in range(70):
        place = (int(random.uniform(0, width)), int(random.uniform(0, 0.3) * height))
        cv2.circle(stars, place, 1, float(random.uniform(0.25, 1.0)), -1, cv2.LINE_AA)
    picture = sky + stars[..., None] * 0.9
    for base, tone in ((0.52, (0.48, 0.32, 0.36)), (0.58, (0.42, 0.26, 0.28))):
        line = base - 0.035 * np.sin(3.1 * x + 9 * base) - 0.02 * np.sin(7 * x + 2)
        shade = np.array(tone)[None, None] * (1.08 - 0.5 * np.clip(y - line, 0, 0.4))[..., None]
        picture = brush.mix(picture, shade.astype(np.float32), brush.step(-0.003, 0.003, y - line))
    crest = 0.24 + 0.30 * ((x - 0.60 * aspect) / (0.55 * aspect)) ** 2 + 0.012 * np.sin(6 * x)
    body = brush.step(-0.0025, 0.0025, y - crest)
    ridge = (
        0.60 * aspect + 0.30 * np.sin(3.0 * (y - 0.24)) * (y - 0.24) * 2.0 - 0.35 * (y - 0.24) ** 2
    )
    side = x - ridge
    sweep = brush.octaves(width, height, random, cell=0.5, count=3, stretch=2)
    phase = 150 * (y * 1.05 + 0.22 * x) + 3.2 * sweep + 5 * np.sin(2.2 * x)
    fade = brush.step(0.30, 0.85, y)
    grains = brush.octaves(width, height, random, cell=0.008, count=2, fall=0.9)
    ripple = 0.055 * np.sin(phase) * fade + 0.018 * grains
    lit = brush.ramp(
        np.clip((y - 0.2) * 1.25, 0, 1),
        [0, 0.5, 1],
        [(0.98, 0.68, 0.42), (0.83, 0.50, 0.31), (0.55, 0.32, 0.24)],
    )
    lit = lit * (1 + ripple + 0.05 * sweep)[..., None]
    dark = brush.ramp(
        np.clip((y - 0.2) * 1.2, 0, 1), [0, 1], [(0.33, 0.20, 0.26), (0.16, 0.11, 0.18)]
    )
    dark = dark * (1 + 0.5 * ripple + 0.06 * sweep)[..., None]
    sand = brush.mix(lit, dark, brush.step(-0.006, 0.010, side))
    edge = np.exp(-((side / 0.006) ** 2)) * brush.step(0.9, 0.3, y)
    sand = sand + np.asarray((0.22, 0.15, 0.09), np.float32) * edge[..., None]
    return brush.mix(picture, sand, body)
