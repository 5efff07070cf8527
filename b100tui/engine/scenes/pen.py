"""A pen for flat-coloured drawn figures: smooth inked shapes, and a head with its eyes."""

from collections.abc import Sequence

import cv2
import numpy as np

from b100tui.engine.scenes.brush import Picture

Point = tuple[float, float]
Colour = tuple[float, float, float]
INK: Colour = (0.13, 0.09, 0.16)
SKIN: Colour = (0.99, 0.87, 0.78)
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
            cv2.polylines(self.canvas, places, True, INK, self.line, cv2.LINE_AA, 4)

    def stroke(self, points: Sequence[Point], colour: Colour = INK, wide: float = 1.0) -> None:
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
            cv2.ellipse(self.canvas, centre, axes, turn, 0, 360, INK, self.line, cv2.LINE_AA, 4)


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


def draw_head(
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
        SKIN,
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
    pen.oval(middle, (size * 0.055, size * 0.085), INK, tilt, ink=False)
    pen.oval(
        (middle[0] - size * 0.06, middle[1] - size * 0.09),
        (size * 0.048, size * 0.055),
        (1, 1, 1),
        ink=False,
    )
