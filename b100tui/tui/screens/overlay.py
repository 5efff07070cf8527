"""What lies over the main screen: transparent around, so that a picture below stays."""

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Overlay(ModalScreen[Result]):
    """A modal that Esc closes and in which the arrows move."""

    CSS_PATH = "../styles/overlay.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", id="overlay.close"),
        Binding("up", "move(-1)", "up", id="overlay.up"),
        Binding("down", "move(1)", "down", id="overlay.down"),
        Binding("pageup", "move(-10)", "ten up", id="overlay.up10"),
        Binding("pagedown", "move(10)", "ten down", id="overlay.down10"),
    ]

    def action_close(self) -> None:
        """Close without a choice."""
        self.dismiss(None)

    def action_move(self, delta: int) -> None:
        """Move in the overlay's list; a subclass says how."""
