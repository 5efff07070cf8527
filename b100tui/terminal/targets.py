"""What is wanted on the screen: a picture, seen in a certain way, in an area of cells."""

from itertools import pairwise
from typing import Literal

from msgspec import Struct

from b100tui.model.records import PictureRef
from b100tui.terminal.frames import Area

Show = Literal["", "reference", "side", "split"]


class ViewSpec(Struct, frozen=True):
    """How a picture is looked at; the default is the whole picture, fitted.

    `zoom` 0 fits; N shows each source pixel as N x N pixels of the screen (nearest
    neighbour) around `centre`, a place in source pixels (the middle when None). `crop` is
    x, y, w, h in source pixels. `channel` is r, g, b, luma or saturation; `stretch` spreads
    the contrast. `difference` shows the absolute or signed difference to `reference`, times
    `gain`. `show` puts the reference in the step's place, beside it, or left of a line at
    the share `split` (0 to 1) of the width. With `align` the reference is warped to the step
    wherever the two meet; the step never is.
    """

    zoom: int = 0
    centre: tuple[int, int] | None = None
    crop: tuple[int, int, int, int] | None = None
    channel: Literal["", "r", "g", "b", "luma", "saturation"] = ""
    stretch: bool = False
    residual: bool = False
    difference: Literal["", "abs", "signed"] = ""
    reference: PictureRef | None = None
    gain: float = 1.0
    show: Show = ""
    split: float = 0.5
    align: bool = False

    @property
    def from_source(self) -> bool:
        """Whether it needs the picture's own pixels: a preview would show other noise."""
        return bool(
            self.zoom
            or self.crop
            or self.channel
            or self.stretch
            or self.residual
            or self.difference
            or self.align
        )

    @property
    def rough_will_do(self) -> bool:
        """Whether previews give an idea of it for the moment: the whole picture, as it is."""
        return not (self.zoom or self.crop or self.channel or self.stretch or self.residual)


FIT = ViewSpec()


class Target(Struct, frozen=True):
    """One step to look at. `ref` is None where there is no picture; `reason` then says why.

    `label` (e.g. "step 42") is shown where the picture cannot be. `row` holds pictures to
    show side by side in equal tiles instead, None for a gap; `ref` is then any of them.
    """

    ref: PictureRef | None
    label: str = ""
    reason: str = ""
    view: ViewSpec = FIT
    row: tuple[PictureRef | None, ...] = ()


class Request(Struct, frozen=True):
    """A target in an area by a protocol: with the quality, the key of an encoded frame."""

    target: Target
    area: Area
    protocol: str


def likely_next(position: int, length: int, visited: tuple[int, ...]) -> tuple[int, ...]:
    """Return the positions to make ready, most likely first; at most five.

    `visited` holds the positions before, latest last. The direction is that of the last move
    and the stride its size: who jumps by ten is served tens; who rests is served both ways.
    """
    moves = [b - a for a, b in pairwise((*visited, position)) if b != a]
    stride = moves[-1] if moves else 1
    if abs(stride) == 1:
        near = [stride, -stride, 2 * stride, -2 * stride]
    else:
        near = [stride, 2 * stride, -stride, 1, -1]
    return tuple(position + by for by in near if 0 <= position + by < length)
