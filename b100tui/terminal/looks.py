"""The other ways to look at a picture: channel, noise residual, difference; in source pixels."""

from typing import TYPE_CHECKING

from b100tui.model.errors import PictureError
from b100tui.terminal.targets import ViewSpec

if TYPE_CHECKING:
    from PIL.Image import Image


def looked_at(image: "Image", view: ViewSpec, reference: "Image | None") -> "Image":
    """Return RGB `image` with the difference, residual and channel of `view`, in that order.

    Raises PictureError when a difference has nothing of the same size to compare with.
    """
    if view.difference:
        image = _difference(image, view, reference)
    if view.residual:
        image = _residual(image, view.gain)
    if view.channel:
        image = _channel(image, view.channel)
    return image


def _difference(image: "Image", view: ViewSpec, reference: "Image | None") -> "Image":
    from PIL import ImageChops

    if reference is None:
        raise PictureError("a difference needs a second picture", "name one with --compare")
    if reference.size != image.size:
        raise PictureError(
            f"sizes differ: {image.width}x{image.height} and {reference.width}x{reference.height}",
            "compare steps of one size",
        )
    if view.difference == "signed":
        return _signed(image, reference, view.gain)
    return ImageChops.difference(image, reference).point(lambda value: value * view.gain)


def _signed(image: "Image", reference: "Image", gain: float) -> "Image":
    """Return 128 + gain (image - reference) / 2, so that equal pixels are mid grey."""
    from PIL import ImageChops

    above = ImageChops.subtract(image, reference).point(lambda v: min(v * gain / 2, 127))
    below = ImageChops.subtract(reference, image).point(lambda v: min(v * gain / 2, 128))
    grey = above.point(lambda v: 128)
    return ImageChops.subtract(ImageChops.add(grey, above), below)


def _residual(image: "Image", gain: float) -> "Image":
    """Return 128 + 4 gain (image - its 3x3 median) / 2: what a denoiser would take away."""
    from PIL import ImageFilter

    return _signed(image, image.filter(ImageFilter.MedianFilter(3)), 4 * gain)


def _channel(image: "Image", channel: str) -> "Image":
    if channel in "rgb":
        band = image.getchannel("rgb".index(channel))
    elif channel == "luma":
        band = image.convert("L")
    else:
        band = image.convert("HSV").getchannel("S")
    return band.convert("RGB")


def side_by_side(image: "Image", other: "Image", gap: int = 8) -> "Image":
    """Return both pictures in source pixels, `gap` black pixels between, tops aligned."""
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
