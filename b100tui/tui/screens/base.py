"""What the parts of the main screen share: its state and its widgets."""

from typing import TYPE_CHECKING, Any, cast

from textual.content import Content

from b100tui.index.rows import RunRow
from b100tui.model.text import clean_line
from b100tui.tui.actions import Action
from b100tui.tui.catalogue import Catalogue
from b100tui.tui.position import Position
from b100tui.tui.screens.putting_off import PutsOff
from b100tui.tui.trajectory import MetricSeries, Trajectory
from b100tui.tui.widgets.bars import StatusLine
from b100tui.tui.widgets.lines import TextPanel
from b100tui.tui.widgets.metric_panel import MetricPanel
from b100tui.tui.widgets.run_tree import RunTreeView
from b100tui.tui.widgets.step_slider import StepSlider

if TYPE_CHECKING:
    from b100tui.tui.app import Explorer


class ExplorerState(PutsOff[None]):
    """State and widgets that every part of the main screen may touch."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes=classes)
        self.position = Position()
        self.trajectory: Trajectory | None = None
        self.opened: RunRow | None = None
        self.filter_text = ""
        self.ordered: tuple[MetricSeries, ...] = ()
        self.ordered_for: tuple[int, int] | None = None
        self.catalogue: Catalogue | None = None
        self.token = 0
        self.words: tuple[str, ...] = ()
        self.flicker_reference = False
        self.reasoning = TextPanel("Reasoning", id="reasoning")
        self.facts = TextPanel("Step", id="facts")

    @property
    def explorer(self) -> "Explorer":
        """The app, with its own type."""
        return cast("Explorer", self.app)

    @property
    def runs(self) -> RunTreeView:
        """The run tree."""
        return self.query_one("#runs", RunTreeView)

    @property
    def slider(self) -> StepSlider:
        """The step slider."""
        return self.query_one("#slider", StepSlider)

    @property
    def metric_panel(self) -> MetricPanel:
        """The metric rows."""
        return self.query_one("#metrics", MetricPanel)

    @property
    def status(self) -> StatusLine:
        """The line above."""
        return self.query_one("#status", StatusLine)

    def say(self, text: str, *, bad: bool = False) -> None:
        """Show `text` for a moment; foreign text in it is cleaned and never read as markup."""
        self.notify(
            clean_line(text),
            severity="warning" if bad else "information",
            timeout=10 if bad else 3,
            markup=False,
        )

    def show_position(self) -> None:
        """Draw everything that depends on the step; the screen's own part overrides it."""
        raise NotImplementedError

    def go_to_step(self, step: int) -> None:
        """Go to a step of the shown run; the screen's own part overrides it."""
        raise NotImplementedError

    def jump(self, run: str, step: int) -> None:
        """Go to a run and step; the program's part overrides it."""
        raise NotImplementedError

    def act(self, action: Action) -> None:
        """Run an action, or say why it cannot be; the screen's own part overrides it."""
        raise NotImplementedError


def titled(widget: Any, title: str, subtitle: str = "") -> None:
    """Set a border's titles to cleaned text that is never read as markup."""
    widget.border_title = Content(clean_line(title))
    widget.border_subtitle = Content(clean_line(subtitle))
