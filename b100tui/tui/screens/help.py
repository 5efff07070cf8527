"""The help: the focused panel's keys first, then every action by group."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from b100tui.tui.actions import GROUPS, Action
from b100tui.tui.facts import Block
from b100tui.tui.screens.overlay import Overlay
from b100tui.tui.widgets.lines import TextPanel

PANEL_WORDS = {
    "runs": "Runs: image, setting, run. A spark shows the most telling signal over the steps;"
    " words after it tell the onset and what is missing.",
    "picture": "Picture: the step as the terminal can show it. Comparisons are made in source"
    " pixels.",
    "metrics": "Metrics: value at the reference → value here. Δ is the normalised score gap, δ a"
    " gap in the metric's own units. ✗ fails: it calls the later picture better. ✓ does not."
    " ≠ phase, size, edit or picture: the two steps may not be compared, and why."
    " The metrics that fail most over the run stand first.",
    "reasoning": "Reasoning: what the editor said of this step, and the judge's verdict.",
    "heatmap": "Gaps: how much better (+) or worse (-) a metric scores the step than the reference,"
    " in normalised points (δ: in its own units). Blue and ✗ mark failures: nothing but edits that"
    " should change nothing lie between, so better is wrong. ~ within noise: the interval over the"
    " repeats covers zero. ° some runs lack a score. fails: failing of judged cells.",
    "evidence": "Evidence: mean ± sd over the runs of the group (shade), the shown run (dots), ◇"
    " the reference, ● the step. The reference is warped onto the step where the alignment holds.",
    "lies": "A metric contradicts the probes when it improved beyond its spread while aligned"
    " fidelity fell and noise, cast, texture, halo or grid moved. It is called a lie once human"
    " marks or two independent kinds of evidence agree.",
    "groups": "Groups: gaps of two sets of runs at matched steps. ✗ fails, ≠ they differ beyond"
    " their spread, ≈ they do not; onset and limit are medians over the runs.",
    "blind": "Blind marking: 1 sub-object, 2 object, 3 image, 4 tag, then the letter of the mode."
    " The order is shuffled and the step is hidden; Backspace takes the last mark back.",
    "facts": "Step: what is known of the file, the call and its cost.",
}
KEY_CELLS = 12


def help_blocks(actions: Sequence[Action], panel: str) -> Iterator[Block]:
    """Yield the help's paragraphs: every action stands in it."""
    yield ((PANEL_WORDS.get(panel, ""), ""),)
    own = [action for action in actions if panel in action.panels]
    for name, group in [
        (f"In this panel ({panel})", own),
        *((GROUPS[g], [a for a in actions if a.group == g]) for g in GROUPS),
    ]:
        if not group:
            continue
        yield ()
        yield ((name, "text--title"),)
        for action in group:
            keys = action.shown_keys or "(no key)"
            style = "text--dim" if action.later else ""
            words = action.about + (f" ({action.later})" if action.later else "")
            yield ((f"  {keys:<{KEY_CELLS}}", "text--key"), (words, style))


class HelpScreen(Overlay[None]):
    """Shows the help until a key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,q,enter", "close", "close", id="help.close"),
        Binding("k", "move(-1)", "up", id="help.up"),
        Binding("j", "move(1)", "down", id="help.down"),
    ]

    def __init__(self, actions: Sequence[Action], panel: str) -> None:
        super().__init__()
        self._blocks = list(help_blocks(actions, panel))

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        yield TextPanel("Help", id="help")

    def on_mount(self) -> None:
        """Fill it."""
        panel = self.query_one("#help", TextPanel)
        panel.show(self._blocks)
        panel.border_subtitle = "Esc closes"
        panel.focus()

    def action_move(self, delta: int) -> None:
        """Scroll."""
        self.query_one("#help", TextPanel).move(delta)
