"""The failure modes with their keys: the level in hand stands out."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.strip import Strip

from b100tui.report.marks import Level, Mode
from b100tui.tui.marking import LEVELS
from b100tui.tui.widgets.lines import Lines, Span

HEAD = 14


class MarkKeys(Lines):
    """Every level with its digit, every mode with its letter, and a line of what else."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "mark--key", "mark--name", "mark--dim", "mark--level", "mark--state",
    }  # fmt: skip

    def __init__(self, modes: Sequence[Mode], own_key: str = "", **names: str | None) -> None:
        """With `own_key` the tags end with one that asks for a word."""
        super().__init__(id=names.get("id"))
        self._own = (
            Mode(id="", level="tag", name="your own word", key=own_key, about="")
            if own_key
            else None
        )
        self._modes = modes
        self._level: Level | None = None
        self._state: Sequence[Span] = ()
        self._laid: tuple[object, list[list[Span]]] | None = None

    def show(self, level: Level | None, state: Sequence[Span]) -> None:
        """Show the level in hand and what else stands: region, note, keys."""
        before = len(self.lines(self.size.width)) if self.size.width else 0
        self._level, self._state = level, state
        self._laid = None
        # A layout draws the whole screen again: only where the number of lines has changed.
        self.refresh(layout=before == 0 or len(self.lines(self.size.width)) != before)

    def lines(self, width: int) -> list[list[Span]]:
        """Return the lines in `width` cells."""
        key = (width, self._level)
        if self._laid is None or self._laid[0] != key:
            laid = [
                line
                for place, level in enumerate(LEVELS, 1)
                for line in self._of_level(place, level, width)
            ]
            laid += _packed([], [[span] for span in self._state], width)
            self._laid = key, laid
        return self._laid[1]

    def _of_level(self, place: int, level: Level, width: int) -> list[list[Span]]:
        dim = self._level is not None and level != self._level
        ours = [one for one in self._modes if one.level == level]
        head: list[Span] = [
            (f" {place} ", "mark--dim" if dim else "mark--key"),
            (f"{level:<{HEAD - 3}}", "mark--dim" if dim else "mark--level"),
        ]
        chosen = level == self._level
        items: list[list[Span]] = [
            [
                (f"{one.key} ", "mark--key" if chosen else "mark--dim"),
                (f"{one.name}   ", "mark--dim" if dim else "mark--name"),
            ]
            for one in (*ours, *([self._own] if level == "tag" and self._own else []))
        ]
        return _packed(head, items, width)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return how many lines there are."""
        return len(self.lines(width))

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        lines = self.lines(self.size.width)
        return self.strip(lines[y] if y < len(lines) else [], self.size.width)


def _packed(head: list[Span], items: list[list[Span]], width: int) -> list[list[Span]]:
    indent = sum(cell_len(text) for text, _ in head)
    lines: list[list[Span]] = [list(head)]
    used = indent
    for item in items:
        cells = sum(cell_len(text.rstrip()) for text, _ in item) + (len(item) > 1)
        if used > indent and used + cells > width:
            lines.append([(" " * indent, "")])
            used = indent
        lines[-1] += item
        used += sum(cell_len(text) for text, _ in item)
    return lines
