"""Kokoro and Yuiman: flat-coloured drawn figures, one standing, one as nine headshots."""

from collections.abc import Sequence

import cv2
import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture

Point = tuple[float, float]
Colour = tuple[float, float, float]
_INK: Colour = (0.13, 0.09, 0.16)
_SKIN: Colour = (0.99, 0.87, 0.78)
_BLUSH: Colour = (0.97, 0.66, 0.62)


class Pen:
    """Draws smooth closed shapes with an ink outline; places are shares of the height."""

    def __init__(self, canvas: Picture, line: float = 0.0042) -> None:
        self.canvas = np.ascontiguousarray(canvas)
        self.height = canvas.shape[0]
        self.line = max(1, round(line * self.height))

    def shape(
        self, points: Sequence[Point], fill: Colour, *, smooth: bool = True, ink: bool = True
    ) -> None:
        """Fill a closed shape, through its points as a smooth curve unless told otherwise."""
        curve = _closed(points) if smooth else np.asarray(points, np.float64)
        places = [np.round(curve * self.height * 16).astype(np.int32)]
        cv2.fillPoly(self.canvas, places, fill, cv2.LINE_AA, 4)
        if ink:
            cv2.polylines(self.canvas, places, True, _INK, self.line, cv2.LINE_AA, 4)

    def stroke(self, points: Sequence[Point], colour: Colour = _INK, wide: float = 1.0) -> None:
        """Draw an open line."""
        places = [np.round(np.asarray(points) * self.height * 16).astype(np.int32)]
        cv2.polylines(
            self.canvas, places, False, colour, max(1, round(self.line * wide)), cv2.LINE_AA, 4
        )

    def oval(
        self, middle: Point, radii: Point, fill: Colour, turn: float = 0.0, *, ink: bool = True
    ) -> None:
        """Fill an ellipse, turned clockwise by `turn` degrees."""
        centre = (round(middle[0] * self.height * 16), round(middle[1] * self.height * 16))
        axes = (round(radii[0] * self.height * 16), round(radii[1] * self.height * 16))
        cv2.ellipse(self.canvas, centre, axes, turn, 0, 360, fill, -1, cv2.LINE_AA, 4)
        if ink:
            cv2.ellipse(self.canvas, centre, axes, turn, 0, 360, _INK, self.line, cv2.LINE_AA, 4)


def _closed(
    points: Sequence[Point], parts: int = 10
) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Return a Catmull-Rom curve through `points` and back to the first."""
    p = np.asarray(points, np.float64)
    before, after, next_ = np.roll(p, 1, 0), np.roll(p, -1, 0), np.roll(p, -2, 0)
    t = np.linspace(0, 1, parts, endpoint=False)[:, None, None]
    curve = 0.5 * (
        2 * p + (after - before) * t + (2 * before - 5 * p + 4 * after - next_) * t**2
        + (3 * p - before - 3 * after + next_) * t**3
    )  # fmt: skip
    return np.asarray(curve.transpose(1, 0, 2).reshape(-1, 2))


def kokoro(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw the standing figure: one long sleeve, one bare arm, a side tail, odd socks."""
    x, y = brush.grid(width, height)
    picture = brush.ramp(y, [0, 1], [(0.93, 0.95, 0.98), (0.99, 0.93, 0.90)])
    disc = brush.step(1.01, 0.99, brush.blob(x, y, (width / height * 0.5, 0.40), (0.27, 0.27)))
    pen = Pen(brush.mix(picture, (1.0, 0.83, 0.62), disc))
    c = width / height / 2
    teal, dark, plum, cream = (
        (0.14, 0.62, 0.64),
        (0.10, 0.44, 0.50),
        (0.45, 0.16, 0.36),
        (0.99, 0.96, 0.88),
    )
    hair, hair_dark = (0.93, 0.45, 0.34), (0.78, 0.30, 0.27)
    pen.oval((c, 0.955), (0.16, 0.018), (0.86, 0.78, 0.80), ink=False)
    tail = [
        (c + 0.06, 0.16),
        (c + 0.17, 0.17),
        (c + 0.215, 0.30),
        (c + 0.17, 0.45),
        (c + 0.205, 0.54),
        (c + 0.12, 0.50),
        (c + 0.10, 0.36),
        (c + 0.085, 0.24),
    ]
    pen.shape(tail, hair)
    pen.stroke([(c + 0.12, 0.21), (c + 0.15, 0.32), (c + 0.13, 0.44)], hair_dark, 1.2)
    for side, sock in ((-1, cream), (1, plum)):
        leg = [
            (c + side * 0.022, 0.66),
            (c + side * 0.078, 0.66),
            (c + side * 0.07, 0.78),
            (c + side * 0.064, 0.90),
            (c + side * 0.028, 0.90),
            (c + side * 0.026, 0.78),
        ]
        pen.shape(leg, _SKIN)
        knee = 0.76 if side < 0 else 0.82
        pen.shape(
            [
                (c + side * 0.025, knee),
                (c + side * 0.071, knee),
                (c + side * 0.064, 0.91),
                (c + side * 0.028, 0.91),
            ],
            sock,
            smooth=False,
        )
        if side < 0:
            for k in range(4):
                pen.stroke(
                    [(c - 0.027, knee + 0.03 + 0.032 * k), (c - 0.068, knee + 0.03 + 0.032 * k)],
                    teal,
                    2.2,
                )
        boot = [
            (c + side * 0.022, 0.895),
            (c + side * 0.068, 0.895),
            (c + side * 0.072, 0.935),
            (c + side * 0.098, 0.958),
            (c + side * 0.06, 0.965),
            (c + side * 0.022, 0.962),
        ]
        pen.shape(boot, (0.30, 0.20, 0.26))
    pen.shape(
        [
            (c - 0.075, 0.42),
            (c - 0.125, 0.52),
            (c - 0.150, 0.605),
            (c - 0.128, 0.615),
            (c - 0.09, 0.54),
            (c - 0.052, 0.45),
        ],
        _SKIN,
    )
    skirt = [
        (c - 0.075, 0.53),
        (c + 0.075, 0.53),
        (c + 0.155, 0.70),
        (c + 0.08, 0.725),
        (c, 0.705),
        (c - 0.08, 0.725),
        (c - 0.155, 0.70),
    ]
    pen.shape(skirt, plum, smooth=False)
    for k in range(-3, 4):
        pen.stroke([(c + 0.021 * k, 0.535), (c + 0.044 * k, 0.71)], (0.30, 0.08, 0.25), 1.0)
    pen.shape(
        [
            (c - 0.155, 0.688),
            (c - 0.08, 0.712),
            (c, 0.692),
            (c + 0.08, 0.712),
            (c + 0.155, 0.688),
            (c + 0.155, 0.70),
            (c + 0.08, 0.725),
            (c, 0.705),
            (c - 0.08, 0.725),
            (c - 0.155, 0.70),
        ],
        (0.96, 0.76, 0.30),
        smooth=False,
    )
    body = [
        (c - 0.085, 0.385),
        (c - 0.03, 0.365),
        (c + 0.03, 0.365),
        (c + 0.085, 0.385),
        (c + 0.078, 0.47),
        (c + 0.08, 0.545),
        (c, 0.555),
        (c - 0.08, 0.545),
        (c - 0.078, 0.47),
    ]
    pen.shape(body, cream)
    pen.shape(
        [(c, 0.366), (c + 0.085, 0.385), (c + 0.078, 0.47), (c + 0.08, 0.545), (c + 0.01, 0.552)],
        teal,
        smooth=False,
    )
    for k in range(4):
        pen.oval((c + 0.004, 0.405 + 0.035 * k), (0.007, 0.007), (0.96, 0.76, 0.30))
    sleeve = [
        (c + 0.07, 0.39),
        (c + 0.115, 0.42),
        (c + 0.185, 0.60),
        (c + 0.20, 0.70),
        (c + 0.12, 0.70),
        (c + 0.105, 0.60),
        (c + 0.065, 0.47),
    ]
    pen.shape(sleeve, teal)
    pen.shape(
        [(c + 0.118, 0.655), (c + 0.194, 0.655), (c + 0.20, 0.70), (c + 0.12, 0.70)],
        (0.96, 0.76, 0.30),
        smooth=False,
    )
    for k in range(3):
        pen.oval((c + 0.115 + 0.018 * k, 0.50 + 0.05 * k), (0.014, 0.014), dark, ink=False)
    pen.shape(
        [(c - 0.026, 0.335), (c + 0.026, 0.335), (c + 0.03, 0.372), (c, 0.392), (c - 0.03, 0.372)],
        _SKIN,
    )
    pen.shape(
        [
            (c - 0.06, 0.368),
            (c, 0.395),
            (c + 0.06, 0.368),
            (c + 0.03, 0.43),
            (c, 0.408),
            (c - 0.03, 0.43),
        ],
        (0.90, 0.22, 0.28),
        smooth=False,
    )
    _head(
        pen,
        (c, 0.235),
        0.125,
        hair,
        hair_dark,
        ((0.10, 0.40, 0.62), (0.24, 0.72, 0.76), (0.66, 0.92, 0.84), (0.97, 0.99, 0.90)),
        0.0,
        "smile",
    )
    pen.shape(
        [
            (c + 0.065, 0.115),
            (c + 0.125, 0.075),
            (c + 0.135, 0.135),
            (c + 0.075, 0.135),
            (c + 0.145, 0.165),
            (c + 0.105, 0.20),
            (c + 0.06, 0.145),
        ],
        (0.90, 0.22, 0.28),
    )
    return pen.canvas


def yuiman(width: int, height: int, random: np.random.Generator) -> Picture:
    """Draw a grid of nine headshots that differ in tilt, mouth and gaze; eyes in four colours."""
    pen = Pen(brush.flat(width, height, (0.98, 0.97, 0.95)), 0.0030)
    backs = [
        (0.98, 0.80, 0.72),
        (0.74, 0.88, 0.96),
        (0.98, 0.93, 0.70),
        (0.80, 0.93, 0.78),
        (0.96, 0.76, 0.86),
        (0.84, 0.80, 0.96),
        (0.72, 0.92, 0.90),
        (0.99, 0.86, 0.62),
        (0.88, 0.90, 0.94),
    ]
    moods = ["smile", "open", "flat", "sad", "smile", "shut", "open", "wink", "flat"]
    hair, hair_dark = (0.24, 0.27, 0.52), (0.16, 0.17, 0.38)
    eyes = ((0.36, 0.10, 0.46), (0.86, 0.22, 0.46), (0.99, 0.60, 0.26), (1.0, 0.93, 0.52))
    gap, side = 0.022, (1 - 0.022 * 4) / 3
    aspect = width / height
    for number in range(9):
        left = (gap + (number % 3) * (side + gap)) * aspect
        top = gap + (number // 3) * (side + gap)
        right, bottom = left + side * aspect, top + side
        before = pen.canvas.copy()
        pen.shape(
            [(left, top), (right, top), (right, bottom), (left, bottom)],
            backs[number],
            smooth=False,
            ink=False,
        )
        middle = ((left + right) / 2 + 0.012 * ((number * 2) % 5 - 2), top + side * 0.50)
        tilt = (-12.0, 0.0, 9.0, 6.0, -5.0, 14.0, 0.0, -9.0, 4.0)[number]
        base = bottom + 0.03
        pen.shape(
            [
                (middle[0] - 0.13, base),
                (middle[0] - 0.10, bottom - 0.055),
                (middle[0] - 0.025, bottom - 0.085),
                (middle[0] + 0.025, bottom - 0.085),
                (middle[0] + 0.10, bottom - 0.055),
                (middle[0] + 0.13, base),
            ],
            (0.95, 0.95, 0.98),
        )
        pen.shape(
            [
                (middle[0] - 0.022, bottom - 0.11),
                (middle[0] + 0.022, bottom - 0.11),
                (middle[0] + 0.022, bottom - 0.07),
                (middle[0] - 0.022, bottom - 0.07),
            ],
            _SKIN,
        )
        pen.shape(
            [
                (middle[0] - 0.05, bottom - 0.07),
                (middle[0], bottom - 0.035),
                (middle[0] + 0.05, bottom - 0.07),
                (middle[0] + 0.03, bottom),
                (middle[0] - 0.03, bottom),
            ],
            (0.86, 0.26, 0.30),
        )
        _head(pen, middle, 0.112, hair, hair_dark, eyes, tilt, moods[number])
        mask = np.zeros(before.shape[:2], np.float32)
        mask[
            round(top * height) : round(bottom * height),
            round(left * height) : round(right * height),
        ] = 1
        pen.canvas = np.ascontiguousarray(brush.mix(before, pen.canvas, mask))
        pen.stroke([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
    return pen.canvas


def _head(
    pen: Pen,
    middle: Point,
    size: float,
    hair: Colour,
    hair_dark: Colour,
    eyes: Sequence[Colour],
    tilt: float,
    mood: str,
) -> None:
    """Draw a head of radius `size`: hair behind, face, eyes of four bands, mouth, fringe."""
    cosine, sine = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))

    def at(u: float, v: float) -> Point:
        return (
            float(middle[0] + size * (u * cosine - v * sine)),
            float(middle[1] + size * (u * sine + v * cosine)),
        )

    def many(*points: Point) -> list[Point]:
        return [at(u, v) for u, v in points]

    pen.shape(
        many(
            (0, -1.08),
            (0.72, -0.86),
            (1.02, -0.2),
            (0.98, 0.5),
            (0.72, 0.98),
            (0.3, 0.8),
            (-0.3, 0.8),
            (-0.72, 0.98),
            (-0.98, 0.5),
            (-1.02, -0.2),
            (-0.72, -0.86),
        ),
        hair_dark,
    )
    pen.shape(
        many(
            (0, -0.75),
            (0.62, -0.55),
            (0.76, 0.05),
            (0.60, 0.55),
            (0.22, 0.88),
            (0, 0.93),
            (-0.22, 0.88),
            (-0.60, 0.55),
            (-0.76, 0.05),
            (-0.62, -0.55),
        ),
        _SKIN,
    )
    for side in (-1, 1):
        pen.oval(at(side * 0.46, 0.44), (size * 0.14, size * 0.07), _BLUSH, tilt, ink=False)
        if mood == "shut" or (mood == "wink" and side > 0):
            pen.stroke(
                many((side * 0.36 - 0.18, 0.16), (side * 0.36, 0.24), (side * 0.36 + 0.18, 0.16)),
                wide=1.6,
            )
        else:
            _eye(pen, at(side * 0.36, 0.14), size, eyes, tilt)
        pen.stroke(
            many((side * 0.36 - 0.17, -0.20), (side * 0.36, -0.26), (side * 0.36 + 0.17, -0.20)),
            wide=1.1,
        )
    pen.stroke(many((0.0, 0.36), (0.03, 0.42), (-0.02, 0.43)), wide=0.8)
    if mood == "open":
        pen.shape(
            many((-0.14, 0.58), (0.14, 0.58), (0.08, 0.74), (-0.08, 0.74)), (0.78, 0.24, 0.28)
        )
    else:
        dip = {"smile": 0.08, "wink": 0.08, "shut": 0.05, "flat": 0.0, "sad": -0.07}[mood]
        pen.stroke(
            many((-0.15, 0.63), (-0.07, 0.63 + dip), (0.07, 0.63 + dip), (0.15, 0.63)), wide=1.3
        )
    pen.shape(
        many(
            (-1.02, 0.25),
            (-1.04, -0.35),
            (-0.70, -0.95),
            (0, -1.14),
            (0.70, -0.95),
            (1.04, -0.35),
            (1.02, 0.25),
            (0.82, -0.05),
            (0.66, -0.40),
            (0.42, -0.12),
            (0.26, -0.46),
            (0.0, -0.10),
            (-0.20, -0.46),
            (-0.46, -0.10),
            (-0.66, -0.42),
            (-0.84, -0.02),
        ),
        hair,
    )
    pen.stroke(
        many((-0.55, -0.80), (-0.25, -0.92), (0.1, -0.94)),
        (hair[0] * 0.78 + 0.22, hair[1] * 0.78 + 0.22, hair[2] * 0.78 + 0.22),
        2.4,
    )


def _eye(pen: Pen, middle: Point, size: float, bands: Sequence[Colour], tilt: float) -> None:
    """Draw one eye: white, iris in four bands from dark above to light below, pupil, glint."""
    pen.oval(middle, (size * 0.20, size * 0.24), (1.0, 1.0, 1.0), tilt)
    for number, colour in enumerate(bands):
        drop = size * 0.055 * number
        radii = (size * (0.155 - 0.028 * number), size * (0.21 - 0.052 * number))
        pen.oval((middle[0], middle[1] + drop), radii, colour, tilt, ink=number == 0)
    pen.oval(middle, (size * 0.055, size * 0.085), _INK, tilt, ink=False)
    pen.oval(
        (middle[0] - size * 0.06, middle[1] - size * 0.09),
        (size * 0.048, size * 0.055),
        (1, 1, 1),
        ink=False,
    )
