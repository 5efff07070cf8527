"""Two groups of runs side by side: remedies, editors, settings, at matched steps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.analysis_keys import GROUPS
from b100tui.tui.analyst import Analyst
from b100tui.tui.drawing import plural
from b100tui.tui.groups import group_lines, saved_lines, saved_words
from b100tui.tui.lies import Line
from b100tui.tui.messages import Failed
from b100tui.tui.screens.analysis import LinesScreen, bindings_of
from b100tui.tui.widgets.bars import KeyLine, StatusLine
from b100tui.tui.widgets.choice_lines import ChoiceLines
from b100tui.tui.widgets.lines import TextPanel

if TYPE_CHECKING:
    from b100tui.report.comparison import GroupComparison, TableComparison

FIELDS = ("groups-first", "groups-second", "groups-table")
HOW = (
    "Write a filter in each field, for example editor:pro and editor:fast, or setting:denoise"
    " and -setting:denoise; Enter compares. ✗ fails (a positive gap), ≠ the groups differ beyond"
    " their spread, ≈ they do not. A table saved by b100 gaps --json is written @FILE; the other"
    " field is then now, or another @FILE."
)


class GroupsPlace(Struct):
    """The two expressions: the screen opens with them again."""

    first: str = ""
    second: str = ""


class Compared(Message):
    """The answer to a comparison of two groups."""

    def __init__(self, token: int, found: "GroupComparison") -> None:
        super().__init__()
        self.token = token
        self.found = found


class TablesCompared(Message):
    """The answer to a comparison of two gap tables."""

    def __init__(self, token: int, found: "TableComparison") -> None:
        super().__init__()
        self.token = token
        self.found = found


class GroupsScreen(LinesScreen):
    """Shows; it has no place to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(GROUPS)
    table = GROUPS
    about = "groups"

    def __init__(self, analyst: Analyst, reference: int, place: GroupsPlace) -> None:
        super().__init__(analyst)
        self.reference = reference
        self.place = place
        self._computing = False
        self._told = ""

    def compose(self) -> ComposeResult:
        """Two fields above the lines."""
        yield StatusLine(id="groups-status")
        for name, text, hint in (
            ("groups-first", self.place.first, "first group: a filter, as editor:pro"),
            ("groups-second", self.place.second, "second group: a filter, as editor:fast"),
        ):
            yield Input(text, placeholder=hint, compact=True, select_on_focus=False, id=name)
        yield ChoiceLines(id="groups-table")
        yield TextPanel("Notes", id="groups-words")
        yield KeyLine(self.keys, id="groups-keys")

    def on_mount(self) -> None:
        """Compare at once when there is something to compare."""
        self.words.show([((HOW, "text--dim"),)])
        if self.place.first and self.place.second:
            self.lines.focus()
            self.call_after_refresh(self._begin)
        else:
            self.query_one("#groups-first", Input).focus()
        self.show_status()

    @property
    def lines(self) -> ChoiceLines:
        """The lines."""
        return self.query_one("#groups-table", ChoiceLines)

    @property
    def words(self) -> TextPanel:
        """The notes."""
        return self.query_one("#groups-words", TextPanel)

    def show_status(self) -> None:
        """Say what is compared."""
        right = [("comparing ... ", "status--warn")] if self._computing else []
        self.query_one("#groups-status", StatusLine).show(
            left=[
                (" b100 ", "status--brand"),
                (" two groups of runs ", "status--root"),
                (self._told, "status--dim"),
            ],
            right=[*right, (f" ref {self.reference} ", "status--root")],
        )

    # Comparing

    def _begin(self) -> None:
        first = self.query_one("#groups-first", Input).value.strip()
        second = self.query_one("#groups-second", Input).value.strip()
        if not first or not second:
            return
        self.place.first, self.place.second = first, second
        self.token += 1
        self._computing = True
        self.show_status()
        self._read(self.token, first, second)

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def _read(self, token: int, first: str, second: str) -> None:
        try:
            if first.startswith("@"):
                tables = self.analyst.compare_saved(first, second)
                self.post_message(TablesCompared(token, tables))
            else:
                groups = self.analyst.compare(first, second, self.reference)
                self.post_message(Compared(token, groups))
        except B100Error as error:
            self.post_message(Failed("comparing", error))

    @on(TablesCompared)
    def _tables_compared(self, event: TablesCompared) -> None:
        if event.token == self.token:
            head, lines = saved_lines(event.found)
            self._show(head, lines, saved_words(event.found), event.found.notes)

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        if event.token != self.token:
            return
        found = event.found
        head, lines = group_lines(found)
        runs = f"{plural(found.first.runs, 'run')} and {plural(found.second.runs, 'run')}"
        clear = sum(bool(one.clear) for one in found.differences)
        judged = sum(one.clear is not None for one in found.differences)
        told = f"{runs} · {clear} of {judged} gaps differ"
        self._show(head, lines, told, found.notes)

    def _show(
        self, head: Sequence[Line], lines: Sequence[Line], told: str, notes: Sequence[str]
    ) -> None:
        self._computing = False
        self._told = f" {told}"
        self.lines.show(head, lines, choosing=False)
        blocks = [((clean_line(note), "text--dim"),) for note in notes]
        self.words.show(blocks or [((HOW, "text--dim"),)])
        self.show_status()

    def failed(self, reason: str) -> None:
        """Say why there is no answer."""
        self._computing = False
        self._told = ""
        self.lines.show([], [[(f" {clean_line(reason)}", "choice--bad")]], choosing=False)
        self.show_status()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        other = "groups-second" if event.input.id == "groups-first" else "groups-first"
        if self.query_one(f"#{other}", Input).value.strip():
            self.lines.focus()
            self._begin()
        else:
            self.query_one(f"#{other}", Input).focus()

    # Keys

    def do_field(self) -> None:
        """The next field, then the lines."""
        here = self.focused.id if self.focused is not None else None
        at = FIELDS.index(here) if here in FIELDS else -1
        self.query_one("#" + FIELDS[(at + 1) % len(FIELDS)]).focus()

    def do_run(self) -> None:
        """Compare."""
        self._begin()

    def do_swap(self) -> None:
        """Change sides."""
        one, other = self.query_one("#groups-first", Input), self.query_one("#groups-second", Input)
        one.value, other.value = other.value, one.value
        self._begin()
