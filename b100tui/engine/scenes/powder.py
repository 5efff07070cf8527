"""Holi: bursts of coloured powder flying apart before a dark ground."""

import cv2
import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture

_CLOUDS = (
    ((0.34, 0.62), (0.42, 0.30), -0.9, (0.96, 0.10, 0.52)),
    ((0.78, 0.55), (0.36, 0.34), -1.6, (1.00, 0.76, 0.06)),
    ((1.20, 0.60), (0.44, 0.30), -2.2, (0.05, 0.55, 0.95)),
    ((0.58, 0.36), (0.26, 0.26), -1.3, (0.98, 0.42, 0.05)),
    ((1.02, 0.34), (0.28, 0.25), -1.8, (0.10, 0.78, 0.36)),
    ((1.48, 0.46), (0.26, 0.26), -2.6, (0.55, 0.16, 0.86)),
    ((0.16, 0.42), (0.22, 0.24), -0.6, (0.62, 0.12, 0.80)),
    ((0.90, 0.74), (0.50, 0.18), -1.6, (0.95, 0.25, 0.25)),
)


def holi(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw eight clouds by warped octave noise, lit from above, with flying grains."""
    _, y = brush.grid(width, height)
    picture = brush.ramp(y, [0, 1], [(0.035, 0.035, 0.06), (0.09, 0.06, 0.08)])
    for place, radii, aim, colour in _CLOUDS:
        picture = _cloud(picture, place, radii, aim, np.array(colour, np.float32), random)
    return np.clip(_grains(picture, random), 0, 1)


def _cloud(
    picture: Picture,
    place: tuple[float, float],
    radii: tuple[float, float],
    aim: float,
    colour: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]",
    random: np.random.Generator,
) -> Picture:
    """Add one cloud that billows towards the angle `aim`."""
    height, width = picture.shape[:2]
    x, y = brush.grid(width, height)
    bend_x = brush.octaves(width, height, random, cell=0.25, count=5, fall=0.55)
    bend_y = brush.octaves(width, height, random, cell=0.25, count=5, fall=0.55)
    wx, wy = x + 0.045 * bend_x, y + 0.045 * bend_y
    dx, dy = (wx - place[0]) / radii[0], (wy - place[1]) / radii[1]
    far = np.sqrt(dx * dx + dy * dy)
    towards = np.cos(np.arctan2(dy, dx) - aim)
    rays = brush.octaves(width, height, random, cell=0.10, count=6, fall=0.68)
    thick = 1.02 - far * (1.0 - 0.22 * towards) + 0.17 * rays
    cover = brush.step(0.0, 0.55, thick) ** 1.2
    billow = brush.octaves(width, height, random, cell=0.13, count=6, fall=0.6)
    shade = brush.relief(
        brush.soften(np.asarray(thick + 0.10 * billow, np.float32), 0.007), 4.0, (-0.3, -0.9)
    )
    dust = brush.octaves(width, height, random, cell=0.006, count=2, fall=1.0)
    tone = np.clip(0.62 * shade + 0.10 * billow + 0.06 * dust, 0.12, 1.5)[..., None]
    body = colour * tone + 0.30 * np.clip(tone - 0.85, 0, 1)
    return brush.mix(picture, body.astype(np.float32), cover * 0.94)


def _grains(picture: Picture, random: np.random.Generator) -> Picture:
    """Strew single grains of powder, thick near the clouds, thin far away."""
    height = picture.shape[0]
    canvas = np.ascontiguousarray(picture)
    for place, radii, aim, colour in _CLOUDS:
        for _ in range(260):
            angle = aim + float(random.normal(0, 1.0))
            far = float(random.gamma(5.0, 0.22))
            spot = (
                int((place[0] + np.cos(angle) * far * radii[0]) * height),
                int((place[1] + np.sin(angle) * far * radii[1]) * height),
            )
            size = 1 if random.random() < 0.75 else int(random.integers(1, 4))
            tone = float(random.uniform(0.5, 1.25))
            paint = tuple(min(1.0, part * tone + 0.05) for part in colour)
            cv2.circle(canvas, spot, size, paint, -1, cv2.LINE_AA)
    return canvas
