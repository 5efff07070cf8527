"""Opens a picture file and reads what its first bytes say, without decoding pixels."""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from b100tui.model.errors import PictureError
from b100tui.model.text import clean_line

if TYPE_CHECKING:
    from PIL.Image import Image

# Pillow's name -> the name in Step.format. Formats that run outside programs (EPS) or hold no
# edit output are left out on purpose.
FORMATS = {
    "PNG": "png",
    "JPEG": "jpeg",
    "MPO": "jpeg",
    "WEBP": "webp",
    "GIF": "gif",
    "TIFF": "tiff",
    "BMP": "bmp",
    "AVIF": "avif",
}
# 89 million pixels is five times a 4K output of 5632x3008; more is taken for a bomb.
LIMIT_PIXELS = 89_478_485
_OPENED = tuple(name for name in FORMATS if name != "MPO")  # an MPO is opened as JPEG
_ORIENTATION = 0x0112
_FIX = "replace the file, or leave it out of the folder"


class PictureHeader(Struct, frozen=True):
    """Width and height in pixels as decoded (orientation applied), and what the file is.

    `format` is one of png, jpeg, webp, gif, tiff, bmp, avif; `mode` is Pillow's; `frames` is
    over 1 for an animation; `orientation` is the EXIF number 1 to 8.
    """

    width: int
    height: int
    format: str
    mode: str
    frames: int = 1
    orientation: int = 1


def header(source: Path | bytes, *, limit_pixels: int = LIMIT_PIXELS) -> PictureHeader:
    """Return the header of `source`; PictureError says in plain words why it has none."""
    with open_image(source, limit_pixels=limit_pixels) as image:
        return header_of(image)


def header_of(image: "Image") -> PictureHeader:
    """Return the header of an opened Pillow image."""
    width, height = image.size
    turned = orientation(image)
    if turned >= 5:
        width, height = height, width
    return PictureHeader(
        width,
        height,
        FORMATS[image.format or ""],
        image.mode,
        1 if image.format == "MPO" else int(getattr(image, "n_frames", 1)),
        turned,
    )


def orientation(image: "Image") -> int:
    """Return the EXIF orientation to apply, 1 to 8.

    In a PNG only an eXIf chunk before the pixels counts: reading a later one would decode the
    whole picture. TIFF is turned by Pillow itself while it decodes.
    """
    if image.format == "TIFF":
        return 1
    if image.format == "PNG" and "exif" not in image.info:
        return 1
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except _damage():
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


@contextmanager
def open_image(source: Path | bytes, *, limit_pixels: int = LIMIT_PIXELS) -> Iterator["Image"]:
    """Open `source` with Pillow; every fault inside the block becomes a PictureError.

    Raises PictureError for a missing, empty, foreign, damaged or truncated file and for one
    with more than `limit_pixels` pixels (of which none is decoded).
    """
    pillow = _pillow()
    where = place(source)
    try:
        if (source.stat().st_size if isinstance(source, Path) else len(source)) == 0:
            raise PictureError(f"{where}: the file is empty (0 bytes)", _FIX)
        opened = io.BytesIO(source) if isinstance(source, bytes) else source
        with pillow.open(opened, formats=_OPENED) as image:
            check_size(image.size, limit_pixels, where)
            yield image
    except _damage() as error:
        raise PictureError(f"{where}: {reason(error)}", _FIX) from error


def check_size(size: tuple[int, int], limit_pixels: int, where: str) -> None:
    """Raise PictureError when `size` (width, height) is over the limit or has a zero side."""
    width, height = size
    if width < 1 or height < 1:
        raise PictureError(f"{where}: the picture is {width}x{height} pixels", _FIX)
    if width * height > limit_pixels:
        raise PictureError(
            f"{where}: {width}x{height} is over the limit of {limit_pixels / 1e6:.0f} million "
            "pixels, taken for a decompression bomb",
            _FIX,
        )


def place(source: Path | bytes) -> str:
    """Return the words that say where a picture lies, safe to print."""
    return clean_line(source.name) if isinstance(source, Path) else "picture"


def reason(error: BaseException) -> str:
    """Return a decoder's error in plain words."""
    name = type(error).__name__
    if isinstance(error, FileNotFoundError):
        return "the file is not there"
    if isinstance(error, OSError) and error.errno is not None:
        return f"cannot be read: {error.strerror}"
    if name == "UnidentifiedImageError":
        return "not a picture of a known kind (png, jpeg, webp, gif, tiff, bmp, avif)"
    if name == "DecompressionBombError":
        return "over the limit of pixels, taken for a decompression bomb"
    text = clean_line(str(error)) or name
    return "the file is truncated" if "truncated" in text else f"damaged: {text[:200]}"


@cache
def _pillow() -> Any:
    """Import Pillow once; its warning about large pictures is ours to give, as a refusal."""
    from PIL import Image

    warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)
    return Image


def _damage() -> tuple[type[BaseException], ...]:
    """Return what Pillow's readers raise on missing, hostile or damaged files."""
    return (
        OSError,
        SyntaxError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        MemoryError,
        EOFError,
        struct.error,
        zlib.error,
        _pillow().DecompressionBombError,
    )
