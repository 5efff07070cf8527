"""The frame of a region: four thin edges, so that what lies inside stays in view."""

from collections.abc import Iterable
from typing import ClassVar

from textual.strip import Strip

from b100tui.tui.marking import Box
from b100tui.tui.widgets.lines import Lines

SIDES = ("top", "bottom", "left", "right")


class Edge(Lines):
    """One edge; lies where it is put, in cells of the screen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"edge--line"}

    def __init__(self, side: str) -> None:
        super().__init__(classes="edge")
        self.side = side

    def place(self, x: int, y: int, width: int, height: int) -> None:
        """Lie at x, y."""
        self.styles.offset = (x, y)
        self.styles.width, self.styles.height = width, height
        self.display = True

    def render_line(self, y: int) -> Strip:
        """Draw a part of the frame."""
        width = self.size.width
        if self.side in ("top", "bottom"):
            ends = "┏┓" if self.side == "top" else "┗┛"
            text = ends[0] + "━" * (width - 2) + ends[1]
        else:
            text = "┃"
        return self.strip([(text, "edge--line")], width)


def show_frame(found: Iterable[Edge], box: Box | None) -> None:
    """Lay the edges around `box`, or hide them."""
    edges = {edge.side: edge for edge in found}
    if box is None:
        for edge in edges.values():
            edge.display = False
        return
    x, y, width, height = box
    edges["top"].place(x, y, width, 1)
    edges["bottom"].place(x, y + height - 1, width, 1)
    for side, at in (("left", x), ("right", x + width - 1)):
        edges[side].place(at, y + 1, 1, max(1, height - 2))
        edges[side].display = height > 2
