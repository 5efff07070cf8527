"""Reduced decodes for the eye, each format by the decoder that was measured fastest for it.

A preview is never measured: it is resized, and its decoder is chosen for speed alone.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.imaging import vips
from b100tui.imaging.decode import flatten, upright
from b100tui.imaging.header import (
    LIMIT_PIXELS,
    header_of,
    open_image,
    orientation,
    place,
)

if TYPE_CHECKING:
    from PIL.Image import Image


def preview(
    source: Path | bytes, box: tuple[int, int], *, limit_pixels: int = LIMIT_PIXELS
) -> "Image":
    """Return an RGB Pillow image that fits into `box` (width, height in pixels).

    Upright, alpha flattened on white, aspect kept, never enlarged. Raises PictureError as
    decode does; a truncated file gives no partial picture.
    """
    with open_image(source, limit_pixels=limit_pixels) as image:
        head = header_of(image)
        size = fit((head.width, head.height), box)
        turned = size[::-1] if head.orientation >= 5 else size
        if head.format in {"png", "webp"} and vips.is_worth_it(image):
            return upright(vips.reduced(source, turned), head.orientation)
        if head.format == "jpeg":
            image.draft(None, turned)
        image.load()
        return upright(_resized(flatten(image, place(source)), turned), orientation(image))


def fit(size: tuple[int, int], box: tuple[int, int]) -> tuple[int, int]:
    """Return `size` scaled down to fit into `box`, aspect kept, at least one pixel a side."""
    scale = min(box[0] / size[0], box[1] / size[1], 1.0)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _resized(image: "Image", size: tuple[int, int]) -> "Image":
    from PIL.Image import Resampling

    if image.size == size:
        return image.copy()
    return image.resize(
        size, Resampling.BOX if image.size[0] >= 2 * size[0] else Resampling.HAMMING
    )
