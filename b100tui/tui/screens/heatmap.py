"""The gap heatmap: groups x metrics at Δ5, Δ10, Δ20, or how many of them fail."""

from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.analysis_keys import HEATMAP
from b100tui.tui.analyst import Analyst, GapsAsked
from b100tui.tui.filtering import has_conditions
from b100tui.tui.heatmap import SORT_WORDS, SORTS, UNITS, View, make_grid, next_lens, step_of
from b100tui.tui.heatmap_words import cell_blocks, state_spans, title_spans
from b100tui.tui.messages import Failed
from b100tui.tui.screens.analysis import TEN, AnalysisScreen, Place, bindings_of
from b100tui.tui.widgets.bars import KeyLine, StatusLine
from b100tui.tui.widgets.filter_bar import FilterBar
from b100tui.tui.widgets.heatmap_grid import HEADER_LINES, HeatmapGrid, Shown
from b100tui.tui.widgets.lines import Span, TextPanel

if TYPE_CHECKING:
    from b100tui.report.gap_table import GapTable

KINDS = ("image", "setting", "recipe", "editor", "run")
METRICS = ("", "paper", "all")
METRIC_WORDS = {"": "with a direction", "paper": "the paper's", "all": "all"}
MOST_WORDS = 9  # lines of the words about a cell
LOOK_AGAIN = 3.0


class HeatmapPlace(Struct):
    """Where the person was in the heatmap: it opens there again."""

    asked: GapsAsked = GapsAsked()
    view: View = View()
    here: tuple[str, str] | None = None


class GapsRead(Message):
    """A gap table was made; `token` is that of the request."""

    def __init__(self, token: int, table: "GapTable") -> None:
        super().__init__()
        self.token = token
        self.gaps = table


class HeatmapScreen(AnalysisScreen):
    """Gives back the place (run, step) to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(HEATMAP)
    table = HEATMAP
    about = "heatmap"

    def __init__(self, analyst: Analyst, place: HeatmapPlace) -> None:
        super().__init__(analyst)
        self.place = place
        self.gaps: GapTable | None = None
        self._computing = False
        self._trouble = ""

    def compose(self) -> ComposeResult:
        """The grid between what it shows and what its cell means."""
        yield StatusLine(id="heat-status")
        yield HeatmapGrid(id="heat-grid")
        yield TextPanel("Cell", id="heat-cell")
        yield KeyLine(self.keys, id="heat-keys")

    def on_mount(self) -> None:
        """Show at once what is known; the present table comes from a worker."""
        self.grid.focus()
        known = self.analyst.known_gaps(self.place.asked)
        if known is not None:
            self.take(known)
        self._ask()
        self.set_interval(LOOK_AGAIN, self.look_again)

    @property
    def grid(self) -> HeatmapGrid:
        """The cells."""
        return self.query_one(HeatmapGrid)

    # The table

    def _ask(self) -> None:
        self.token += 1
        self._computing = True
        self.show_words()
        # The paint goes first: a worker that imports numpy would hold the interpreter.
        self.call_after_refresh(self._read, self.token, self.place.asked)

    def look_again(self) -> None:
        """Take in scores that came since; an index without news gives the same table at once."""
        if not self._computing and self.gaps is not None:
            self._read(self.token, self.place.asked)

    @work(thread=True, exclusive=True, group="gaps", exit_on_error=False)
    def _read(self, token: int, asked: GapsAsked) -> None:
        try:
            table = self.analyst.gaps(asked)
        except B100Error as error:
            self.post_message(Failed("gaps", error))
        else:
            self.post_message(GapsRead(token, table))

    @on(GapsRead)
    def _gaps_read(self, event: GapsRead) -> None:
        if event.token == self.token:
            self._computing = False
            if event.gaps is not self.gaps:
                self.take(event.gaps)
            self.show_words()

    def failed(self, reason: str) -> None:
        """Say in the grid's place why there is no table."""
        self._computing = False
        self._trouble = reason
        if self.gaps is None:
            self.grid.say(reason)
        self.show_words()

    def take(self, table: "GapTable") -> None:
        """Show a table."""
        self.gaps = table
        self._show()

    def change(self, view: View) -> None:
        """Look at the table in another way; the cursor stays on its cell."""
        self.place.view = view
        self._show()

    def _show(self) -> None:
        table = self.gaps
        if table is None:
            return
        view = self.place.view
        here = self.grid.here or self.place.here
        self.grid.show(Shown(table, view, make_grid(table, view)), here)
        self._share_room()
        if not table.groups or not table.metrics:
            self.grid.say(clean_line("; ".join(table.notes)) or "there is nothing to compare")
        self.show_words()

    def _share_room(self) -> None:
        """Let the words about a cell have the lines that the rows do not need."""
        shown = self.grid.shown
        if shown is None:
            return
        least = 4 if self.has_class("-low") else 7
        spare = self.size.height - 2 - HEADER_LINES - 1 - len(shown.grid.rows)
        height = max(least, min(MOST_WORDS, spare))
        panel = self.query_one("#heat-cell", TextPanel)
        if panel.styles.height is None or panel.styles.height.value != height:
            panel.styles.height = height

    def on_resize(self) -> None:
        """The room is another."""
        self._share_room()

    # Words

    def show_words(self) -> None:
        """Say what is shown, and what the cell under the cursor means."""
        table, asked, view = self.gaps, self.place.asked, self.place.view
        name = clean_line(self.explorer.root.name)
        title: list[Span] = [(f" {name}/ gaps ", "status--root")]
        if table is not None and self.grid.shown is not None:
            title = title_spans(table, asked, view, self.grid.shown.grid)
        self.query_one("#heat-status", StatusLine).show(
            left=[(" b100 ", "status--brand"), *title],
            right=state_spans(asked, view, computing=self._computing),
        )
        panel = self.query_one("#heat-cell", TextPanel)
        if table is None and self._trouble:
            panel.show([((self._trouble, "text--bad"),)])
        else:
            panel.show(cell_blocks(table, view, self.grid.here))
        panel.border_subtitle = "✗ fails  ~ noise  ° partial"

    @on(HeatmapGrid.Moved)
    def _moved(self) -> None:
        self.place.here = self.grid.here
        self.show_words()

    # Keys

    def do_left(self) -> None:
        """One column left."""
        self.grid.move(0, -1)

    def do_right(self) -> None:
        """One column right."""
        self.grid.move(0, 1)

    def do_up(self) -> None:
        """One row up."""
        self.grid.move(-1, 0)

    def do_down(self) -> None:
        """One row down."""
        self.grid.move(1, 0)

    def do_page_up(self) -> None:
        """Ten rows up."""
        self.grid.move(-TEN, 0)

    def do_page_down(self) -> None:
        """Ten rows down."""
        self.grid.move(TEN, 0)

    def do_first(self) -> None:
        """The first column."""
        self.grid.move(0, -1_000_000)

    def do_last(self) -> None:
        """The last column."""
        self.grid.move(0, 1_000_000)

    def do_lens(self) -> None:
        """The next lens."""
        self._turn_lens(1)

    def do_lens_back(self) -> None:
        """The lens before."""
        self._turn_lens(-1)

    def _turn_lens(self, by: int) -> None:
        if self.gaps is not None:
            view = self.place.view
            self.change(replace(view, lens=next_lens(self.gaps, view, by)))

    def do_sort(self) -> None:
        """The next order of rows and columns."""
        view = self.place.view
        order = SORTS[(SORTS.index(view.sort) + 1) % len(SORTS)]
        self.change(replace(view, sort=order))
        self.say(f"order: {SORT_WORDS[order]}")

    def do_turn(self) -> None:
        """Rows become columns."""
        if self.grid.shown is not None:
            down = self.grid.shown.grid.down
            view = self.place.view
            self.change(replace(view, down="groups" if down == "metrics" else "metrics"))

    def do_unit(self) -> None:
        """Points, or gap over its spread."""
        view = self.place.view
        unit = UNITS[(UNITS.index(view.unit) + 1) % len(UNITS)]
        self.change(replace(view, unit=unit))

    def do_by(self) -> None:
        """Group the runs in another way."""
        asked = self.place.asked
        kind = KINDS[(KINDS.index(asked.by) + 1) % len(KINDS)]
        self.place.view = replace(self.place.view, down=None)
        self._ask_other(replace(asked, by=kind))
        self.say(f"grouped by {kind}")

    def do_metrics(self) -> None:
        """Other metrics."""
        asked = self.place.asked
        chosen = METRICS[(METRICS.index(asked.metrics) + 1) % len(METRICS)]
        self._ask_other(replace(asked, metrics=chosen))
        self.say(f"metrics: {METRIC_WORDS[chosen]}")

    def do_recipes(self) -> None:
        """Every recipe, or those that replicate."""
        asked = self.place.asked
        self._ask_other(replace(asked, all_recipes=not asked.all_recipes))

    def _ask_other(self, asked: GapsAsked) -> None:
        if asked == self.place.asked:
            return
        self.place.asked = asked
        known = self.analyst.known_gaps(asked)
        if known is not None:
            self.take(known)
        self._ask()

    # Filter

    def do_filter(self) -> None:
        """Open the filter line."""
        bars = self.query(FilterBar)
        if bars:
            self.set_focus(bars.first(FilterBar))
            return
        text = self.place.asked.filter or self.place.view.words
        bar = FilterBar(value=text, id="heat-filter")
        self.mount(bar, after=self.query_one("#heat-status"))
        self.set_focus(bar)  # at once: the letters typed after the key are the filter's

    @on(FilterBar.Changed)
    def _filter_typed(self, event: FilterBar.Changed) -> None:
        event.stop()
        if not has_conditions(event.value):
            self.change(replace(self.place.view, words=event.value.strip()))
            self._ask_other(replace(self.place.asked, filter=""))

    @on(FilterBar.Submitted)
    def _filter_done(self, event: FilterBar.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if has_conditions(text):
            self.place.view = replace(self.place.view, words="")
            self._ask_other(replace(self.place.asked, filter=text))
        if not text:
            self.query(FilterBar).remove()
        self.grid.focus()

    def do_back(self) -> None:
        """Take the filter away, or close."""
        bars = self.query(FilterBar)
        if bars or self.place.view.words or self.place.asked.filter:
            bars.remove()
            self.grid.focus()
            self.change(replace(self.place.view, words=""))
            self._ask_other(replace(self.place.asked, filter=""))
        else:
            self.dismiss(None)

    # Onward

    @on(HeatmapGrid.Opened)
    def _cell_clicked(self) -> None:
        self.do_open()

    def do_open(self) -> None:
        """Open the evidence of the cell."""
        table, here = self.gaps, self.grid.here
        if table is None or here is None:
            return
        from b100tui.tui.screens.evidence import EvidenceScreen

        self.place.here = here
        step = step_of(table, self.place.view)
        self.app.push_screen(EvidenceScreen(self.analyst, table, *here, step), self.closed)

    def do_lies(self) -> None:
        """Open the metrics that contradict the evidence."""
        self.explorer.main.do_act_lies()

    def do_groups(self) -> None:
        """Open the comparison of two groups."""
        self.explorer.main.do_act_groups()

    def closed(self, place: Place | None) -> None:
        """Take what a screen above gave back."""
        super().closed(place)
        self.grid.focus()
