"""Kitty graphics by Unicode placeholders: the picture goes out once, cells refer to it by id.

The id (1 to 2**24 - 1) stands in the placeholders' 24-bit foreground colour; row and column
stand in combining marks. Protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol/
"""

import base64
import io
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from b100tui.terminal.frames import Area, CellRow, Frame, Quality, most_bytes, scaled_pixels

if TYPE_CHECKING:
    from PIL.Image import Image

PLACEHOLDER = "\U0010eeee"
CHUNK = 4096
COLOURS = (256, 96, 32, 16)
# Of zlib: of 256 colours with grain 3 leaves less than 6 does, in 60 % of the time.
LEVEL = 3
_SAMPLE = 32  # rows tell how long the whole will be
_SURELY = 1.1  # where they speak for less, the whole is tried
MAX_ID = (1 << 24) - 1
MAX_SIDE = 297  # combining marks in Kitty's table, so cells a side


class KittyPng:
    """The encoder: a palette PNG, at half size while rough; the terminal scales it."""

    name = "kitty"
    has_rough = True

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return the area in pixels, or half of it a side while rough."""
        return scaled_pixels(area, quality)

    def encode(self, picture: "Image", area: Area, quality: Quality = "sharp") -> Frame:
        """Return the base64 of a PNG of `picture` (RGB): 256 colours, fewer if it is too long."""
        from PIL import Image

        most = most_bytes(area, quality)
        payload = ""
        for colours in COLOURS:
            inks = picture.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
            if colours != COLOURS[-1] and _seems_longer(inks, most):
                continue
            payload = _base64_png(inks)
            if len(payload) <= most:
                break
        return Frame(
            protocol=self.name,
            columns=min(area.columns, MAX_SIDE),
            rows=min(area.rows, MAX_SIDE),
            quality=quality,
            payload=payload,
            bytes=len(payload),
        )


def _base64_png(inks: "Image") -> str:
    file = io.BytesIO()
    inks.save(file, "PNG", compress_level=LEVEL)
    return base64.b64encode(file.getvalue()).decode("ascii")


def _seems_longer(inks: "Image", most: int) -> bool:
    """Say whether a few rows from the middle, deflated, speak for more than `most` bytes."""
    rows = min(inks.height, _SAMPLE)
    top = (inks.height - rows) // 2
    part = inks.crop((0, top, inks.width, top + rows)).tobytes()
    # Base64 makes four bytes of three.
    return len(zlib.compress(part, LEVEL)) * 4 / 3 * inks.height / rows > most * _SURELY


def transmit(frame: Frame, number: int, *, tmux: bool = False) -> Iterator[str]:
    """Yield the commands, one a chunk of 4096 bytes, that upload `frame` under id `number`.

    They also make the virtual placement; the placeholders may follow once all are sent.
    """
    first = f"a=T,U=1,f=100,t=d,i={number},c={frame.columns},r={frame.rows},q=2"
    payload = frame.payload
    for start in range(0, max(len(payload), 1), CHUNK):
        more = int(start + CHUNK < len(payload))
        keys = f"{first},m={more}" if start == 0 else f"m={more},q=2"
        yield wrap(f"\x1b_G{keys};{payload[start : start + CHUNK]}\x1b\\", tmux=tmux)


def delete(number: int, *, tmux: bool = False) -> str:
    """Return the command that frees the picture under id `number` and its placements."""
    return wrap(f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\", tmux=tmux)


def wrap(command: str, *, tmux: bool) -> str:
    """Return `command` inside tmux's passthrough, where `tmux` says so."""
    if not tmux:
        return command
    return "\x1bPtmux;" + command.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def placeholder_rows(number: int, columns: int, rows: int) -> tuple[CellRow, ...]:
    """Return the cells that show picture `number`: every cell carries its row and column.

    Cells that inherit from their left neighbour would be shorter, but then cells to the
    right of an overlay show the wrong part.
    """
    marks = _marks()
    red, green, blue = number >> 16 & 255, number >> 8 & 255, number & 255
    ink = bytes((red, green, blue))
    across = [PLACEHOLDER + "\0" + marks[column] for column in range(columns)]
    line = "".join(across)
    start = f"\x1b[38;2;{red};{green};{blue}m"
    return tuple(
        CellRow(columns, ink, start + line.replace("\0", marks[row]) + "\x1b[39m")
        for row in range(rows)
    )


@cache
def _marks() -> tuple[str, ...]:
    """Kitty's rowcolumn-diacritics table: mark N stands for row or column N."""
    text = resources.files("b100tui.terminal").joinpath("kitty-marks.txt").read_text("ascii")
    return tuple(chr(int(word, 16)) for word in text.split())
