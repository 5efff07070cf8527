"""The heatmap's grid of cells: fixed names and tallies, a window of cells, a cursor."""

from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip

from b100tui.model.text import clean_line
from b100tui.tui.heatmap import CELL, Grid, View, cell_words, lens_words, metric_label
from b100tui.tui.widgets.lines import Lines, Span
from b100tui.tui.wrapping import fit, wrap

if TYPE_CHECKING:
    from b100tui.report.gap_table import GapTable

TALLY = 8
LABEL_SHARE = 0.34
HEADER_LINES = 2
WIDEST = 16  # cells of a column


class Shown(Struct, frozen=True):
    """A table as it is looked at; the cursor is a (row, column) of the grid."""

    table: "GapTable"
    view: View
    grid: Grid


class HeatmapGrid(Lines, can_focus=True):
    """Draws a gap table; keys come from the screen, the mouse chooses cells."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "heat--name", "heat--name-here", "heat--dim", "heat--none", "heat--fine", "heat--tally",
        "heat--fail1", "heat--fail2", "heat--fail3", "heat--cursor",
    }  # fmt: skip

    class Moved(Message):
        """The cursor moved."""

    class Opened(Message):
        """The cell under the cursor was chosen with the mouse."""

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"))
        self.shown: Shown | None = None
        self.row = 0
        self.column = 0
        self._top = 0
        self._left = 0
        self._note = ""
        self._labels: dict[str, str] = {}
        self._label_width = 0
        self._cell = CELL
        self._sized = -1

    def show(self, shown: Shown, here: tuple[str, str] | None = None) -> None:
        """Draw a table with the cursor at (group, metric), or at the first cell."""
        place = shown.grid.find(*here) if here is not None else None
        self.shown = shown
        self.row, self.column = place if place is not None else (0, 0)
        self._labels = {group: clean_line(group) for group in shown.table.groups}
        self._labels |= {one.id: metric_label(one) for one in shown.table.metrics}
        self._size_up()
        self.refresh()

    def say(self, note: str) -> None:
        """Show words where there is no table."""
        self._note = note
        self.refresh()

    @property
    def here(self) -> tuple[str, str] | None:
        """The (group, metric) under the cursor; None where there is no cell."""
        shown = self.shown
        if shown is None or not shown.grid.rows or not shown.grid.columns:
            return None
        return shown.grid.place(self.row, self.column)

    def move(self, down: int, right: int) -> None:
        """Move the cursor; it stays inside."""
        shown = self.shown
        if shown is None or not shown.grid.rows or not shown.grid.columns:
            return
        row = max(0, min(len(shown.grid.rows) - 1, self.row + down))
        column = max(0, min(len(shown.grid.columns) - 1, self.column + right))
        if (row, column) != (self.row, self.column):
            self.row, self.column = row, column
            self._follow()
            self.refresh()
            self.post_message(self.Moved())

    # Where things stand

    def _size_up(self) -> None:
        self._sized = self.size.width
        names = self.shown.grid.rows if self.shown is not None else ()
        longest = max((cell_len(self._labels[name]) for name in names), default=0)
        self._label_width = max(8, min(longest, int(self.size.width * LABEL_SHARE))) + 1
        heads = self.shown.grid.columns if self.shown is not None else ()
        longest = max((cell_len(self._labels[name]) for name in heads), default=0)
        # Columns widen to their names where every one of them still fits.
        share = (self.size.width - self._label_width - TALLY) // max(1, len(heads))
        self._cell = max(CELL, min(longest + 1, share, WIDEST))
        self._follow()

    @property
    def _room(self) -> tuple[int, int]:
        """How many rows and columns of cells fit."""
        rows = self.size.height - HEADER_LINES - 1
        columns = (self.size.width - self._label_width - TALLY) // self._cell
        return max(1, rows), max(1, columns)

    def _follow(self) -> None:
        rows, columns = self._room
        self._top = min(max(self._top, self.row - rows + 1), self.row)
        self._left = min(max(self._left, self.column - columns + 1), self.column)
        shown = self.shown
        if shown is not None:
            self._top = max(0, min(self._top, len(shown.grid.rows) - rows))
            self._left = max(0, min(self._left, len(shown.grid.columns) - columns))

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self._size_up()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line: names above, rows of cells, tallies below."""
        width = self.size.width
        shown = self.shown
        if shown is None or not shown.grid.rows or not shown.grid.columns:
            words = self._note or ("" if shown is None else "nothing meets the filter")
            return self.strip([(f" {words}" if y == 0 else "", "heat--dim")], width)
        if self._sized != width:
            self._size_up()
        rows, columns = self._room
        window = range(self._left, min(self._left + columns, len(shown.grid.columns)))
        bottom = HEADER_LINES + min(rows, len(shown.grid.rows) - self._top)
        if y < HEADER_LINES:
            return self.strip(self._header(shown, y, window), width)
        if y < bottom:
            return self.strip(self._cells(shown, self._top + y - HEADER_LINES, window), width)
        if y == bottom:
            return self.strip(self._tallies(shown, window), width)
        return Strip.blank(width, self.rich_style)

    def _header(self, shown: Shown, y: int, window: range) -> list[Span]:
        label = self._label_width
        hidden = len(shown.grid.columns) - window.stop
        corner = lens_words(shown.table, shown.view, brief=True) if y == 0 else ""
        if y == 1 and window.start:
            corner = f"‹ {window.start} more"
        spans: list[Span] = [(fit(corner, label), "heat--tally")]
        for at in window:
            name = self._labels[shown.grid.columns[at]]
            lines = wrap_name(name, self._cell - 1)
            # The shorter of two lines stands below, next to its cells.
            text = lines[y] if len(lines) > 1 else ("" if y == 0 else lines[0])
            style = "heat--name-here" if at == self.column else "heat--name"
            spans.append((fit(text, self._cell - 1) + " ", style))
        words = (f"{hidden} more ›" if hidden > 0 else "") if y == 0 else "fails"
        spans.append((words.rjust(TALLY - 1), "heat--tally"))
        return spans

    def _cells(self, shown: Shown, row: int, window: range) -> list[Span]:
        name = self._labels[shown.grid.rows[row]]
        style = "heat--name-here" if row == self.row else "heat--name"
        spans: list[Span] = [(fit(name, self._label_width - 1) + " ", style)]
        for column in window:
            cell = cell_words(shown.table, shown.view, *shown.grid.place(row, column))
            text = cell.text.ljust(self._cell)
            if (row, column) == (self.row, self.column):
                spans.append((text[:-1] + "◂", "heat--cursor"))
            else:
                spans.append((text, cell.style))
        spans.append((shown.grid.row_tallies[row].words.rjust(TALLY - 1), "heat--tally"))
        return spans

    def _tallies(self, shown: Shown, window: range) -> list[Span]:
        spans: list[Span] = [(fit("fails", self._label_width), "heat--tally")]
        for at in window:
            words = shown.grid.column_tallies[at].words
            spans.append((f"{words:>5}".ljust(self._cell), "heat--tally"))
        spans.append((shown.grid.total.words.rjust(TALLY - 1), "heat--tally"))
        return spans

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; on the cell under it, it opens."""
        shown = self.shown
        if shown is None:
            return
        row = event.y - HEADER_LINES + self._top
        column = (event.x - self._label_width) // self._cell + self._left
        inside = event.y >= HEADER_LINES and event.x >= self._label_width
        if not inside or row >= len(shown.grid.rows) or column >= len(shown.grid.columns):
            return
        if (row, column) == (self.row, self.column):
            self.post_message(self.Opened())
        else:
            self.move(row - self.row, column - self.column)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel goes up."""
        event.stop()
        self.move(-1, 0)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel goes down."""
        event.stop()
        self.move(1, 0)


def wrap_name(name: str, width: int) -> list[str]:
    """Return a name in one line or two of at most `width` cells; what is too long is cut.

    It never goes on in the next line in the middle of a word.
    """
    name = name.strip()
    if cell_len(name) <= width:
        return [name]
    parts = name.replace("/", "/ ").replace("-", "- ")
    word = parts.split(maxsplit=1)[0]
    if cell_len(word) > width:
        lines = [fit(word, width), fit(name[len(word) :].strip(), width)]
        return [line.rstrip() for line in lines if line.strip()]
    lines = wrap(parts, width)
    first = lines[0].replace("/ ", "/").replace("- ", "-")
    return [first, fit(name[len(first) :].strip(), width).rstrip()]
