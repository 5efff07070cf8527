"""A picture printed at the cursor, outside the explorer: it scrolls away with the text."""

import os
from typing import TYPE_CHECKING

from b100tui.terminal.encoders import encoders
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.frames import Area, fit_area
from b100tui.terminal.kitty import placeholder_rows, transmit

if TYPE_CHECKING:
    from PIL.Image import Image


def inline_picture(
    image: "Image", facts: TerminalFacts, columns: int, rows: int, *, number: int | None = None
) -> str:
    """Return what to print for RGB `image` in at most `columns` x `rows` cells; ends a line.

    A picture smaller than the area is not enlarged. Empty in text mode. `number` is the Kitty
    id (one of this process when None).
    """
    if facts.graphics == "text":
        return ""
    encoder = encoders(facts, thrifty=True)[facts.graphics]
    area = Area(columns, rows, facts.cell_width, facts.cell_height)
    place = fit_area(image.width, image.height, area)
    if facts.graphics != "half" and image.width <= area.columns * area.cell_width:
        own = Area(
            max(-(-image.width // facts.cell_width), 1),
            max(-(-image.height // facts.cell_height), 1),
            facts.cell_width,
            facts.cell_height,
        )
        if own.columns <= place.columns and own.rows <= place.rows:
            place = own
    frame = encoder.encode(_scaled(image, encoder.pixels(place, "sharp")), place, "sharp")
    if frame.rows_of_cells:
        return "".join(row.text + "\n" for row in frame.rows_of_cells)
    if frame.protocol == "kitty":
        number = number or os.getpid() % (1 << 24) or 1
        upload = "".join(transmit(frame, number, tmux=facts.tmux))
        cells = placeholder_rows(number, frame.columns, frame.rows)
        return upload + "".join(row.text + "\n" for row in cells)
    # Room first, so that nothing scrolls while the picture is drawn.
    room = "\n" * frame.rows
    return f"{room}\x1b[{frame.rows}A\x1b7{frame.payload}\x1b8\x1b[{frame.rows}B\r"


def _scaled(image: "Image", size: tuple[int, int]) -> "Image":
    from PIL.Image import Resampling

    down = size[0] < image.width
    return image.resize(size, Resampling.BOX if down else Resampling.NEAREST)
