"""Rows of a form: a choice that left and right change, and a word that is typed."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input, Static

from b100tui.model.text import clean_line
from b100tui.tui.widgets.lines import Lines
from b100tui.tui.wrapping import fit

LABEL_CELLS = 13


class ChoiceRow(Lines, can_focus=True):
    """One of several values; left and right take another."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--key", "text--dim", "form--here"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "the one before"),
        Binding("right,l,space", "turn(1)", "the next one"),
    ]

    class Changed(Message):
        """Another value was taken."""

    def __init__(self, label: str, **names: str | None) -> None:
        super().__init__(id=names.get("id"), classes="form-row")
        self._label = label
        self._options: Sequence[tuple[str, str]] = ()
        self._at = 0

    def offer(self, options: Sequence[tuple[str, str]], at: int = 0) -> None:
        """Offer (value, words) pairs; the one at `at` is taken."""
        self._options = options
        self._at = min(at, max(0, len(options) - 1))
        self.refresh()

    @property
    def value(self) -> str:
        """The value taken; empty where there is none to take."""
        return self._options[self._at][0] if self._options else ""

    def action_turn(self, delta: int) -> None:
        """Take another value."""
        if len(self._options) > 1:
            self._at = (self._at + delta) % len(self._options)
            self.refresh()
            self.post_message(self.Changed())

    def on_click(self, event: events.Click) -> None:
        """A click takes the next value."""
        self.action_turn(1)

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width = self.size.width
        words = clean_line(self._options[self._at][1]) if self._options else "..."
        text = f"‹ {words} ›" if len(self._options) > 1 and not self.disabled else f"  {words}"
        style = "form--here" if self.has_focus else ("text--dim" if self.disabled else "")
        label = fit(self._label, LABEL_CELLS)
        return self.strip(
            [(label, "text--key"), (fit(text, max(0, width - LABEL_CELLS)), style)], width
        )


class WordRow(Horizontal):
    """A label and an input."""

    def __init__(self, label: str, value: str = "", placeholder: str = "", **names: str) -> None:
        super().__init__(classes="form-row", id=names["id"] + "-row")
        self._label = label
        self._input = Input(value, placeholder=placeholder, compact=True, id=names["id"])

    def compose(self) -> ComposeResult:
        """The label, then the input."""
        yield Static(fit(self._label, LABEL_CELLS), classes="form-label", markup=False)
        yield self._input
