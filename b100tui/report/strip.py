"""A strip of steps to show around: the same part of each, pixel for pixel, with captions."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from b100tui.model.errors import PictureError, UsageError
from b100tui.model.records import Step
from b100tui.model.text import clean_line

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

STEPS = (1, 5, 10, 20, 50, 100)
MOST_PIXELS = 250_000_000
GAP = 8  # between tiles and around them
LEAST_TILE = 96
INK, PAPER, FAINT = (20, 20, 20), (255, 255, 255), (225, 225, 225)
Region = tuple[int, int, int, int]


class StripRow(Struct, frozen=True, kw_only=True):
    """One run of a strip: its title, its steps, and caption values by step and metric name."""

    title: str
    steps: tuple[Step, ...]
    scores: Mapping[int, Mapping[str, float | None]] = {}


def draw_strip(
    root: Path,
    rows: Sequence[StripRow],
    wanted: Sequence[int] = STEPS,
    *,
    crop: Region | None = None,
    captions: Sequence[str] = (),
    tile_width: int | None = None,
) -> "Image":
    """Return the steps `wanted` side by side, a row a run, under each other by step.

    Pixels are exact unless `tile_width` asks for smaller pictures. Steps that no run reaches
    are left out; an absent or damaged picture is an empty tile with its reason. Raises
    UsageError when a crop lies outside a picture or the strip would be too large.
    """
    from PIL import Image, ImageDraw

    known = [{step.step: step for step in row.steps} for row in rows]
    columns = [number for number in wanted if any(number in steps for steps in known)]
    if not columns:
        raise UsageError("no run has any of these steps", "b100 steps RUN lists them")
    tiles = [
        [_tile(root, steps.get(number), number, crop, tile_width) for number in columns]
        for steps in known
    ]
    widths = [
        max([LEAST_TILE, *(tile.width for tile in column if isinstance(tile, Image.Image))])
        for column in zip(*tiles, strict=True)
    ]
    size = max(11, min(28, min(widths) // 14))
    font = _font(size)
    line = round(size * 1.35)
    words = [
        [_caption(number, row.scores.get(number, {}), captions) for number in columns]
        for row in rows
    ]
    depth = line * max(len(text) for row in words for text in row)
    heights = [
        max((tile.height for tile in row if isinstance(tile, Image.Image)), default=LEAST_TILE)
        for row in tiles
    ]
    width = GAP + sum(side + GAP for side in widths)
    height = GAP + sum(line + high + depth + GAP for high in heights)
    if width * height > MOST_PIXELS:
        raise UsageError(
            f"the strip would be {width}x{height} pixels", "take fewer steps, or --crop x,y,w,h"
        )
    sheet = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(sheet)
    top = GAP
    for row, tall, cells, said in zip(rows, heights, tiles, words, strict=True):
        pen.text((GAP, top), _fitted(clean_line(row.title), font, width - 2 * GAP), INK, font)
        left, under = GAP, top + line
        for tile, room, text in zip(cells, widths, said, strict=True):
            _place(sheet, pen, tile, (left, under, room, tall), font)
            for number, caption in enumerate(text):
                place = (left, under + tall + number * line)
                pen.text(place, _fitted(caption, font, room), INK, font)
            left += room + GAP
        top += line + tall + depth + GAP
    return sheet


def png_bytes(image: "Image", text: Mapping[str, str] | None = None) -> bytes:
    """Return a PNG of `image`, with text chunks; the same picture gives the same bytes."""
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    for key, value in (text or {}).items():
        info.add_itxt(key, value)
    data = io.BytesIO()
    image.save(data, "PNG", pnginfo=info)
    return data.getvalue()


def _tile(
    root: Path, step: Step | None, number: int, crop: Region | None, tile_width: int | None
) -> "Image | str":
    """Return the picture part, or why there is none."""
    from PIL import Image

    from b100tui.imaging.decode import decode
    from b100tui.sources.pictures import open_picture

    if step is None:
        return "no such step"
    if step.picture is None:
        return step.reason or step.status
    try:
        image = Image.fromarray(decode(open_picture(root, step.picture)).pixels)
    except PictureError as error:
        return error.message
    if crop is not None:
        x, y, width, height = crop
        if x + width > image.width or y + height > image.height:
            raise UsageError(
                f"--crop {x},{y},{width},{height} reaches outside step {number}",
                f"the picture is {image.width}x{image.height}",
            )
        image = image.crop((x, y, x + width, y + height))
    if tile_width is not None and image.width > tile_width:
        tall = max(1, round(image.height * tile_width / image.width))
        image = image.resize((tile_width, tall), Image.Resampling.BOX)
    return image


def _place(
    sheet: "Image",
    pen: "ImageDraw",
    tile: "Image | str",
    box: Region,
    font: "FreeTypeFont | ImageFont",
) -> None:
    left, top, width, height = box
    if not isinstance(tile, str):
        sheet.paste(tile, (left, top))
        return
    pen.rectangle((left, top, left + width - 1, top + height - 1), FAINT)
    pen.text((left + 4, top + 4), _fitted(clean_line(tile), font, width - 8), INK, font)


def _caption(
    number: int, scores: Mapping[str, float | None], names: Sequence[str]
) -> tuple[str, ...]:
    lines = [f"step {number}"]
    for name in names:
        value = scores.get(name)
        lines.append(f"{name} " + ("-" if value is None else f"{value:.3g}"))
    return tuple(lines)


def _font(size: int) -> "FreeTypeFont | ImageFont":
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _fitted(text: str, font: "FreeTypeFont | ImageFont", width: int) -> str:
    """Return `text` cut so that it fits into `width` pixels."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "...") > width:
        text = text[:-1]
    return text + "..."
