"""From a target to pixels of the right size for an encoder: fit, zoom, and the other views."""

from typing import TYPE_CHECKING

from b100tui.model.errors import PictureError
from b100tui.terminal.frames import Area, Encoder, Frame, Quality, fit_area
from b100tui.terminal.looks import looked_at
from b100tui.terminal.pictures import Pictures
from b100tui.terminal.targets import Target, ViewSpec

if TYPE_CHECKING:
    from PIL.Image import Image


def compose(
    target: Target, area: Area, encoder: Encoder, quality: Quality, pictures: Pictures
) -> Frame:
    """Return the encoded frame of `target` inside `area`.

    Differences and channels are computed in source pixels before anything is scaled. Raises
    PictureError when the picture cannot be read.
    """
    if target.ref is None:
        raise PictureError(target.reason or "there is no picture")
    view = target.view
    wanted = encoder.pixels(area, quality)
    if _whole(view):
        image = pictures.preview(target.ref, *wanted)
    else:
        image = draw_view(target, pictures)
        if view.zoom:
            return _zoomed(image, view, area, encoder)
    place = fit_area(image.width, image.height, area)
    return encoder.encode(_scaled(image, encoder.pixels(place, quality)), place, quality)


def draw_view(target: Target, pictures: Pictures) -> "Image":
    """Return `target` in source pixels with its channel, residual, difference and crop."""
    if target.ref is None:
        raise PictureError(target.reason or "there is no picture")
    view = target.view
    image = pictures.full(target.ref)
    reference = pictures.full(view.reference) if view.reference else None
    image = looked_at(image, view, reference)
    if view.crop:
        x, y, width, height = view.crop
        image = image.crop((x, y, x + width, y + height))
    return image


def _whole(view: ViewSpec) -> bool:
    return not (view.zoom or view.crop or view.channel or view.residual or view.difference)


def _zoomed(image: "Image", view: ViewSpec, area: Area, encoder: Encoder) -> Frame:
    """Cut the window that `area` shows at `view.zoom` and enlarge it without smoothing."""
    from PIL.Image import Resampling

    wide, high = encoder.pixels(area, "sharp")
    width = min(max(wide // view.zoom, 1), image.width)
    height = min(max(high // view.zoom, 1), image.height)
    x, y = view.centre or (image.width // 2, image.height // 2)
    left = min(max(x - width // 2, 0), image.width - width)
    top = min(max(y - height // 2, 0), image.height - height)
    across, down = wide / area.columns, high / area.rows
    place = Area(
        max(round(width * view.zoom / across), 1),
        max(round(height * view.zoom / down), 1),
        area.cell_width,
        area.cell_height,
    )
    window = image.crop((left, top, left + width, top + height))
    return encoder.encode(
        window.resize(encoder.pixels(place, "sharp"), Resampling.NEAREST), place, "sharp"
    )


def _scaled(image: "Image", size: tuple[int, int]) -> "Image":
    """Resize for the eye: averaging down, smooth up to twice, plain squares beyond."""
    from PIL.Image import Resampling

    if image.size == size:
        return image
    factor = size[0] / image.width
    if factor <= 0.5:
        return image.resize(size, Resampling.BOX, reducing_gap=2.0)
    if factor < 2:
        return image.resize(size, Resampling.BICUBIC)
    return image.resize(size, Resampling.NEAREST)
