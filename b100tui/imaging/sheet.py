"""Pictures put together into one: beside each other, or as a sheet of tiles with captions."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

GAP = 8
CAPTION = 18  # pixels under a tile, for one line of words
INK = (225, 225, 225)
PAPER = (24, 24, 24)


def side_by_side(image: "Image", other: "Image", gap: int = GAP) -> "Image":
    """Return both pictures pixel for pixel, `gap` black pixels between, tops aligned."""
    from PIL import Image

    joined = Image.new("RGB", (image.width + gap + other.width, max(image.height, other.height)))
    joined.paste(image, (0, 0))
    joined.paste(other, (image.width + gap, 0))
    return joined


def enlarged(image: "Image", zoom: int) -> "Image":
    """Return each pixel as `zoom` x `zoom` pixels."""
    from PIL.Image import Resampling

    if zoom == 1:
        return image
    return image.resize((image.width * zoom, image.height * zoom), Resampling.NEAREST)


def contact_sheet(
    tiles: Sequence[tuple["Image | None", str]], columns: int | None = None
) -> "Image":
    """Return captioned tiles, pixel for pixel, row by row; a tile of None is left empty.

    Without `columns` the sheet is about as wide as high. Tiles are as large as the largest.
    """
    from PIL import Image, ImageDraw, ImageFont

    width = max((image.width for image, _ in tiles if image), default=1)
    height = max((image.height for image, _ in tiles if image), default=1)
    if columns is None:
        columns = max(round(math.sqrt(len(tiles) * (height + CAPTION) / width)), 1)
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    step = (width + GAP, height + CAPTION + GAP)
    sheet = Image.new("RGB", (columns * step[0] + GAP, rows * step[1] + GAP), PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for n, (image, caption) in enumerate(tiles):
        left, top = GAP + n % columns * step[0], GAP + n // columns * step[1]
        if image is not None:
            sheet.paste(image, (left, top))
        pen.text((left, top + height + 1), caption, INK, font)
    return sheet
