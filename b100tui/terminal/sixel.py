"""Sixel: 64 colours, 32 of half the size while rough; one sequence a frame, under 1 MiB.

Own bands, by numpy, while scrubbing: a third of the time of textual-image's, for a fifth more
bytes. A picture that is printed once takes textual-image's: there the bytes count. Its private
module does not probe the terminal at import, which a test holds with the pinned version.
"""

import math
import re
from typing import TYPE_CHECKING

from b100tui.terminal.frames import Area, Frame, Quality, most_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

# Squares of so many pixels a side, so many colours; the first that stays in bounds is taken.
SHARP = ((1, 64), (1, 32), (2, 64), (2, 32), (3, 32), (4, 16))
ROUGH = ((2, 32), (3, 32), (4, 16), (6, 8))
_SAMPLE = 48  # rows from the middle tell how long the whole will be
_SEQUENCE = re.compile(r'\x1bP0;0;0q"1;1;(\d+);\d+((?:#\d+;2;\d+;\d+;\d+)*)([^;]*)\x1b\\')
_CLEAR = "\x1bP0;1;0q"  # pixels that are not set stay as they are
_DEFINITION = re.compile(r"#(\d+);2;\d+;\d+;\d+")
# tmux drops any sequence over 1 MiB.
MAX_BYTES = 1 << 20
LEAST_STRIP = 8_000  # in less than this the colours would take more than a sixteenth


class Sixels:
    """The encoder; a rough picture has half the size, enlarged here: the terminal cannot."""

    name = "sixel"
    has_rough = True

    def __init__(self, *, thrifty: bool = False) -> None:
        self.thrifty = thrifty

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return the area in pixels, its height a multiple of 6 so that no band sticks out.

        Half of it a side while rough.
        """
        width, height = area.columns * area.cell_width, area.rows * area.cell_height
        height = max(height - height % 6, 6)
        return (max(width // 2, 1), height // 2) if quality == "rough" else (width, height)

    def encode(self, picture: "Image", area: Area, quality: Quality = "sharp") -> Frame:
        """Return the sixel sequence of `picture` (RGB).

        Where it would be too long (grain, differences), fewer colours, then larger squares.
        """
        # A sixteenth is left for what strips repeat: each tells its colours anew.
        most = min(most_bytes(area, quality) * 15 // 16, MAX_BYTES - 1)
        size = self.pixels(area, "sharp")
        attempts = ROUGH if quality == "rough" else SHARP
        payload = ""
        for attempt in attempts[_first_to_fit(picture, size, attempts, most) :]:
            payload = _encoded(picture, size, attempt, thrifty=self.thrifty)
            if len(payload) <= most:
                break
        return Frame(
            protocol=self.name,
            columns=area.columns,
            rows=area.rows,
            quality=quality,
            payload=payload,
            bytes=len(payload),
        )


def strips(
    payload: str, cell_height: int, most: int, *, overlapping: bool = True
) -> list[tuple[int, str]]:
    """Cut a sequence of ours into (row of cells, sequence) of about `most` bytes each.

    On a slow link each goes out by itself, so that text need not wait for the whole picture.
    A sequence begins at a row of cells, which few bands do: the others pass over the bands
    before them without touching them. tmux keeps one picture a cell, so that these would go
    there: without `overlapping` only bands that begin with a row do, however long that gets.
    """
    found = _SEQUENCE.fullmatch(payload)
    if found is None:
        return [(0, payload)]
    width, inks, body = found.groups()
    bands = body.split("-")[:-1]
    most = max(most, LEAST_STRIP)
    many = math.lcm(cell_height, 6) // 6
    cut = []
    for start in range(0, len(bands), many):
        part = bands[start : start + many]
        at = 0
        while at < len(part):
            stop, size = at + 1, len(inks) + len(part[at])
            while stop < len(part) and (not overlapping or size + len(part[stop]) <= most):
                size += len(part[stop])
                stop += 1
            head = f'{_CLEAR}"1;1;{width};{stop * 6}{inks}{"-" * at}'
            cut.append((start * 6 // cell_height, f"{head}{'-'.join(part[at:stop])}-\x1b\\"))
            at = stop
    return cut


def _encoded(
    picture: "Image", size: tuple[int, int], attempt: tuple[int, int], *, thrifty: bool = False
) -> str:
    """Return `picture` in squares of so many pixels and so many colours, `size` pixels large."""
    import numpy as np
    from PIL.Image import Dither, Quantize, Resampling

    from b100tui.terminal.sixel_bands import sixels

    square, colours = attempt
    small = (max(size[0] // square, 1), max(size[1] // square, 1))
    if small[0] < picture.width:
        picture = picture.resize(small, Resampling.BOX)
    inks = picture.quantize(colours, Quantize.FASTOCTREE, dither=Dither.NONE)
    if thrifty:
        from textual_image._sixel import SixelOptions, image_to_sixels

        whole = inks.convert("RGB").resize(size, Resampling.NEAREST)
        payload = image_to_sixels(whole, SixelOptions(colors=colours))
        # xterm takes a definition as that alone and draws on with the colour before.
        return _DEFINITION.sub(r"\g<0>#\1", payload)
    flat = inks.getpalette() or []
    palette = [(flat[n], flat[n + 1], flat[n + 2]) for n in range(0, len(flat) - 2, 3)]
    if inks.size != size:
        inks = inks.resize(size, Resampling.NEAREST)
    return sixels(np.asarray(inks), palette)


def _first_to_fit(
    picture: "Image", size: tuple[int, int], attempts: tuple[tuple[int, int], ...], most: int
) -> int:
    """Return the place of the first attempt that seems to stay below `most` bytes."""
    if size[1] < 3 * _SAMPLE:
        return 0
    share = _SAMPLE / size[1]
    top = int(picture.height * (0.5 - share / 2))
    part = picture.crop((0, top, picture.width, top + max(int(picture.height * share), 1)))
    for at, attempt in enumerate(attempts[:-1]):
        if len(_encoded(part, (size[0], _SAMPLE), attempt)) <= most * share:
            return at
    return len(attempts) - 1
