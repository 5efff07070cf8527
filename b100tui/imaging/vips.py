"""libvips, where it is the fastest decoder that was measured: plain PNG, reduced WebP."""

import ctypes
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from b100tui.imaging.header import place
from b100tui.model.errors import PictureError

if TYPE_CHECKING:
    from PIL.Image import Image

# Below this many pixels Pillow has finished before a second decoder has looked at the file.
_SMALL = 500_000


def is_worth_it(image: "Image") -> bool:
    """Say whether an opened picture is large, 8-bit RGB, with nothing to convert or flatten."""
    return (
        image.size[0] * image.size[1] > _SMALL
        and image.mode == "RGB"
        and not image.has_transparency_data
        and not any(";16" in str(tile[3]) for tile in getattr(image, "tile", ()))
    )


def whole(source: Path | bytes) -> tuple[bytes, int, int]:
    """Return the RGB samples of a plain picture, with width and height.

    Raises PictureError when the file is truncated or damaged.
    """
    vips = _vips()
    try:
        options = {"access": "sequential", "fail_on": "truncated"}
        if isinstance(source, bytes):
            image = vips.Image.new_from_buffer(source, "", **options)
        else:
            image = vips.Image.new_from_file(str(source), **options)
        return image.write_to_memory(), image.width, image.height
    except vips.Error as error:
        raise _damaged(source) from error
    finally:
        _give_back()


def reduced(source: Path | bytes, size: tuple[int, int]) -> "Image":
    """Return a plain picture at `size` (width, height), not turned by its orientation.

    Raises PictureError when the file is truncated or damaged.
    """
    from PIL import Image

    vips = _vips()
    options: dict[str, Any] = {"height": size[1], "size": "force", "no_rotate": True}
    try:
        if isinstance(source, bytes):
            # thumbnail_buffer hands fail_on to the loader only inside the option string
            options["option_string"] = "fail_on=truncated"
            shrunk = vips.Image.thumbnail_buffer(source, size[0], **options)
        else:
            shrunk = vips.Image.thumbnail(str(source), size[0], fail_on="truncated", **options)
        data = shrunk.write_to_memory()
    except vips.Error as error:
        raise _damaged(source) from error
    finally:
        _give_back()
    return Image.frombytes("RGB", (shrunk.width, shrunk.height), data)


def _give_back() -> None:
    """Give what a decoder's threads had in memory back to the system, where glibc keeps it."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


def _damaged(source: Path | bytes) -> PictureError:
    return PictureError(
        f"{place(source)}: the file is truncated or damaged",
        "replace the file, or leave it out of the folder",
    )


@cache
def _vips() -> Any:
    """Import pyvips once, without its cache of results: that one outlives changed files."""
    import pyvips

    pyvips.cache_set_max(0)
    return pyvips
