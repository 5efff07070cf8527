"""Reduced decodes for the eye, each format by the decoder that was measured fastest for it.

A preview is never measured: it is resized, and its decoder is chosen for speed alone.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from b100tui.imaging.decode import flatten, upright
from b100tui.imaging.header import (
    LIMIT_PIXELS,
    header_of,
    open_image,
    orientation,
    place,
)
from b100tui.model.errors import PictureError

if TYPE_CHECKING:
    from PIL.Image import Image

# Below this many pixels Pillow has finished before a second decoder has looked at the file.
_SMALL = 500_000


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
        large = image.size[0] * image.size[1] > _SMALL
        if large and head.format in {"png", "webp"} and _plain(image):
            return _by_vips(source, size, head.orientation)
        turned = size[::-1] if head.orientation >= 5 else size
        if head.format == "jpeg":
            image.draft(None, turned)
        image.load()
        return upright(_resized(flatten(image, place(source)), turned), orientation(image))


def fit(size: tuple[int, int], box: tuple[int, int]) -> tuple[int, int]:
    """Return `size` scaled down to fit into `box`, aspect kept, at least one pixel a side."""
    scale = min(box[0] / size[0], box[1] / size[1], 1.0)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _plain(image: "Image") -> bool:
    """Say whether pyvips gives what the decode policy gives: 8-bit colour, nothing to flatten."""
    return (
        image.mode == "RGB"
        and not image.has_transparency_data
        and not any(";16" in str(tile[3]) for tile in getattr(image, "tile", ()))
    )


def _resized(image: "Image", size: tuple[int, int]) -> "Image":
    from PIL.Image import Resampling

    if image.size == size:
        return image.copy()
    return image.resize(
        size, Resampling.BOX if image.size[0] >= 2 * size[0] else Resampling.HAMMING
    )


def _by_vips(source: Path | bytes, size: tuple[int, int], turned: int) -> "Image":
    from PIL import Image

    vips = _vips()
    width, height = size[::-1] if turned >= 5 else size
    options: dict[str, Any] = {"height": height, "size": "force", "no_rotate": True}
    try:
        if isinstance(source, bytes):
            # thumbnail_buffer hands fail_on to the loader only inside the option string
            options["option_string"] = "fail_on=truncated"
            shrunk = vips.Image.thumbnail_buffer(source, width, **options)
        else:
            shrunk = vips.Image.thumbnail(str(source), width, fail_on="truncated", **options)
        data = shrunk.write_to_memory()
    except vips.Error as error:
        raise PictureError(
            f"{place(source)}: the file is truncated or damaged", "replace the file"
        ) from error
    return upright(Image.frombytes("RGB", (shrunk.width, shrunk.height), data), turned)


@cache
def _vips() -> Any:
    """Import pyvips once, without its cache of results: that one outlives changed files."""
    import pyvips

    pyvips.cache_set_max(0)
    return pyvips
