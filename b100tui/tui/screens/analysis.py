"""What the analysis screens share: their keys, their lines, their workers' failures."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input
from textual.worker import Worker

from b100tui.model.text import clean_line
from b100tui.tui.actions import Action, with_keys
from b100tui.tui.analyst import Analyst
from b100tui.tui.messages import Failed
from b100tui.tui.screens.broken import tell_broken
from b100tui.tui.screens.overlay import ClosesOnce
from b100tui.tui.widgets.bars import KeyLine
from b100tui.tui.widgets.choice_lines import ChoiceLines

if TYPE_CHECKING:
    from b100tui.tui.app import Explorer

Place = tuple[str, int]  # run, step
TEN = 10
WIDTHS = [(0, "-narrow"), (100, "-middle"), (160, "-wide")]
HEIGHTS = [(0, "-low"), (32, "-tall")]


def bindings_of(actions: tuple[Action, ...]) -> list[BindingType]:
    """Return the bindings of a screen's table of actions."""
    return [
        Binding(",".join(a.keys), f"run('{a.id}')", a.about, show=False, id=a.id) for a in actions
    ]


class AnalysisScreen(ClosesOnce[Place | None]):
    """A whole screen over the main one; it closes with a place to go to, or None."""

    CSS_PATH = "../styles/analysis.tcss"
    AUTO_FOCUS = None
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    table: ClassVar[tuple[Action, ...]] = ()
    about: ClassVar[str] = ""

    def __init__(self, analyst: Analyst) -> None:
        super().__init__()
        self.analyst = analyst
        self.token = 0

    @property
    def explorer(self) -> "Explorer":
        """The app, with its own type."""
        return cast("Explorer", self.app)

    @property
    def keys(self) -> tuple[Action, ...]:
        """The table with the user's keys."""
        return with_keys(self.table, self.explorer.screen_keys)

    @property
    def keys_at_once(self) -> bool:
        """True but while words are typed."""
        return not isinstance(self.focused, Input)

    def say(self, text: str, *, bad: bool = False) -> None:
        """Show `text` for a moment; foreign text in it is cleaned and never read as markup."""
        self.notify(
            clean_line(text),
            severity="warning" if bad else "information",
            timeout=10 if bad else 3,
            markup=False,
        )

    def action_run(self, name: str) -> None:
        """Run the action with this id."""
        action = next(one for one in self.table if one.id == name)
        getattr(self, "do_" + action.id.split(".", 1)[1].replace("-", "_"))()

    @on(KeyLine.Chosen)
    def _key_clicked(self, event: KeyLine.Chosen) -> None:
        event.stop()
        self.action_run(event.action.id)

    def do_help(self) -> None:
        """Show this screen's keys."""
        from b100tui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.keys, self.about))

    def do_back(self) -> None:
        """Close."""
        self.dismiss(None)

    def closed(self, place: Place | None) -> None:
        """Take what a screen above gave back: a place closes this screen too."""
        if place is not None:
            self.dismiss(place)

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        event.stop()
        hint = f"; {event.error.hint}" if event.error.hint else ""
        self.say(f"{event.doing}: {event.error.message}{hint}", bad=True)
        self.failed(clean_line(event.error.message))

    def failed(self, reason: str) -> None:
        """Show, where the answer would stand, why there is none."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that broke costs its own work: tell it, keep the log, go on."""
        if error := tell_broken(self, event):
            self.failed(f"unexpected {type(error).__name__}")


class LinesScreen(AnalysisScreen):
    """An analysis screen with one list of lines, which the arrows and page keys move in."""

    @property
    def lines(self) -> ChoiceLines:
        """The list of this screen."""
        raise NotImplementedError

    def do_up(self) -> None:
        """Up."""
        self.lines.move(-1)

    def do_down(self) -> None:
        """Down."""
        self.lines.move(1)

    def do_page_up(self) -> None:
        """Ten up."""
        self.lines.move(-TEN)

    def do_page_down(self) -> None:
        """Ten down."""
        self.lines.move(TEN)
