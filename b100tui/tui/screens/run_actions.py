"""The actions on the run list, the panels, the filter and the search."""

from typing import TYPE_CHECKING

from textual import events, on, work
from textual.widget import Widget

from b100tui.model.errors import B100Error
from b100tui.tui.filtering import has_conditions
from b100tui.tui.messages import Matched, RunsRead
from b100tui.tui.screens.base import ExplorerState
from b100tui.tui.tree import RunTree
from b100tui.tui.widgets.lines import LinesView

if TYPE_CHECKING:
    from b100tui.tui.widgets.filter_bar import FilterBar

FILTER_AFTER = 0.5  # seconds after the runs: the first picture comes first
ORDER = ("runs", "picture-box", "metrics", "reasoning", "facts")


class RunActions(ExplorerState):
    """Move in panels, walk over runs, filter."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self._filter_token = 0
        self._matching = False
        self._to_open = False  # what the filter leaves under the cursor, once it is known
        self._words_kept: tuple[str, RunTree | None, list[int]] = ("", None, [])
        self._panel = "runs"

    # Panels

    def panel(self) -> str:
        """Return the id of the focused panel, or of the last one that was."""
        return _panel_of(self.focused) or self._panel

    def _focus_panel(self, delta: int) -> None:
        self.remove_class("-full")
        at = ORDER.index(self.panel())
        self.show_panel(ORDER[(at + delta) % len(ORDER)])

    def show_panel(self, name: str) -> None:
        """Focus the panel `name`; with one column it is also the one that is shown."""
        self._mark_panel(name)
        self.call_after_refresh(self._focus_on, name)

    def _focus_on(self, name: str) -> None:
        self.query_one("#" + name).focus()

    def _mark_panel(self, name: str) -> None:
        self._panel = name
        self.set_classes([c for c in self.classes if not c.startswith("-at-")])
        self.add_class(f"-at-{name}")

    @on(events.DescendantFocus)
    def _panel_focused(self, event: events.DescendantFocus) -> None:
        name = _panel_of(event.widget)
        if name and name != self._panel:
            self._mark_panel(name)

    def do_panel_next(self) -> None:
        """Focus the next panel."""
        self._focus_panel(1)

    def do_panel_previous(self) -> None:
        """Focus the previous panel."""
        self._focus_panel(-1)

    def _moved_panel(self) -> LinesView:
        return next(self.query("#" + self.panel()).results(LinesView), self.runs)

    def do_run_up(self) -> None:
        """Move up in the focused panel."""
        self._moved_panel().move(-1)

    def do_run_down(self) -> None:
        """Move down in the focused panel."""
        self._moved_panel().move(1)

    def do_run_page_up(self) -> None:
        """Move a page up in the focused panel."""
        panel = self._moved_panel()
        panel.move(-panel.page)

    def do_run_page_down(self) -> None:
        """Move a page down in the focused panel."""
        panel = self._moved_panel()
        panel.move(panel.page)

    # Runs

    def do_run_previous(self) -> None:
        """Go to the previous run at the same step."""
        self._walk(-1)

    def do_run_next(self) -> None:
        """Go to the next run at the same step."""
        self._walk(1)

    def _walk(self, delta: int) -> None:
        row = self.runs.neighbour(delta)
        if row is not None:
            self.runs.go_to_run(row.run)

    def do_run_enter(self) -> None:
        """Go to the typed step; without one open what is under the cursor: a group, a found run."""
        typed = self.position.take_typed()
        if typed is not None:
            self.go_to_step(typed)
            self.show_position()
        elif self.panel() == "runs" and self.runs.wanted is not None:
            self.runs.open_listed()
        elif self.panel() == "runs":
            self.runs.toggle()

    def do_run_all(self) -> None:
        """Open or close all groups."""
        self.runs.toggle_all()

    # Filter

    @on(RunsRead)
    def _filter_soon(self) -> None:
        self.set_timer(FILTER_AFTER, self._filter_bar)

    def _filter_bar(self) -> "FilterBar":
        """Return the filter line; made hidden at a quiet moment, its key only shows it."""
        from b100tui.tui.widgets.filter_bar import FilterBar

        bars = self.query("#filter").results(FilterBar)
        bar = next(bars, None)
        if bar is None:
            bar = FilterBar(self.filter_text, self._filter_typed, id="filter")
            bar.display = False
            self.query_one("#runs-box").mount(bar, before=0)
        return bar

    def do_run_filter(self) -> None:
        """Open the filter line."""
        self.remove_class("-full")
        bar = self._filter_bar()
        bar.display = True
        self.set_focus(bar)  # at once: the letters typed after the key are the filter's

    @property
    def filtering(self) -> bool:
        """Whether a filter is being typed."""
        return self.focused is not None and self.focused.id == "filter"

    def _filter_typed(self, text: str) -> None:
        self.filter_text = text
        self.apply_filter()

    def on_input_submitted(self, event: "FilterBar.Submitted") -> None:
        """The filter stays; the runs take the keys again, and the one under the cursor opens."""
        event.stop()
        if not event.value.strip():
            self.clear_filter()
        self.set_focus(self.runs)
        self._to_open = self._matching
        if not self._matching:
            self.runs.open_listed()

    def apply_filter(self) -> None:
        """Show the runs that meet the filter: words at once, conditions from a worker."""
        self._filter_token += 1
        self._matching = False
        text = self.filter_text.strip()
        if not text:
            self._words_kept = ("", None, [])
            self.runs.keep_only(None)
            self.show_counts()
        elif has_conditions(text):
            self._matching = True
            self._match(self._filter_token, text)
        else:
            self._keep_words(text)
            self.show_counts()

    def _keep_words(self, text: str) -> None:
        tree = self.runs.tree_of_runs
        before, kept_tree, kept = self._words_kept
        among = kept if kept_tree is tree and text.startswith(before) else None
        found = tree.matching(text, among)
        self._words_kept = (text, tree, found)
        self.runs.keep_only(found)

    @work(thread=True, exclusive=True, group="filter", exit_on_error=False)
    def _match(self, token: int, text: str) -> None:
        from b100tui.index.filters import parse

        catalogue = self.catalogue
        if catalogue is None:
            return
        try:
            found = list(catalogue.run_ids(parse(text)))
        except B100Error as error:
            self.post_message(Matched(token, None, error))
        else:
            self.post_message(Matched(token, found))

    @on(Matched)
    def _matched(self, event: Matched) -> None:
        if event.token != self._filter_token:
            return
        self._matching = False
        fault = ""
        if event.error is not None:
            fault = event.error.message
        elif event.runs is not None:
            self.runs.keep_only(self.runs.tree_of_runs.rows_of(event.runs))
            if self._to_open:
                self.runs.open_listed()
        self._to_open = False
        self.show_counts(fault)

    def clear_filter(self) -> bool:
        """Take the filter away; True when there was one."""
        bar = self._filter_bar()
        if not bar.display and not self.filter_text:
            return False
        # Letters move the cursor from run to run and open none; keys in the list do.
        here = self.opened if self.filtering else self.runs.run
        bar.display = False
        bar.value = ""
        if self.filter_text:  # the line was not there yet when the filter was set
            self._filter_typed("")
        if here is not None:
            self.runs.go_to_run(here.run)
        self.runs.focus()
        return True

    def show_counts(self, fault: str = "") -> None:
        """Show how many runs are listed, or why the filter cannot be read."""
        from b100tui.tui.screens.base import titled

        tree, wanted = self.runs.tree_of_runs, self.runs.wanted
        box = self.query_one("#runs-box")
        if fault:
            titled(box, "Runs", fault)
        elif wanted is not None:
            titled(box, "Runs", f"{len(wanted)} of {len(tree.rows)}")
        else:
            titled(box, "Runs")


def _panel_of(node: object) -> str:
    """Return the id of the panel around `node`, empty where there is none."""
    while isinstance(node, Widget):
        if node.id in ORDER:
            return node.id
        if node.id == "filter":
            return "runs"
        node = node.parent
    return ""
