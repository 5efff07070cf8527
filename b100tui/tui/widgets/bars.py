"""The two lines that frame the screen: status above, keys below."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip

from b100tui.tui.actions import Action
from b100tui.tui.widgets.lines import Lines, Span


class StatusLine(Lines):
    """Where and how much on the left; pictures, reference and state on the right."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"status--brand", "status--root", "status--dim",
                                             "status--warn"}  # fmt: skip

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"))
        self._left: Sequence[Span] = ()
        self._right: Sequence[Span] = ()

    def show(
        self, *, left: Sequence[Span] | None = None, right: Sequence[Span] | None = None
    ) -> None:
        """Set one or both sides; only this line is drawn again."""
        new_left = self._left if left is None else left
        new_right = self._right if right is None else right
        if (new_left, new_right) != (self._left, self._right):
            self._left, self._right = new_left, new_right
            self.refresh()

    @property
    def plain(self) -> str:
        """The shown words, for tests."""
        return "".join(text for text, _ in (*self._left, ("   ", ""), *self._right))

    def render_line(self, y: int) -> Strip:
        """Draw the line; the left side gives way, and shows that it did."""
        width = self.size.width
        right = sum(cell_len(text) for text, _ in self._right)
        room = max(0, width - right)
        left = self.strip(self._left, room)
        # Spaces at its end are no loss.
        if cell_len("".join(text for text, _ in self._left).rstrip()) > room > 1:
            cut = self.strip([("… " if right else "…", "status--dim")], 2 if right else 1)
            left = Strip.join([left.crop(0, room - cut.cell_length), cut])
        return Strip.join([left, self.strip(self._right, min(width, right))]).crop(0, width)


class KeyLine(Lines):
    """The most useful keys of the moment, as many as fit; each can be clicked."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key", "keys--word"}

    class Chosen(Message):
        """An action was clicked."""

        def __init__(self, action: Action) -> None:
            super().__init__()
            self.action = action

    def __init__(self, actions: Sequence[Action], **names: str | None) -> None:
        super().__init__(id=names.get("id"))
        self._entries = _entries(actions)

    def _fitting(self) -> list[tuple[int, str, str, Action]]:
        found = []
        x = 1
        for keys, word, action in self._entries:
            length = cell_len(keys) + 1 + len(word)
            if x + length > self.size.width - 1:
                continue
            found.append((x, keys, word, action))
            x += length + 2
        return found

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        spans: list[Span] = [(" ", "")]
        for _, keys, word, _action in self._fitting():
            spans += [(keys, "keys--key"), (f" {word}  ", "keys--word")]
        return self.strip(spans, self.size.width)

    def on_click(self, event: events.Click) -> None:
        """A click runs the action under it."""
        for x, keys, word, action in self._fitting():
            if x <= event.x < x + cell_len(keys) + 1 + len(word):
                self.post_message(self.Chosen(action))


def _entries(actions: Sequence[Action]) -> list[tuple[str, str, Action]]:
    """Return (keys, word, action) by rank; actions of one rank and word share an entry."""
    ranked = sorted((a for a in actions if a.rank and a.keys), key=lambda action: action.rank)
    merged: dict[tuple[int, str], list[Action]] = {}
    for action in ranked:
        merged.setdefault((action.rank, action.short), []).append(action)
    return [
        (" ".join(a.shown_keys.split()[0] for a in group), word, group[-1])
        for (_, word), group in merged.items()
    ]
