"""Half blocks: two pixels a cell, in 24-bit, 256, 16 or no colours; equal neighbours merged.

Plain Python loops: at 140x40 cells they take 5 to 7 ms, and need no numpy.
"""

from functools import cache
from typing import TYPE_CHECKING

from b100tui.terminal.facts import TRUE_COLOUR
from b100tui.terminal.frames import Area, CellRow, Frame, Quality

if TYPE_CHECKING:
    from PIL.Image import Image

UPPER = "▀"
RESET = "\x1b[0m"
# The 16 colours as xterm and VGA agree on them most nearly; a theme may differ.
ANSI_16 = (
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0)),
    *((0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0)),
    *((92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)),
)
_CUBE = (0, 95, 135, 175, 215, 255)


class HalfBlocks:
    """The encoder for `colours` colours (2, 16, 256 or 2**24)."""

    name = "half"
    has_rough = False

    def __init__(self, colours: int = TRUE_COLOUR) -> None:
        self.colours = colours

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return one pixel a column and two a row."""
        return area.columns, area.rows * 2

    def encode(self, picture: "Image", area: Area, quality: Quality = "sharp") -> Frame:
        """Return the rows of cells; `picture` is RGB, `area.columns` x 2 `area.rows` pixels."""
        if self.colours >= TRUE_COLOUR:
            rows = _true_colour_rows(picture.tobytes(), area)
        else:
            ink = _quantised(picture, self.colours)
            rows = _palette_rows(ink.tobytes(), area, self.colours)
        return Frame(
            protocol=self.name,
            columns=area.columns,
            rows=area.rows,
            rows_of_cells=rows,
            bytes=sum(len(row.text.encode()) for row in rows),
        )


def palette_colours(colours: int) -> tuple[tuple[int, int, int], ...]:
    """Return the RGB values of a terminal's `colours` colours, in the terminal's numbering.

    For 256 only the cube and the greys (numbers 16 to 255): themes change the first 16.
    """
    if colours == 2:
        return ((0, 0, 0), (255, 255, 255))
    if colours == 16:
        return ANSI_16
    cube = tuple((r, g, b) for r in _CUBE for g in _CUBE for b in _CUBE)
    return cube + tuple((8 + 10 * n,) * 3 for n in range(24))


def _true_colour_rows(pixels: bytes, area: Area) -> tuple[CellRow, ...]:
    number = [str(n) for n in range(256)]
    stride = area.columns * 3
    rows = []
    for row in range(area.rows):
        upper = pixels[2 * row * stride : (2 * row + 1) * stride]
        lower = pixels[(2 * row + 1) * stride : (2 * row + 2) * stride]
        text, ink = [], bytearray()
        above = below = b""
        for at in range(0, stride, 3):
            a, b = upper[at : at + 3], lower[at : at + 3]
            if a != above:
                text.append(f"\x1b[38;2;{number[a[0]]};{number[a[1]]};{number[a[2]]}")
                if b != below:
                    text.append(f";48;2;{number[b[0]]};{number[b[1]]};{number[b[2]]}m▀")
                else:
                    text.append("m▀")
            elif b != below:
                text.append(f"\x1b[48;2;{number[b[0]]};{number[b[1]]};{number[b[2]]}m▀")
            else:
                text.append(UPPER)
            above, below = a, b
            ink += a
            ink += b
        text.append(RESET)
        rows.append(CellRow(area.columns, bytes(ink), "".join(text)))
    return tuple(rows)


def _palette_rows(numbers: bytes, area: Area, colours: int) -> tuple[CellRow, ...]:
    inks = [bytes(colour) for colour in palette_colours(colours)]
    rows = []
    for row in range(area.rows):
        start = 2 * row * area.columns
        upper = numbers[start : start + area.columns]
        lower = numbers[start + area.columns : start + 2 * area.columns]
        text, ink = [], bytearray()
        above = below = -1
        for a, b in zip(upper, lower, strict=True):
            if colours == 2:
                text.append(" ▄▀█"[a * 2 + b])
            elif a == b:
                # A space needs the background only: half the bytes in flat regions.
                if b != below:
                    text.append(f"\x1b[{_code(b, colours, 'back')}m")
                    below = b
                text.append(" ")
            else:
                codes = []
                if a != above:
                    codes.append(_code(a, colours, "fore"))
                if b != below:
                    codes.append(_code(b, colours, "back"))
                text.append(f"\x1b[{';'.join(codes)}m▀" if codes else UPPER)
                above, below = a, b
            ink += inks[a]
            ink += inks[b]
        text.append(RESET if colours != 2 else "")
        rows.append(CellRow(area.columns, bytes(ink), "".join(text)))
    return tuple(rows)


@cache
def _code(number: int, colours: int, ground: str) -> str:
    if colours == 16:
        base = (30 if ground == "fore" else 40) + (60 if number >= 8 else 0)
        return str(base + number % 8)
    return f"{38 if ground == 'fore' else 48};5;{number + 16}"


def _quantised(picture: "Image", colours: int) -> "Image":
    """Map to the terminal's colours; only the coarse palettes are dithered.

    With 256 colours dithering looks like coloured noise, which is what the eye looks for here.
    """
    from PIL.Image import Dither

    dither = Dither.NONE if colours > 16 else Dither.FLOYDSTEINBERG
    return picture.quantize(palette=_palette(colours), dither=dither)


@cache
def _palette(colours: int) -> "Image":
    from PIL import Image

    holder = Image.new("P", (1, 1))
    flat = [value for colour in palette_colours(colours) for value in colour]
    holder.putpalette(flat)
    return holder
