"""How the picture is looked at, and what each key changes about it. Pure."""

from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from b100tui.model.records import PictureRef
from b100tui.terminal.targets import ViewSpec

Value = TypeVar("Value")
Channel = Literal["", "r", "g", "b", "luma", "saturation", "stretch"]
Compare = Literal["", "side", "split"]
Difference = Literal["", "abs", "signed"]
ZOOMS = (0, 1, 2, 4, 8)
CHANNELS: tuple[Channel, ...] = ("", "r", "g", "b", "luma", "saturation", "stretch")
COMPARES: tuple[Compare, ...] = ("", "side", "split")
DIFFERENCES: tuple[Difference, ...] = ("", "abs", "signed")
GAINS = (1, 2, 4, 8, 16, 32)
PAN_SHARE = 4  # a key moves the window by a quarter of it
SPLIT_STEP = 0.05
_CHANNEL_WORDS = {
    "r": "red", "g": "green", "b": "blue", "luma": "luma", "saturation": "saturation",
    "stretch": "contrast stretched",
}  # fmt: skip


class Look(Struct, frozen=True):
    """The state that the looking and comparing keys change.

    `zoom` 0 fits the whole picture, N shows N x N screen pixels a source pixel; `centre` is in
    source pixels (None: the middle). `keep` holds the loupe when another run is opened.
    """

    zoom: int = 0
    centre: tuple[int, int] | None = None
    keep: bool = False
    channel: Channel = ""
    residual: bool = False
    compare: Compare = ""
    difference: Difference = ""
    gain: int = 4
    align: bool = False
    split: float = 0.5

    def view(self, reference: PictureRef | None, *, flickering: bool = False) -> ViewSpec:
        """Return what the pipeline shall show; with `flickering` the reference in its place."""
        compared = flickering or bool(self.compare or self.difference)
        other = reference if compared else None
        amplified = self.residual or (self.difference and other is not None and not flickering)
        return ViewSpec(
            zoom=self.zoom,
            centre=self.centre if self.zoom else None,
            channel="" if self.channel == "stretch" else self.channel,
            stretch=self.channel == "stretch",
            residual=self.residual,
            difference=self.difference if other is not None and not flickering else "",
            reference=other,
            gain=float(self.gain) if amplified else 1.0,
            show=self._show(other, flickering=flickering),
            split=self.split if self.compare == "split" and not flickering else 0.5,
            align=self.align and other is not None,
        )

    def flickering_step(self, reference: PictureRef | None) -> ViewSpec:
        """Return how the step is shown in a flicker: decoded and scaled as the reference is."""
        return replace(self.view(reference, flickering=True), show="")

    def _show(
        self, other: PictureRef | None, *, flickering: bool
    ) -> Literal["", "reference", "side", "split"]:
        if other is None:
            return ""
        return "reference" if flickering else self.compare

    def zoomed(self, by: int) -> "Look":
        """One zoom level in (+1) or out (-1); the middle of the window stays."""
        at = min(max(ZOOMS.index(self.zoom) + by, 0), len(ZOOMS) - 1)
        return replace(self, zoom=ZOOMS[at], centre=self.centre if ZOOMS[at] else None)

    def panned(
        self, shift: tuple[float, float], room: tuple[int, int], size: tuple[int, int]
    ) -> "Look":
        """Move the window by `shift` source pixels; it stays inside a picture of `size`.

        `room` is what the area shows, in source pixels.
        """
        x, y = self.centre or (size[0] // 2, size[1] // 2)
        return replace(
            self,
            centre=(
                _inside(x + shift[0], room[0], size[0]),
                _inside(y + shift[1], room[1], size[1]),
            ),
        )

    def next_channel(self) -> "Look":
        """The next channel; the picture itself after the last."""
        return replace(self, channel=_after(CHANNELS, self.channel))

    def next_compare(self) -> "Look":
        """Side by side, split line, off."""
        return replace(self, compare=_after(COMPARES, self.compare))

    def next_difference(self) -> "Look":
        """Absolute, signed, off."""
        return replace(self, difference=_after(DIFFERENCES, self.difference))

    def amplified(self, by: int) -> "Look":
        """One step more (+1) or less (-1) gain."""
        return replace(self, gain=GAINS[min(max(GAINS.index(self.gain) + by, 0), len(GAINS) - 1)])

    def line_moved(self, by: int) -> "Look":
        """Move the split line right (+1) or left (-1)."""
        return replace(self, split=round(min(max(self.split + by * SPLIT_STEP, 0.0), 1.0), 2))

    def back(self) -> "Look | None":
        """One level back: difference, compare, residual and channel, zoom; None at the end."""
        if self.difference:
            return replace(self, difference="")
        if self.compare:
            return replace(self, compare="", split=0.5)
        if self.residual or self.channel:
            return replace(self, residual=False, channel="")
        if self.zoom:
            return replace(self, zoom=0, centre=None)
        return None

    def in_another_run(self) -> "Look":
        """The look when another run is opened: the loupe goes unless it is kept."""
        return self if self.keep else replace(self, zoom=0, centre=None)

    @property
    def words(self) -> tuple[str, ...]:
        """What differs from a plain picture, for the line above it."""
        found = []
        if self.zoom:
            found.append(f"{self.zoom}:1" + (" kept" if self.keep else ""))
        if self.channel:
            found.append(_CHANNEL_WORDS[self.channel])
        if self.residual:
            found.append(f"residual ×{2 * self.gain}")
        if self.difference:
            kind = "difference" if self.difference == "abs" else "signed"
            found.append(f"{kind} ×{self.gain}")
        if self.compare:
            found.append("side by side" if self.compare == "side" else "split")
        return tuple(found)


def _after(values: tuple[Value, ...], value: Value) -> Value:
    return values[(values.index(value) + 1) % len(values)]


def _inside(at: float, room: int, size: int) -> int:
    half = min(room, size) // 2
    return int(min(max(round(at), half), size - min(room, size) + half))
