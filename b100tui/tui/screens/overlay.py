"""What lies over the main screen: transparent around, so that a picture below stays."""

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.worker import Worker

from b100tui.tui.screens.broken import tell_broken
from b100tui.tui.screens.putting_off import PutsOff

Result = TypeVar("Result")


class ClosesOnce(PutsOff[Result]):
    """A screen for which a second Esc or Enter, typed before it has gone, means nothing.

    Textual would close whatever lies below it, and end the program at the last screen.
    """

    _dismissed = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with `result`, unless it is closed already or another screen lies above.

        One above that is closing itself, and closes this one with it, does not count.
        """
        stack = self.app.screen_stack
        above = stack[stack.index(self) + 1 :] if self in stack else []
        covered = any(not getattr(screen, "_dismissed", False) for screen in above)
        if self._dismissed or covered or self not in stack:
            return AwaitComplete()
        self._dismissed = True
        return super().dismiss(result)


class Overlay(ModalScreen[Result], ClosesOnce[Result]):
    """A modal that Esc closes and in which the arrows move."""

    CSS_PATH = "../styles/overlay.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", id="overlay.close"),
        Binding("up", "move(-1)", "up", id="overlay.up"),
        Binding("down", "move(1)", "down", id="overlay.down"),
        Binding("pageup", "move(-10)", "ten up", id="overlay.up10"),
        Binding("pagedown", "move(10)", "ten down", id="overlay.down10"),
    ]

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that broke costs its own work: tell it, keep the log, go on."""
        tell_broken(self, event)

    def action_close(self) -> None:
        """Close without a choice."""
        self.dismiss(None)

    def action_move(self, delta: int) -> None:
        """Move in the overlay's list; a subclass says how."""
