"""The one way a picture becomes pixels, for metrics, views and previews alike."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.imaging import vips
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

Pixels = NDArray[np.uint8]

# What the policy does, in its order; the id changes with any of it and is part of every
# metric version:
# frame 0 of an animation; 16-bit grey divided by 257 and rounded, 16-bit colour by its high
# byte; CMYK, YCbCr, Lab and palettes converted by Pillow without ICC profiles; alpha and tRNS
# flattened on white; EXIF orientation applied last. 32-bit integer and float samples have no
# stated white and are refused.
DECODE_POLICY = "b100-decode-1"
BACKGROUND = (255, 255, 255)
_REFUSED = {"I": "32-bit integer samples", "F": "floating point samples"}


class Decoded(Struct, frozen=True, eq=False):
    """`pixels` is uint8 (height, width, 3) RGB; `notes` say what the policy had to do."""

    pixels: Pixels
    width: int
    height: int
    notes: tuple[str, ...] = ()


def decode(source: Path | bytes, *, limit_pixels: int = LIMIT_PIXELS) -> Decoded:
    """Decode `source` by DECODE_POLICY; never a partial picture.

    Raises PictureError in plain words: missing, empty, foreign, truncated, damaged, over
    `limit_pixels`, or samples without a stated white.
    """
    with open_image(source, limit_pixels=limit_pixels) as image:
        notes = notes_of(image)
        turned = orientation(image)
        if image.format == "PNG" and turned == 1 and vips.is_worth_it(image):
            # PNG is lossless: the same pixels in two thirds of Pillow's time
            data, width, height = vips.whole(source)
            pixels: Pixels = np.frombuffer(data, np.uint8).reshape(height, width, 3)
        else:
            image.load()
            pixels = np.asarray(upright(flatten(image, place(source)), turned))
    return Decoded(pixels, pixels.shape[1], pixels.shape[0], notes)


def notes_of(image: "Image") -> tuple[str, ...]:
    """Return what the policy has to do to this picture beyond copying its pixels."""
    head = header_of(image)
    notes = []
    if head.frames > 1:
        notes.append(f"animation: frame 0 of {head.frames}")
    if head.mode.startswith("I;16"):
        notes.append("16-bit grey scaled to 8 bits")
    elif head.mode not in {"RGB", "RGBA", "L", "LA"}:
        notes.append(f"converted from {head.mode}")
    if image.has_transparency_data:
        notes.append("alpha flattened on white")
    if head.orientation > 1:
        notes.append(f"EXIF orientation {head.orientation} applied")
    if image.info.get("icc_profile"):
        notes.append("colour profile not applied")
    return tuple(notes)


def flatten(image: "Image", where: str = "picture") -> "Image":
    """Return a loaded image as 8-bit RGB; PictureError for samples without a stated white."""
    from PIL import Image

    if image.mode in _REFUSED:
        raise PictureError(
            f"{where}: {_REFUSED[image.mode]} have no stated white point",
            "store it as 8-bit or 16-bit PNG",
        )
    if image.mode.startswith("I;16"):
        return Image.fromarray(_grey16(image), "L").convert("RGB")
    if image.has_transparency_data:
        above = image.convert("RGBA")
        below = Image.new("RGBA", above.size, (*BACKGROUND, 255))
        return Image.alpha_composite(below, above).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


def upright(image: "Image", turned: int) -> "Image":
    """Return the image with EXIF orientation `turned` (1 to 8) applied."""
    from PIL.Image import Transpose

    ways = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return image.transpose(ways[turned]) if turned in ways else image


def _grey16(image: "Image") -> Pixels:
    samples: NDArray[Any] = np.asarray(image).astype(np.uint32)
    grey: Pixels = ((samples + 128) // 257).astype(np.uint8)
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        grey[samples == clear] = BACKGROUND[0]
    return grey
