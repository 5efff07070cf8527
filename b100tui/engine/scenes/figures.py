"""Kokoro and Yuiman: flat-coloured drawn figures, one standing, one as nine headshots."""

import numpy as np

from b100tui.engine.scenes import brush
from b100tui.engine.scenes.brush import Picture
from b100tui.engine.scenes.pen import SKIN, Pen, draw_head


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
        pen.shape(leg, SKIN)
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
        SKIN,
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
        SKIN,
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
    draw_head(
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
            SKIN,
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
        draw_head(pen, middle, 0.112, hair, hair_dark, eyes, tilt, moods[number])
        mask = np.zeros(before.shape[:2], np.float32)
        mask[
            round(top * height) : round(bottom * height),
            round(left * height) : round(right * height),
        ] = 1
        pen.canvas = np.ascontiguousarray(brush.mix(before, pen.canvas, mask))
        pen.stroke([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
    return pen.canvas
