"""A list of styled lines with a cursor; what a line means is known to its owner."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from b100tui.tui.widgets.lines import LinesView, Span
from b100tui.tui.wrapping import fit


class ChoiceLines(LinesView):
    """Lines below fixed ones; the cursor walks over those that can be chosen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "choice--here", "choice--head", "choice--dim", "choice--name", "choice--bad",
        "choice--good", "choice--fail",
    }  # fmt: skip

    class Moved(Message):
        """The cursor moved."""

    class Opened(Message):
        """The line under the cursor was chosen with the mouse."""

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"))
        self.cursor = 0
        self._head: Sequence[Sequence[Span]] = ()
        self._lines: Sequence[Sequence[Span]] = ()
        self._choosing = True

    def show(
        self,
        head: Sequence[Sequence[Span]],
        lines: Sequence[Sequence[Span]],
        cursor: int = 0,
        *,
        choosing: bool = True,
    ) -> None:
        """Show `lines` below the fixed `head`; without `choosing` there is no cursor."""
        self._head, self._lines, self._choosing = head, lines, choosing
        self.cursor = max(0, min(cursor, len(lines) - 1))
        self.set_line_count(len(head) + len(lines))
        self._follow()
        self.refresh()

    @property
    def plain(self) -> str:
        """The shown text, for tests."""
        return "\n".join("".join(text for text, _ in line) for line in (*self._head, *self._lines))

    def move(self, delta: int) -> None:
        """Move the cursor; without one, scroll."""
        if not self._choosing:
            super().move(delta)
            return
        before, self.cursor = self.cursor, max(0, min(self.cursor + delta, len(self._lines) - 1))
        if self.cursor != before:
            self._follow()
            self.refresh()
            self.post_message(self.Moved())

    def _follow(self) -> None:
        top = self.cursor if self.cursor else -len(self._head)
        place = Region(0, top + len(self._head), 1, 1 + len(self._head))
        if self._choosing:
            self.scroll_to_region(place, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """Draw one line; the head stays above."""
        width = self.size.width
        if y < len(self._head):
            return self.strip(self._head[y], width)
        at = y + self.scroll_offset.y - len(self._head)
        if at >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        if self._choosing and at == self.cursor:
            text = "".join(part for part, _ in self._lines[at])
            return self.strip([(fit("▸" + text[1:], width), "choice--here")], width)
        return self.strip(self._lines[at], width)

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; on the line under it, it opens."""
        at = event.y + self.scroll_offset.y - len(self._head)
        if event.y < len(self._head) or not 0 <= at < len(self._lines) or not self._choosing:
            return
        if at == self.cursor:
            self.post_message(self.Opened())
        else:
            self.move(at - self.cursor)
