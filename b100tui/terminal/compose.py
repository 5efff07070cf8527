"""From a target to pixels of the right size for an encoder: fit, zoom, panes, tiles."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from b100tui.model.errors import PictureError
from b100tui.terminal.frames import Area, Encoder, Frame, Quality, fit_area
from b100tui.terminal.pictures import Pictures
from b100tui.terminal.targets import FIT, Target, ViewSpec

if TYPE_CHECKING:
    from PIL.Image import Image

    from b100tui.imaging.decode import Pixels
    from b100tui.terminal.scene import Scene

LINE = (255, 96, 0)  # the split line and the gap between two pictures
BEHIND = (24, 24, 24)  # what tiles lie on


def compose(
    target: Target, area: Area, encoder: Encoder, quality: Quality, pictures: Pictures
) -> Frame:
    """Return the encoded frame of `target` inside `area`.

    Raises PictureError when the picture cannot be read.
    """
    if target.ref is None:
        raise PictureError(target.reason or "there is no picture")
    if target.row:
        return _row(target, area, encoder, quality, pictures)
    wanted = encoder.pixels(area, quality)
    if target.view == FIT:
        image = pictures.preview(target.ref, *wanted)
        place = fit_area(image.width, image.height, area)
        return encoder.encode(scaled(image, encoder.pixels(place, quality)), place, quality)
    from b100tui.terminal.scene import scene

    seen = scene(target, pictures, wanted, hasty=quality == "rough" and target.view.align)
    image, place = _drawn(seen, area, encoder, quality)
    frame = encoder.encode(image, place, quality)
    return replace(frame, quality=quality, note=seen.note, provisional=seen.provisional)


def draw_view(target: Target, pictures: Pictures) -> tuple["Image", "Image | None", str]:
    """Return step and reference (where the view shows one) in source pixels, and the note."""
    from PIL import Image

    from b100tui.terminal.scene import scene

    seen = scene(target, pictures)
    step = Image.fromarray(seen.window(seen.whole), "RGB")
    if seen.reference is None or target.view.show != "side":
        return step, None, seen.note
    return step, Image.fromarray(seen.reference_window(seen.whole), "RGB"), seen.note


def cell_pixels(encoder: Encoder, area: Area, quality: Quality = "sharp") -> tuple[float, float]:
    """Return how many pixels `encoder` puts across and down one cell of `area`."""
    many = 60  # sixel rounds heights to bands of six
    wide, high = encoder.pixels(replace(area, columns=many, rows=many), quality)
    return wide / many, high / many


def window_box(
    view: ViewSpec, size: tuple[int, int], room: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Return the part (x, y, w, h) of a picture of `size` that `room` pixels show at the zoom.

    It lies inside the picture, `centre` gives way at the edges; pixels cut by the room's edge
    are in it.
    """
    width = min(-(-room[0] // view.zoom), size[0])
    height = min(-(-room[1] // view.zoom), size[1])
    x, y = view.centre or (size[0] // 2, size[1] // 2)
    left = min(max(x - width // 2, 0), size[0] - width)
    top = min(max(y - height // 2, 0), size[1] - height)
    return left, top, width, height


def _drawn(seen: "Scene", area: Area, encoder: Encoder, quality: Quality) -> tuple["Image", Area]:
    """Return the picture of a scene and the cells it fills."""
    from PIL import Image

    show = seen.view.show if seen.reference is not None else ""
    if show == "side":
        return _side_by_side(seen, area, encoder, quality)
    if show == "split":
        step, place = _pane(seen, area, encoder, quality)
        image = step.copy()
        cut = min(max(round(image.width * seen.view.split), 0), image.width)
        other, _ = _pane(seen, area, encoder, quality, of_reference=True)
        image.paste(other.crop((0, 0, cut, image.height)), (0, 0))
        thick = 2 if image.width > 2 * place.columns else 1
        line = Image.new("RGB", (thick, image.height), LINE)
        image.paste(line, (min(max(cut - thick // 2, 0), image.width - thick), 0))
        return image, place
    return _pane(seen, area, encoder, quality, of_reference=show == "reference")


def _pane(
    seen: "Scene",
    area: Area,
    encoder: Encoder,
    quality: Quality,
    *,
    of_reference: bool = False,
) -> tuple["Image", Area]:
    """Return one picture of the scene inside `area`, and the cells it fills."""
    from PIL import Image

    cut = seen.reference_window if of_reference else seen.window
    view = seen.view
    if not view.zoom:
        box = seen.whole
        place = fit_area(box[2], box[3], area)
        size = encoder.pixels(place, quality)
        if not view.from_source:
            # As the plain picture is scaled, so that a flicker shows no other resampling.
            return scaled(Image.fromarray(cut(box), "RGB"), size), place
        return _from_pixels(cut(box), size), place
    room = encoder.pixels(area, "sharp")
    box = window_box(view, seen.size, room)
    across, down = cell_pixels(encoder, area)
    place = replace(
        area,
        columns=min(max(-int(-box[2] * view.zoom // across), 1), area.columns),
        rows=min(max(-int(-box[3] * view.zoom // down), 1), area.rows),
    )
    return _enlarged(cut(box), view.zoom, encoder.pixels(place, "sharp")), place


def _side_by_side(
    seen: "Scene", area: Area, encoder: Encoder, quality: Quality
) -> tuple["Image", Area]:
    """Return reference and step beside each other, or below where they are larger so."""
    from PIL import Image

    across = replace(area, columns=max((area.columns - 1) // 2, 1))
    below = replace(area, rows=max((area.rows - 1) // 2, 1))
    size = seen.whole[2:] if not seen.view.zoom else (1, 1)
    beside = _cells(fit_area(*size, across)) >= _cells(fit_area(*size, below))
    part = across if beside else below
    (one, place), (two, _) = (
        _pane(seen, part, encoder, quality, of_reference=of_reference)
        for of_reference in (True, False)
    )
    if beside:
        whole = replace(place, columns=2 * place.columns + 1)
    else:
        whole = replace(place, rows=2 * place.rows + 1)
    grain = "sharp" if seen.view.zoom else quality
    image = Image.new("RGB", encoder.pixels(whole, grain), BEHIND)
    wide, high = cell_pixels(encoder, area, grain)
    image.paste(one, (0, 0))
    if beside:
        image.paste(two, (round((place.columns + 1) * wide), 0))
    else:
        image.paste(two, (0, round((place.rows + 1) * high)))
    return image, whole


def _row(
    target: Target, area: Area, encoder: Encoder, quality: Quality, pictures: Pictures
) -> Frame:
    """Return equal tiles that fill `area`; a picture that cannot be read costs its own tile."""
    from PIL import Image

    from b100tui.terminal.scene import scene

    columns = max(area.columns // len(target.row), 1)
    tile = replace(area, columns=max(columns - 1, 1))
    grain: Quality = "sharp" if target.view.zoom else quality
    image = Image.new("RGB", encoder.pixels(area, grain), BEHIND)
    wide, high = cell_pixels(encoder, area, grain)
    failed = []
    for n, ref in enumerate(target.row):
        if ref is None:
            continue
        one = Target(ref, target.label, view=target.view)
        try:
            seen = scene(one, pictures, encoder.pixels(tile, grain))
        except PictureError as error:
            failed.append(error.message)
            continue
        drawn, place = _pane(seen, tile, encoder, grain)
        left = n * columns + (tile.columns - place.columns) // 2
        top = (tile.rows - place.rows) // 2
        image.paste(drawn, (round(left * wide), round(top * high)))
    return replace(encoder.encode(image, area, grain), note="; ".join(failed[:1]))


def _cells(area: Area) -> int:
    return area.columns * area.rows


def _from_pixels(pixels: "Pixels", size: tuple[int, int]) -> "Image":
    """Return `pixels` as a picture of `size`."""
    import cv2
    import numpy as np
    from PIL import Image

    factor = size[0] / pixels.shape[1]
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC if factor < 2 else cv2.INTER_NEAREST
    fitted = cv2.resize(np.ascontiguousarray(pixels), size, interpolation=how)
    return Image.fromarray(np.asarray(fitted, np.uint8), "RGB")


def _enlarged(pixels: "Pixels", zoom: int, size: tuple[int, int]) -> "Image":
    """Return each pixel as `zoom` x `zoom` equal ones, cut or filled up to `size`."""
    from PIL import Image

    from b100tui.imaging import views

    large = Image.fromarray(views.zoom(pixels, zoom), "RGB")
    if large.size == size:
        return large
    image = Image.new("RGB", size, BEHIND)
    image.paste(large, (0, 0))
    return image


def scaled(image: "Image", size: tuple[int, int]) -> "Image":
    """Resize for the eye: averaging down, smooth up to twice, plain squares beyond."""
    from PIL.Image import Resampling

    if image.size == size:
        return image
    factor = size[0] / image.width
    if factor <= 0.5:
        return image.resize(size, Resampling.BOX, reducing_gap=2.0)
    if factor < 1:
        return image.resize(
            size, Resampling.HAMMING
        )  # as sharp as bicubic at two thirds of the price
    if factor < 2:
        return image.resize(size, Resampling.BICUBIC)
    return image.resize(size, Resampling.NEAREST)
