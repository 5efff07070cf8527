"""Metrics that contradict the evidence, which noticed first, and which agree."""

import threading
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from b100tui.model.errors import B100Error, CancelledError
from b100tui.model.text import clean_line
from b100tui.tui.analysis_keys import LIES
from b100tui.tui.analyst import Analyst, GapsAsked
from b100tui.tui.drawing import plural
from b100tui.tui.lies import (
    LIE_HEAD,
    agreement_lines,
    counted,
    lie_blocks,
    lie_line,
    notice_lines,
    ordered,
)
from b100tui.tui.messages import Failed
from b100tui.tui.screens.analysis import LinesScreen, bindings_of
from b100tui.tui.widgets.bars import KeyLine, StatusLine
from b100tui.tui.widgets.choice_lines import ChoiceLines
from b100tui.tui.widgets.filter_bar import FilterBar
from b100tui.tui.widgets.lines import TextPanel

if TYPE_CHECKING:
    from b100tui.analysis.notice import Notice
    from b100tui.report.gap_table import GapTable
    from b100tui.report.lies import LieRow
    from b100tui.report.tables import Table

Panel = Literal["lies", "notice", "agreement"]
PANELS: tuple[Panel, ...] = ("lies", "notice", "agreement")
TITLES = {
    "lies": "metrics that contradict the evidence",
    "notice": "first to notice",
    "agreement": "agreement (Spearman)",
}
ABOUT = {
    "notice": "delay: median steps from the break (marks, else limit, else onset) to the metric's"
    " own alarm; negative is before it. caught: of the runs that broke. false alarms: of those"
    " that did not.",
    "agreement": "Rank correlation over all steps of the runs, scores turned so that higher is"
    " better: +1 the same order, -1 the opposite one. Columns are the metrics by number.",
}


class LiesRead(Message):
    """What the metrics said in one run; `left` runs are still to come, `aligned` or not."""

    def __init__(
        self, token: int, run: str, rows: "list[LieRow]", left: int, aligned: bool
    ) -> None:
        super().__init__()
        self.token = token
        self.run = run
        self.rows = rows
        self.left = left
        self.aligned = aligned


class PanelRead(Message):
    """The lines of a panel."""

    def __init__(self, token: int, panel: Panel, lines: Any) -> None:
        super().__init__()
        self.token = token
        self.panel = panel
        self.lines = lines


class PairReady(Message):
    """The table around one contradiction."""

    def __init__(self, row: "LieRow", gaps: "GapTable", group: str) -> None:
        super().__init__()
        self.row = row
        self.gaps = gaps
        self.group = group


class LiesScreen(LinesScreen):
    """Gives back the place (run, step) to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(LIES)
    table = LIES
    about = "lies"

    def __init__(
        self, analyst: Analyst, reference: int, first: str = "", *, filter: str = ""
    ) -> None:
        """`first` is the run to look at before all others."""
        super().__init__(analyst)
        self.reference = reference
        self.filter = filter
        self.panel: Panel = "lies"
        self._first = first
        self._found: dict[str, list[LieRow]] = {}
        self._shown: list[LieRow] = []
        self._panels: dict[Panel, Any] = {}
        self._state = ""
        self._closed = False
        self._wanted = threading.Event()  # only while the list is in view: measuring is heavy

    def compose(self) -> ComposeResult:
        """The list above, what the line under the cursor rests on below."""
        yield StatusLine(id="lies-status")
        yield ChoiceLines(id="lies-list")
        yield TextPanel("Evidence", id="lies-words")
        yield KeyLine(self.keys, id="lies-keys")

    def on_mount(self) -> None:
        """Begin reading."""
        self.lines.focus()
        self._want()
        self._begin()

    def on_unmount(self) -> None:
        """Stop measuring."""
        self._closed = True
        self._wanted.set()

    def on_screen_suspend(self) -> None:
        """Measure nothing while another screen lies above."""
        self._wanted.clear()

    def on_screen_resume(self) -> None:
        """Go on measuring."""
        self._want()

    def _want(self) -> None:
        if self.panel == "lies":
            self._wanted.set()
        else:
            self._wanted.clear()

    @property
    def lines(self) -> ChoiceLines:
        """The lines."""
        return self.query_one("#lies-list", ChoiceLines)

    # Reading

    def _begin(self) -> None:
        self.token += 1
        self._found.clear()
        self._panels.clear()
        self._state = "looking for runs ..."
        self.show()
        self.call_after_refresh(self._read, self.token)
        if self.panel != "lies":
            self.call_after_refresh(self._read_panel, self.token, self.panel)

    @work(thread=True, exclusive=True, group="lies", exit_on_error=False)
    def _read(self, token: int) -> None:
        def stopped() -> bool:
            return self._closed or token != self.token

        try:
            runs = self.analyst.runs(self.filter)
            if self._first in runs:
                runs = [self._first, *(run for run in runs if run != self._first)]
            for aligned in (False, True):
                # What is known comes first; then fidelity is measured where it was missing.
                for place, run in enumerate(runs, 1):
                    self._wanted.wait()
                    if stopped():
                        return
                    rows = self.analyst.lies(run, self.reference, align=aligned, cancelled=stopped)
                    left = len(runs) - place
                    self.post_message(LiesRead(token, run, rows, left, aligned))
            if not runs:
                self.post_message(LiesRead(token, "", [], 0, True))
        except CancelledError:
            return
        except B100Error as error:
            self.post_message(Failed("contradictions", error))

    @on(LiesRead)
    def _lies_read(self, event: LiesRead) -> None:
        if event.token != self.token:
            return
        if event.run:
            self._found[event.run] = event.rows
        doing = "measuring fidelity" if event.aligned else "reading"
        done = event.aligned and not event.left
        self._state = "" if done else f"{doing}: {plural(event.left, 'run')} to go"
        if self.panel == "lies":
            self.show()

    @work(thread=True, exclusive=True, group="panel", exit_on_error=False)
    def _read_panel(self, token: int, panel: Panel) -> None:
        try:
            if panel == "notice":
                found: tuple[Notice, ...] = self.analyst.notices(self.filter, self.reference)
                lines = notice_lines(found)
            else:
                table: Table = self.analyst.agreement(self.filter)
                lines = agreement_lines(table.rows)
        except B100Error as error:
            self.post_message(Failed(TITLES[panel], error))
        else:
            self.post_message(PanelRead(token, panel, lines))

    @on(PanelRead)
    def _panel_read(self, event: PanelRead) -> None:
        if event.token == self.token:
            self._panels[event.panel] = event.lines
            self.show()

    def failed(self, reason: str) -> None:
        """Say why there is no answer."""
        self._state = ""
        self._panels[self.panel] = ([], [[(f"  {clean_line(reason)}", "choice--dim")]])
        self.show()

    # Showing

    def show(self) -> None:
        """Draw the panel in hand."""
        rows = [row for many in self._found.values() for row in many]
        words = f" {TITLES[self.panel]} "
        told = f" {counted(rows)}" if self.panel == "lies" and rows else ""
        filter = f" / {clean_line(self.filter)} " if self.filter else " "
        state = self._state if self.panel == "lies" else ""
        if self.panel != "lies" and self.panel not in self._panels:
            state = "computing ..."
        self.query_one("#lies-status", StatusLine).show(
            left=[(" b100 ", "status--brand"), (words, "status--root"), (told, "status--dim")],
            right=[(f"  {state}", "status--warn"), (filter, "status--dim")],
        )
        if self.panel == "lies":
            self._show_lies(rows)
        else:
            head, lines = self._panels.get(self.panel, ([], []))
            self.lines.show(head, lines, choosing=False)
            self._show_words([((ABOUT[self.panel], "text--dim"),)])

    def _show_lies(self, rows: "list[LieRow]") -> None:
        here = self.here
        self._shown = ordered(rows)
        keys = [(row.run, row.metric) for row in self._shown]
        key = (here.run, here.metric) if here is not None else None
        cursor = keys.index(key) if key in keys and self.lines.cursor else 0
        lines = [lie_line(row, self.size.width) for row in self._shown]
        if not lines and not self._state:
            lines = [[("  no metric contradicts the evidence here", "choice--dim")]]
        self.lines.show(LIE_HEAD, lines, cursor, choosing=bool(self._shown))
        self._show_words(self._lie_words(rows))

    def _lie_words(self, rows: "list[LieRow]") -> Any:
        here = self.here
        if here is not None:
            return lie_blocks(here)
        reasons = dict.fromkeys(f"{row.reason}" for row in rows if row.status == "not_applicable")
        return [((f"not judged: {clean_line(reason)}", "text--dim"),) for reason in reasons][:4]

    def _show_words(self, blocks: Any) -> None:
        self.query_one("#lies-words", TextPanel).show(blocks)

    @property
    def here(self) -> "LieRow | None":
        """The contradiction under the cursor."""
        at = self.lines.cursor
        return self._shown[at] if self.panel == "lies" and at < len(self._shown) else None

    @on(ChoiceLines.Moved)
    def _moved(self) -> None:
        here = self.here
        if here is not None:
            self._show_words(lie_blocks(here))

    # Keys

    def do_panel(self) -> None:
        """The next panel."""
        self.panel = PANELS[(PANELS.index(self.panel) + 1) % len(PANELS)]
        self._want()
        self.show()
        if self.panel != "lies" and self.panel not in self._panels:
            self._read_panel(self.token, self.panel)

    def do_filter(self) -> None:
        """Open the filter line."""
        if self.query(FilterBar):
            self.set_focus(self.query_one(FilterBar))
            return
        bar = FilterBar(value=self.filter, id="lies-filter")
        self.mount(bar, after=self.query_one("#lies-status"))
        self.set_focus(bar)  # at once: the letters typed after the key are the filter's

    @on(FilterBar.Changed)
    def _typed(self, event: FilterBar.Changed) -> None:
        event.stop()

    @on(FilterBar.Submitted)
    def _filtered(self, event: FilterBar.Submitted) -> None:
        event.stop()
        self.query(FilterBar).remove()
        self.lines.focus()
        if event.value.strip() != self.filter:
            self.filter = event.value.strip()
            self._begin()

    def do_back(self) -> None:
        """Close the filter line, or the screen."""
        if self.query(FilterBar):
            self.query(FilterBar).remove()
            self.lines.focus()
        else:
            self.dismiss(None)

    # Onward

    @on(ChoiceLines.Opened)
    def _line_clicked(self) -> None:
        self.do_open()

    def do_open(self) -> None:
        """Open the pictures and the series of a contradiction."""
        if self.here is not None:
            self._make_pair(self.here)

    @work(thread=True, exclusive=True, group="pair", exit_on_error=False)
    def _make_pair(self, row: "LieRow") -> None:
        steps = (row.step,) if row.step is not None else (5, 10, 20)
        asked = GapsAsked(
            by="setting", metrics=row.metric, all_recipes=True, reference=row.reference, steps=steps
        )
        try:
            gaps = self.analyst.gaps(asked)
        except B100Error as error:
            self.post_message(Failed("evidence", error))
            return
        group = next((name for name, runs in gaps.members.items() if row.run in runs), None)
        if group is not None:
            self.post_message(PairReady(row, gaps, group))

    @on(PairReady)
    def _pair_ready(self, event: PairReady) -> None:
        from b100tui.tui.screens.evidence import EvidenceScreen

        row = event.row
        screen = EvidenceScreen(
            self.analyst,
            event.gaps,
            event.group,
            row.metric,
            row.step if row.step is not None else event.gaps.steps[0],
            run=row.run,
        )
        self.app.push_screen(screen, self.closed)
