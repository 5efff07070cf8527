"""Panels that draw their own lines: a virtual view, and a panel of wrapped text."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from b100tui.model.text import clean
from b100tui.tui.wrapping import find_words, wrap

Span = tuple[str, str]  # text and the name of a component class; "" is the plain style


class Lines(Widget, inherit_bindings=False):
    """What draws lines of styled spans."""

    _drawn_styles: dict[str, Style] | None = None  # by component class, until styles change

    def style_of(self, name: str) -> Style:
        """Return the style of a component class over the widget's own; "" is its own."""
        known = self._drawn_styles
        if known is None:
            known = self._drawn_styles = {}
        style = known.get(name)
        if style is None:
            style = self.style_of("") if name else self.rich_style
            if name:
                style += self.get_component_rich_style(name, partial=True)
            known[name] = style
        return style

    def notify_style_update(self) -> None:
        """Styles have changed: ask for them anew."""
        super().notify_style_update()
        self._drawn_styles = None

    def strip(self, spans: Iterable[Span], width: int) -> Strip:
        """Return `spans` as one line of exactly `width` cells; no control character goes out."""
        segments = [Segment(_inert(text), self.style_of(name)) for text, name in spans]
        return Strip(segments).adjust_cell_length(width, self.style_of(""))

    def blank(self, width: int) -> Strip:
        """Return an empty line of `width` cells."""
        return Strip.blank(width, self.style_of(""))


def _inert(text: str) -> str:
    return text if text.isprintable() else clean(text).replace("\n", " ").replace("\t", " ")


class LinesView(Lines, ScrollView, can_focus=True, inherit_bindings=False):
    """A focusable view of lines that a subclass draws; keys come from the screen.

    `move` is what up and down do while it has the focus; it scrolls unless overridden.
    """

    def move(self, delta: int) -> None:
        """Scroll by `delta` lines."""
        self.scroll_to(y=self.scroll_offset.y + delta, animate=False)

    @property
    def page(self) -> int:
        """Lines in a page: one less than fit, so that one stays in sight."""
        return max(1, self.scrollable_content_region.height - 1)

    def set_line_count(self, count: int) -> None:
        """Tell how many lines there are.

        Setting `virtual_size` lays the whole screen out again; that is needed only when the
        scroll bar comes or goes.
        """
        size = Size(self.size.width, count)
        room = self.container_size.height
        before = self.virtual_size.height
        if not room or (before > room) != (count > room):
            self.virtual_size = size
            return
        self.set_reactive(Widget.virtual_size, size)
        if count > room:
            self.vertical_scrollbar.window_virtual_size = count
        if self.scroll_offset.y > self.max_scroll_y:
            self.scroll_to(y=self.max_scroll_y, animate=False)


class TextPanel(LinesView):
    """Titled paragraphs, wrapped to the panel, scrollable, with highlighted words."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text--title", "text--key", "text--dim", "text--good", "text--bad", "text--hit",
    }  # fmt: skip

    def __init__(self, title: str, **names: str | None) -> None:
        super().__init__(id=names.get("id"), classes=names.get("classes"))
        self.border_title = title
        self._blocks: Sequence[tuple[Span, ...]] = ()
        self._lines: list[tuple[Span, ...]] = []
        self._wrapped_at = 0
        self._words: tuple[str, ...] = ()

    def show(
        self,
        blocks: Sequence[tuple[Span, ...]],
        words: tuple[str, ...] = (),
        *,
        keep_place: bool = False,
    ) -> None:
        """Show `blocks`: each one is a paragraph, its first span a key or title.

        A paragraph of one span is wrapped as it is; of two, the second hangs behind the first.
        New text is shown from its beginning, or with `keep_place` from where the old one was.
        """
        if blocks == self._blocks and words == self._words:
            return
        same_text = blocks == self._blocks
        self._blocks, self._words = blocks, words
        self._wrap()
        if not (same_text or keep_place) and self.is_attached:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    @property
    def plain(self) -> str:
        """The shown text, for tests and copying."""
        return "\n".join("".join(text for text, _ in line) for line in self._lines)

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width or self.size.width
        if width <= 0:
            return
        self._wrapped_at = width
        lines: list[tuple[Span, ...]] = []
        for block in self._blocks:
            if not block:
                lines.append(())
                continue
            (head, head_style), *rest = block
            if not rest:
                lines += [((line, head_style),) for line in wrap(head, width)]
                continue
            tail, tail_style = rest[0]
            indent = cell_len(head)
            if indent > width // 2:  # too long to hang anything behind it
                lines += [((line, head_style),) for line in wrap(head, width)]
                lines += [((line, tail_style),) for line in wrap(tail, width)]
                continue
            wrapped = wrap(tail, width - indent)
            lines.append(((head, head_style), (wrapped[0], tail_style)))
            lines += [((" " * indent, ""), (line, tail_style)) for line in wrapped[1:]]
        self._lines = lines
        self.set_line_count(len(lines))

    def on_resize(self) -> None:
        """Wrap again when the width has changed."""
        if self.scrollable_content_region.width != self._wrapped_at:
            self._wrap()
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        width = self.size.width
        at = y + self.scroll_offset.y
        if at >= len(self._lines):
            return self.blank(width)
        return self.strip(self._marked(self._lines[at]), width)

    def _marked(self, line: tuple[Span, ...]) -> Iterable[Span]:
        if not self._words:
            yield from line
            return
        for text, style in line:
            at = 0
            for start, end in find_words(text, self._words):
                if start > at:
                    yield text[at:start], style
                yield text[start:end], "text--hit"
                at = end
            if at < len(text):
                yield text[at:], style
