"""Ekphrasis: an oil painting of a jug, fruit and a folded cloth on a dark ground."""

import cv2
import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture, Plane

# place, radii, colour, bloom (the waxy veil of plums)
_FRUIT = (
    ((1.16, 0.66), (0.105, 0.105), (0.86, 0.46, 0.10), 0.0),
    ((0.98, 0.73), (0.085, 0.090), (0.72, 0.12, 0.08), 0.0),
    ((1.33, 0.71), (0.090, 0.085), (0.88, 0.74, 0.20), 0.0),
    ((1.20, 0.79), (0.062, 0.066), (0.26, 0.10, 0.26), 0.5),
    ((1.08, 0.82), (0.058, 0.060), (0.20, 0.09, 0.24), 0.5),
    ((0.30, 0.80), (0.080, 0.084), (0.48, 0.56, 0.14), 0.0),
)


def still_life(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw the things, then give the whole brush strokes, canvas weave and varnish."""
    x, y = brush.grid(width, height)
    ground = brush.octaves(width, height, random, cell=0.5, count=6, fall=0.62)
    light = np.exp(-brush.blob(x, y, (0.5, 0.3), (0.9, 0.7)))
    picture = brush.ramp(
        np.clip(light * 0.8 + 0.06 * ground, 0, 1),
        [0, 0.5, 1],
        [(0.05, 0.04, 0.03), (0.20, 0.15, 0.09), (0.40, 0.31, 0.19)],
    )
    picture = _tabletop(picture, x, y, random)
    picture = _cloth(picture, x, y, random)
    picture = _jug(picture, x, y, (0.62, 0.78), random)
    for place, radii, colour, bloom in _FRUIT:
        picture = _fruit(picture, x, y, place, radii, colour, bloom, random)
    return _paint(picture, random)


def _tabletop(picture: Picture, x: Plane, y: Plane, random: np.random.Generator) -> Picture:
    height, width = x.shape
    grain = brush.octaves(width, height, random, cell=0.04, count=5, stretch=10, fall=0.65)
    wood = (
        np.array((0.34, 0.21, 0.11))
        * (1.15 + 0.16 * grain - 0.55 * np.clip(x / 1.9, 0, 1))[..., None]
    )
    wood = wood * (1.25 - 0.5 * np.clip((y - 0.7) * 3, 0, 1))[..., None]
    return brush.mix(picture, wood.astype(np.float32), brush.step(0.695, 0.71, y))


def _cloth(picture: Picture, x: Plane, y: Plane, random: np.random.Generator) -> Picture:
    """Lay a pale cloth over the table's right part, in folds that hang down."""
    height, width = x.shape
    outline = [
        (0.78, 0.77),
        (0.95, 0.71),
        (1.30, 0.70),
        (1.58, 0.74),
        (1.66, 0.86),
        (1.57, 1.1),
        (0.90, 1.1),
        (0.83, 0.93),
    ]
    cover = brush.soften(brush.polygon(width, height, outline), 0.004)
    sway = brush.octaves(width, height, random, cell=0.35, count=4)
    folds = np.sin(13 * x + 5 * (y - 0.8) + 1.5 * sway) + 0.5 * np.sin(29 * x - 9 * y + sway)
    folds = folds * (0.35 + 1.1 * np.clip((y - 0.80) * 5, 0, 1))
    light = brush.relief(
        np.asarray(brush.soften(np.asarray(folds, np.float32), 0.003), np.float32),
        1.5,
        (-0.8, -0.3),
    )
    weave = brush.octaves(width, height, random, cell=0.012, count=2, fall=0.8)
    tone = np.clip(0.80 * light + 0.015 * weave, 0.22, 1.18)
    cloth = np.array((0.86, 0.82, 0.72)) * tone[..., None]
    hem = np.exp(-(((y - 0.955 - 0.012 * folds) / 0.010) ** 2))
    cloth = brush.mix(cloth.astype(np.float32), (0.24, 0.30, 0.50), hem * 0.7)
    return brush.mix(picture, cloth, cover)


def _jug(
    picture: Picture, x: Plane, y: Plane, foot: tuple[float, float], random: np.random.Generator
) -> Picture:
    """Turn a profile around an upright axis: foot, belly, neck, lip; a handle at the left."""
    height, width = x.shape
    tall = 0.58
    t = (foot[1] - y) / tall
    profile = np.interp(
        t,
        [0, 0.04, 0.12, 0.36, 0.58, 0.74, 0.82, 0.94, 1.0],
        [0.105, 0.11, 0.13, 0.195, 0.165, 0.095, 0.082, 0.10, 0.115],
    )
    shadow = np.exp(-brush.blob(x, y, (foot[0] + 0.16, foot[1] + 0.01), (0.34, 0.05)))
    picture = picture * (1 - 0.6 * shadow)[..., None]
    canvas = np.ascontiguousarray(picture)
    middle = (round((foot[0] - 0.155) * height), round((foot[1] - 0.40) * height))
    axes = (round(0.095 * height), round(0.125 * height))
    for thick, tone in (
        (24, (0.10, 0.13, 0.14)),
        (17, (0.20, 0.30, 0.34)),
        (6, (0.52, 0.66, 0.68)),
    ):
        cv2.ellipse(canvas, middle, axes, 0, 70, 300, tone, thick, cv2.LINE_AA)
    u = (x - foot[0]) / np.asarray(profile, np.float32)
    inside = (
        brush.step(1.03, 0.985, np.asarray(np.abs(u), np.float32))
        * brush.step(-0.012, 0.0, t)
        * brush.step(1.006, 0.994, t)
    )
    depth = np.sqrt(np.clip(1 - u * u, 0, 1))
    light = np.clip(-0.62 * u + 0.66 * depth - 0.12, 0, 1)
    glaze = brush.octaves(width, height, random, cell=0.10, count=6, fall=0.6)
    body = np.array((0.17, 0.40, 0.47)) * (0.20 + 1.15 * light + 0.05 * glaze * light)[..., None]
    drip = brush.step(
        0.40,
        0.34,
        np.asarray(t + 0.035 * np.sin(9 * np.arcsin(np.clip(u, -1, 1))) + 0.02 * glaze, np.float32),
    )
    clay = np.array((0.58, 0.36, 0.22)) * (0.22 + 1.05 * light + 0.06 * glaze * light)[..., None]
    body = brush.mix(body.astype(np.float32), clay.astype(np.float32), drip)
    for place, wide in ((0.66, 0.010), (0.70, 0.005), (0.88, 0.007)):
        line = np.exp(-(((t - place) / wide) ** 2))
        body = brush.mix(body, (0.88, 0.80, 0.58), line * 0.75 * (0.3 + light))
    shine = np.exp(-(((u + 0.48) / 0.10) ** 2) - (((t - 0.42) / 0.14) ** 2))
    body = body + 0.75 * shine[..., None]
    rim = brush.blob(x, y, (foot[0], foot[1] - tall), (0.115, 0.020))
    picture = brush.mix(canvas, body, inside)
    mouth = brush.step(1.08, 0.96, rim)
    picture = brush.mix(picture, (0.30, 0.45, 0.48), mouth)
    return brush.mix(picture, (0.03, 0.03, 0.03), brush.step(0.72, 0.60, rim))


def _fruit(
    picture: Picture,
    x: Plane,
    y: Plane,
    place: tuple[float, float],
    radii: tuple[float, float],
    colour: tuple[float, float, float],
    bloom: float,
    random: np.random.Generator,
) -> Picture:
    height, width = x.shape
    skin = brush.octaves(width, height, random, cell=0.02, count=4, fall=0.7)
    whole = picture.copy()
    near = brush.around(x, y, place, (6.0 * radii[0], radii[1] + 0.17))
    picture, x, y, skin = (plane[near] for plane in (picture, x, y, skin))
    under = np.exp(
        -brush.blob(x, y, (place[0] + 0.06, place[1] + radii[1] * 0.93), (radii[0] * 1.5, 0.028))
    )
    picture = picture * (1 - 0.65 * under)[..., None]
    u, v = (x - place[0]) / radii[0], (y - place[1]) / radii[1]
    inside = u * u + v * v + 0.02 * np.sin(3 * np.arctan2(v, u) + place[0] * 20)
    cover = brush.step(1.05, 0.95, np.asarray(inside, np.float32))
    depth = np.sqrt(np.clip(1 - inside, 0, 1))
    light = np.clip(-0.56 * u - 0.46 * v + 0.66 * depth, 0, 1)
    streak = np.sin(11 * np.arctan2(u, 1.4 - v) * 3) * 0.5
    hue = np.asarray(colour) * (1 + 0.07 * streak + 0.05 * skin)[..., None]
    body = hue * (0.14 + 1.18 * light)[..., None] + 0.10 * (np.clip(u, 0, 1) ** 3 * depth)[
        ..., None
    ] * np.array((0.9, 0.7, 0.5))
    if bloom:
        body = brush.mix(body.astype(np.float32), (0.45, 0.45, 0.62), bloom * light * 0.6)
    shine = np.exp(-(((u + 0.38) / 0.16) ** 2) - (((v + 0.36) / 0.13) ** 2))
    body = body + (0.75 - bloom) * shine[..., None]
    whole[near] = brush.mix(picture, body.astype(np.float32), cover)
    canvas = np.ascontiguousarray(whole)
    root = (round(place[0] * height), round((place[1] - radii[1] * 0.82) * height))
    tip = (
        round((place[0] + radii[0] * 0.25) * height),
        round((place[1] - radii[1] * 1.32) * height),
    )
    cv2.line(canvas, root, tip, (0.16, 0.10, 0.05), max(2, height // 130), cv2.LINE_AA)
    return canvas


def _paint(picture: Picture, random: np.random.Generator) -> Picture:
    """Move colour along strokes, then add bristle relief, canvas weave and a vignette."""
    height, width = picture.shape[:2]
    x, y = brush.grid(width, height)
    turn = 1.6 * brush.octaves(width, height, random, cell=0.20, count=3)
    noise = brush.octaves(width, height, random, cell=0.010, count=2, fall=0.8)
    strokes = noise.copy()
    for far in (-4.0, -2.0, 2.0, 4.0):
        dx = np.asarray(np.cos(turn) * far, np.float32)
        dy = np.asarray(np.sin(turn) * far, np.float32)
        strokes = strokes + brush.warp(noise, dx, dy)
    strokes = np.asarray(strokes / 5, np.float32)
    push = np.asarray(2.2 * strokes, np.float32)
    moved = brush.warp(
        picture,
        np.asarray(push * np.cos(turn), np.float32),
        np.asarray(push * np.sin(turn), np.float32),
    )
    bristle = brush.relief(strokes, 0.075)
    weave = 1 + 0.022 * np.sin(x * height * 1.6) * np.sin(y * height * 1.6)
    edge = 1 - 0.38 * brush.step(0.7, 1.6, brush.blob(x, y, (width / height / 2, 0.5), (1.0, 0.62)))
    varnish = np.asarray((1.04, 1.0, 0.90), np.float32)
    return np.asarray(moved * (bristle * weave * edge)[..., None] * varnish, np.float32)
