"""The pixels behind a view: step and reference in one frame of reference, cut to a window.

Everything here is in source pixels (or in the pixels of a preview, where the view needs no
more), before anything is scaled to the terminal. The reference is warped, never the step.
"""

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.imaging import views
from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.terminal.targets import Target, ViewSpec

if TYPE_CHECKING:
    from b100tui.imaging.align import Alignment
    from b100tui.imaging.decode import Pixels
    from b100tui.terminal.pictures import Pictures

ALIGNING = "not aligned yet: aligning ..."
RESIDUAL_GAIN = 2.0  # of the gain asked for: grain is fainter than any difference
MARGIN = 1  # pixels that the median of a residual looks beyond the window


class Layer(Struct, frozen=True, eq=False):
    """A picture lying in the step's pixels: `matrix` (2x3) leads from there to its own."""

    pixels: "Pixels"
    matrix: "NDArray[np.float64] | None" = None

    def cut(self, box: views.Box) -> tuple["Pixels", "NDArray[np.bool_] | None"]:
        """Return what lies inside `box`, and where the picture reaches (None: everywhere)."""
        if self.matrix is None:
            return views.crop(self.pixels, box), None
        import cv2

        x, y, width, height = box
        matrix = self.matrix.copy()
        matrix[:, 2] += matrix[:, 0] * x + matrix[:, 1] * y
        flags = cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(self.pixels, matrix, (width, height), flags=flags | cv2.INTER_CUBIC)
        cover = np.full(self.pixels.shape[:2], 255, np.uint8)
        reached = cv2.warpAffine(cover, matrix, (width, height), flags=flags | cv2.INTER_LINEAR)
        return np.asarray(moved, np.uint8), np.asarray(reached) == 255


class Scene(Struct, frozen=True, eq=False):
    """A step and, where the view asks for one, a reference over it; `note` says what to know."""

    step: Layer
    reference: Layer | None
    view: ViewSpec
    note: str = ""
    provisional: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the step in its pixels."""
        return self.step.pixels.shape[1], self.step.pixels.shape[0]

    @property
    def whole(self) -> views.Box:
        """The part that is shown when nothing is zoomed."""
        return self.view.crop or (0, 0, *self.size)

    def window(self, box: views.Box) -> "Pixels":
        """Return the step inside `box` as the view shows it."""
        return self._seen(self.step, box, self.reference if self.view.difference else None)

    def reference_window(self, box: views.Box) -> "Pixels":
        """Return the reference inside `box`, never as a difference."""
        return self._seen(self.reference or self.step, box, None)

    def _seen(self, layer: Layer, box: views.Box, other: Layer | None) -> "Pixels":
        view = self.view
        grown = _grown(box, self.size) if view.residual else box
        pixels, _ = layer.cut(grown)
        if other is not None:
            beside, reached = other.cut(grown)
            pixels = _difference(pixels, beside, reached, view)
        if view.residual:
            pixels = views.residual(pixels, RESIDUAL_GAIN * view.gain)
            left, top = box[0] - grown[0], box[1] - grown[1]
            pixels = pixels[top : top + box[3], left : left + box[2]]
        if view.channel:
            pixels = views.channel(pixels, view.channel)
        return views.stretch(np.ascontiguousarray(pixels)) if view.stretch else pixels


def scene(
    target: Target,
    pictures: "Pictures",
    wanted: tuple[int, int] | None = None,
    *,
    hasty: bool = False,
) -> Scene:
    """Return the scene of `target` in source pixels.

    Where `wanted` is given and the view needs no more, previews of about that size do. A
    `hasty` scene waits for no alignment: until it is known the reference lies as it is.
    Raises PictureError when a picture cannot be read, or when a difference has no reference
    of the step's size.
    """
    if target.ref is None:
        raise PictureError(target.reason or "there is no picture")
    view = target.view

    def read(ref: PictureRef) -> "Pixels":
        if wanted is None or (view.from_source and not (hasty and view.rough_will_do)):
            return pictures.full(ref)
        return np.asarray(pictures.preview(ref, *wanted))

    step = read(target.ref)
    if view.reference is None:
        if view.difference:
            raise PictureError("a difference needs a second picture", "name one with --compare")
        return Scene(Layer(step), None, view)
    reference, note = read(view.reference), ""
    if view.align:
        known = pictures.known_alignment(target.ref, view.reference)
        if known is None and hasty:
            reference = reference if same(step, reference) else _resized(reference, step.shape)
            return Scene(Layer(step), Layer(reference), view, ALIGNING, provisional=True)
        found = known or pictures.alignment(target.ref, view.reference)
        note = in_words(found)
        if found.matrix is not None:
            matrix = found.affine
            if hasty and view.rough_will_do:
                sources = pictures.sizes(target.ref, view.reference)
                matrix = between_previews(matrix, (step, reference), sources)
            return Scene(Layer(step), Layer(reference, matrix), view, note)
    elif view.difference:
        note = "not aligned"
    if same(step, reference):
        return Scene(Layer(step), Layer(reference), view, note)
    sizes = f"{step.shape[1]}x{step.shape[0]} and {reference.shape[1]}x{reference.shape[0]}"
    if view.difference:
        why = f"; {note}" if view.align else ""
        raise PictureError(f"sizes differ: {sizes}{why}", "compare steps of one size, or align")
    note = note or ("sizes differ: the reference is resized" if view.from_source else "")
    return Scene(Layer(step), Layer(_resized(reference, step.shape)), view, note)


def same(step: "Pixels", reference: "Pixels") -> bool:
    """Say whether two pictures have one size."""
    return step.shape == reference.shape


def between_previews(
    matrix: "NDArray[np.float64]",
    previews: tuple["Pixels", "Pixels"],
    sources: tuple[tuple[int, int], tuple[int, int]],
) -> "NDArray[np.float64]":
    """Return `matrix` (2x3, step to reference, source pixels) between their previews' pixels.

    `sources` are (width, height) in source pixels; pixels count from their centres.
    """
    step, reference = (
        np.array([[p.shape[1] / w, 0.0], [0.0, p.shape[0] / h]])
        for p, (w, h) in zip(previews, sources, strict=True)
    )
    half = np.array([0.5, 0.5])
    turn = reference @ matrix[:, :2] @ np.linalg.inv(step)
    moved = reference @ (matrix[:, :2] @ (np.linalg.inv(step) @ half - half) + matrix[:, 2] + half)
    return np.column_stack([turn, moved - half])


def in_words(found: "Alignment") -> str:
    """Return an alignment as a few words for the line above a picture."""
    if found.status == "identical":
        return "identical"
    if found.matrix is None or found.zoom_pct is None:
        return f"misaligned, unreliable: {found.reason}"
    words = [f"zoom {found.zoom_pct:+z.2f}%"]
    words.append(f"moved {found.dx_px:+z.1f} {found.dy_px:+z.1f} px")
    if found.aspect_pct is not None and abs(found.aspect_pct) >= 0.05:
        words.append(f"aspect {found.aspect_pct:+.2f}%")
    if found.rotation_deg is not None and abs(found.rotation_deg) >= 0.05:
        words.append(f"turned {found.rotation_deg:+.1f}°")
    if found.mirrored:
        words.append("mirrored")
    return " ".join(words)


def _difference(
    pixels: "Pixels", other: "Pixels", reached: "NDArray[np.bool_] | None", view: ViewSpec
) -> "Pixels":
    how = views.signed_difference if view.difference == "signed" else views.absolute_difference
    shown = how(np.ascontiguousarray(pixels), np.ascontiguousarray(other), view.gain)
    if reached is not None:
        shown[~reached] = views.MIDDLE if view.difference == "signed" else 0
    return shown


def _grown(box: views.Box, size: tuple[int, int]) -> views.Box:
    """Return `box` with the margin that a residual needs, inside the picture."""
    x, y, width, height = box
    left, top = max(x - MARGIN, 0), max(y - MARGIN, 0)
    right, bottom = min(x + width + MARGIN, size[0]), min(y + height + MARGIN, size[1])
    return left, top, right - left, bottom - top


def _resized(pixels: "Pixels", shape: tuple[int, ...]) -> "Pixels":
    """Return `pixels` in the size of `shape`, smaller ones by plain squares."""
    import cv2

    how = cv2.INTER_AREA if pixels.shape[1] > shape[1] else cv2.INTER_NEAREST
    return np.asarray(cv2.resize(pixels, (shape[1], shape[0]), interpolation=how), np.uint8)
