"""A row of finished cells that goes to the terminal as it is: no Segment, no Style a cell.

Textual's compositor cuts and renders strips; this one answers with text that an encoder made
in a worker thread. Only where Textual insists on segments (under a pop-up with a tinted
background, in screenshots) are they made, with colours rounded to 16 steps.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from b100tui.terminal.cells import HALF_INK, cut_row
from b100tui.terminal.frames import CellRow


class CellStrip(Strip):
    """`row` with `left` and `right` blank cells of `style` beside it."""

    __slots__ = ["_left", "_right", "_row", "_style"]

    def __init__(self, row: CellRow, left: int, right: int, style: Style) -> None:
        super().__init__((), left + row.columns + right)
        self._row = row
        self._left = left
        self._right = right
        self._style = style

    # Textual reads `_segments` in many places; here they are made only when asked for.
    @property
    def _segments(self) -> list[Segment]:
        return self._as_segments()

    @_segments.setter
    def _segments(self, segments: list[Segment]) -> None:
        """Ignore the base class's empty list."""

    def __bool__(self) -> bool:
        return self._cell_length != 0

    @property
    def text(self) -> str:
        """The characters without colours."""
        return "".join(segment.text for segment in self._as_segments())

    def render(self, console: Console) -> str:
        """Return the finished text; blank cells in the widget's own style."""
        system = console._color_system
        if system is None:
            pad_left, pad_right = " " * self._left, " " * self._right
        else:
            pad_left, pad_right = (
                self._style.render(" " * n, color_system=system) if n else ""
                for n in (self._left, self._right)
            )
        return f"{pad_left}{self._row.text}{pad_right}"

    def crop(self, start: int, end: int | None = None) -> Strip:
        """Return cells `start` to `end`."""
        whole = self.cell_length
        end = whole if end is None else min(end, whole)
        start = max(start, 0)
        if start == 0 and end == whole:
            return self
        if end <= start:
            return Strip([], 0)
        left = max(min(self._left, end) - start, 0)
        first = max(start - self._left, 0)
        last = min(max(end - self._left, 0), self._row.columns)
        right = max(end - max(start, self._left + self._row.columns), 0)
        if first >= last:
            return Strip([Segment(" " * (end - start), self._style)], end - start)
        return CellStrip(cut_row(self._row, first, last), left, right, self._style)

    def crop_extend(self, start: int, end: int, style: Style | None) -> Strip:
        """Return cells `start` to `end`; nothing is beyond the end."""
        return self.crop(start, end)

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Return the pieces between `cuts`."""
        pieces, start = [], 0
        for cut in cuts:
            pieces.append(self.crop(start, cut))
            start = cut
        return pieces

    def adjust_cell_length(self, cell_length: int, style: Style | None = None) -> Strip:
        """Return self: the row has its widget's width."""
        return self

    def extend_cell_length(self, cell_length: int, style: Style | None = None) -> Strip:
        """Return self: the row has its widget's width."""
        return self

    def simplify(self) -> Strip:
        """Return self: there are no segments to merge."""
        return self

    def discard_meta(self) -> Strip:
        """Return self: there is no meta."""
        return self

    def apply_filter(self, filter: Any, background: Any) -> Strip:
        """Return self: a picture's colours are its content."""
        return self

    def apply_style(self, style: Style) -> Strip:
        """Return self: a picture is not tinted."""
        return self

    def apply_offsets(self, x: int, y: int) -> Strip:
        """Return self: text in a picture cannot be selected."""
        return self

    def style_links(self, link_id: str, link_style: Style) -> Strip:
        """Return self: there are no links."""
        return self

    def _as_segments(self) -> list[Segment]:
        row = self._row
        if len(row.ink) == row.columns * HALF_INK:
            cells = _half_block_segments(row)
        else:
            text = "".join(part for part in row.text.split("\x1b") if part).partition("m")[2]
            cells = [Segment(text.removesuffix("[39m").removesuffix("[0m"), _ink_style(row.ink))]
        blank = Segment(" " * self._left, self._style), Segment(" " * self._right, self._style)
        return [blank[0], *cells, blank[1]]


def _half_block_segments(row: CellRow) -> list[Segment]:
    segments: list[Segment] = []
    run, ink = 0, b""
    rounded = bytes((value & 0xF0) | (value >> 4) for value in row.ink)
    for at in range(0, len(rounded), HALF_INK):
        cell = rounded[at : at + HALF_INK]
        if cell != ink and run:
            segments.append(Segment("▀" * run, _half_style(ink)))
            run = 0
        ink = cell
        run += 1
    if run:
        segments.append(Segment("▀" * run, _half_style(ink)))
    return segments


@lru_cache(maxsize=8192)
def _half_style(ink: bytes) -> Style:
    return Style(color=Color.from_rgb(*ink[:3]), bgcolor=Color.from_rgb(*ink[3:]))


@lru_cache(maxsize=64)
def _ink_style(ink: bytes) -> Style:
    return Style(color=Color.from_rgb(*ink[:3]))
