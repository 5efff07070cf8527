"""The run list: a virtual tree whose cost does not grow with the number of runs."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from b100tui.index.rows import RunRow
from b100tui.model.text import clean_line
from b100tui.tui.drawing import levels, spark
from b100tui.tui.tree import RunTree
from b100tui.tui.widgets.lines import LinesView, Span
from b100tui.tui.wrapping import fit

SPARK_CELLS = 8
FEWEST = 3  # a spark of one or two cells tells nothing and looks like a cursor
NOTHING = (" no run matches;", " Esc clears the filter")


class RunTreeView(LinesView):
    """Image, setting, run; the cursor's run is announced as `Opened`."""

    BORDER_TITLE = "Runs"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "tree--image", "tree--setting", "tree--spark", "tree--onset", "tree--bad", "tree--dim",
        "tree--cursor", "tree--cursor-blurred",
    }  # fmt: skip

    class Opened(Message):
        """The cursor came to a run."""

        def __init__(self, row: RunRow) -> None:
            super().__init__()
            self.row = row

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"), classes=names.get("classes"))
        self.tree_of_runs = RunTree(())
        self.closed: set[tuple[str, ...]] = set()
        self.wanted: Sequence[int] | None = None
        self.lines: list[int] = []
        self.cursor = 0
        self._strips: LRUCache[tuple[int, int, str], Strip] = LRUCache(512)

    # What is shown

    def show(self, tree: RunTree) -> None:
        """Show `tree`; the run under the cursor keeps the cursor.

        Of the runs that were wanted before those that are still there are wanted.
        """
        keep, before = self.run, self.tree_of_runs
        self.tree_of_runs = tree
        self._strips.clear()
        if self.wanted is not None:
            self.wanted = tree.rows_of([before.rows[row].run for row in self.wanted])
        self._lay_out(keep.run if keep else None)

    def keep_only(self, wanted: Sequence[int] | None) -> None:
        """Show the rows `wanted` with their groups; all of them with None."""
        keep = self.run
        if (wanted is None) != (self.wanted is None):
            self._strips.clear()  # groups are open while something is wanted
        self.wanted = wanted
        self._lay_out(keep.run if keep else None)

    def _lay_out(self, keep: str | None) -> None:
        self.lines = self.tree_of_runs.lines(self.closed, self.wanted)
        self.set_line_count(len(self.lines))
        at = self._line_of(keep) if keep else None
        if at is None:
            at = min(self.cursor, max(0, len(self.lines) - 1))
        self.cursor = at
        self.show_cursor()
        self.refresh()

    def _line_of(self, run: str) -> int | None:
        row = self.tree_of_runs.by_run.get(run)
        if row is None:
            return None
        try:
            return self.lines.index(row)
        except ValueError:
            return None

    @property
    def run(self) -> RunRow | None:
        """The run under the cursor, None on a group."""
        if 0 <= self.cursor < len(self.lines) and self.lines[self.cursor] >= 0:
            return self.tree_of_runs.rows[self.lines[self.cursor]]
        return None

    # Moving

    def move(self, delta: int) -> None:
        """Move the cursor by `delta` lines."""
        self.go_to_line(self.cursor + delta)

    def go_to_line(self, line: int) -> None:
        """Put the cursor on `line`, clamped, and announce the run there."""
        line = max(0, min(len(self.lines) - 1, line))
        if line == self.cursor or not self.lines:
            return
        before, self.cursor = self.cursor, line
        self._refresh_line(before)
        self._refresh_line(line)
        self.show_cursor()
        self.announce()

    def go_to_run(self, run: str) -> bool:
        """Open the groups around `run` and put the cursor on it; False when it is not listed."""
        tree = self.tree_of_runs
        row = tree.by_run.get(run)
        if row is None or (self.wanted is not None and row not in self.wanted):
            return False
        keys = {tree.groups[group].key for group in tree.parents[row] if group >= 0}
        if keys & self.closed:
            self.closed -= keys
            self._strips.clear()
            self._lay_out(run)
        else:
            self.go_to_line(self._line_of(run) or 0)
        self.announce()  # the cursor may have stood there without its run being open
        return True

    def open_listed(self) -> None:
        """Announce the run under the cursor; on a group, go to the first run below."""
        below = (at for at in range(self.cursor, len(self.lines)) if self.lines[at] >= 0)
        self.go_to_line(next(below, self.cursor))
        self.announce()

    def neighbour(self, delta: int) -> RunRow | None:
        """Return the run `delta` runs away in the shown order, groups skipped."""
        at, seen = self.cursor, 0
        way = 1 if delta > 0 else -1
        while 0 <= at + way < len(self.lines) and seen < abs(delta):
            at += way
            seen += self.lines[at] >= 0
        row = self.lines[at] if self.lines else -1
        return self.tree_of_runs.rows[row] if row >= 0 and seen == abs(delta) else None

    def toggle(self) -> None:
        """Open or close the group under the cursor; on a run, the group around it."""
        if not self.lines or self.wanted is not None:
            return
        line = self.lines[self.cursor]
        tree = self.tree_of_runs
        if line >= 0:
            top, inner = tree.parents[line]
            line = -1 - (inner if inner >= 0 else top)
        self.closed ^= {tree.groups[-1 - line].key}
        self.lines = tree.lines(self.closed, None)
        self.cursor = self.lines.index(line)
        self._strips.clear()
        self.set_line_count(len(self.lines))
        self.show_cursor()
        self.refresh()

    def toggle_all(self) -> None:
        """Close every group but the cursor's, or open all when some are closed."""
        run = self.run
        if self.closed:
            self.closed = set()
        else:
            self.closed = self.tree_of_runs.closed_but(run.run if run else None)
        self._strips.clear()
        self._lay_out(run.run if run else None)

    def show_cursor(self) -> None:
        """Scroll until the cursor's line is in view."""
        line = Region(0, self.cursor, 1, 1)
        self.scroll_to_region(line, animate=False, force=True, immediate=True)

    def _refresh_line(self, line: int) -> None:
        self.refresh(Region(0, line - self.scroll_offset.y, self.size.width, 1))

    def announce(self) -> None:
        """Tell which run is under the cursor; nothing on a group."""
        row = self.run
        if row is not None:
            self.post_message(self.Opened(row))

    def on_click(self, event: events.Click) -> None:
        """A click on a run opens it, on a group opens or closes it."""
        offset = event.get_content_offset(self)
        line = offset.y + self.scroll_offset.y if offset else -1
        if not 0 <= line < len(self.lines):
            return
        self.go_to_line(line)
        if self.lines[line] < 0:
            self.toggle()

    def on_focus(self) -> None:
        """The cursor's look shows the focus."""
        self._refresh_line(self.cursor)

    def on_blur(self) -> None:
        """The cursor's look shows the focus."""
        self._refresh_line(self.cursor)

    def notify_style_update(self) -> None:
        """Colours changed: draw every line anew."""
        super().notify_style_update()
        self._strips.clear()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        width = self.size.width
        at = y + self.scroll_offset.y
        if not self.lines and self.wanted is not None and at < len(NOTHING):
            return self.strip([(NOTHING[at], "tree--dim")], width)
        if at >= len(self.lines):
            return self.blank(width)
        look = "" if at != self.cursor else ("focus" if self.has_focus else "blur")
        key = (self.lines[at], width, look)
        strip = self._strips.get(key)
        if strip is None:
            line = self.lines[at]
            spans = self._group_spans(line) if line < 0 else self._run_spans(line, width)
            strip = self.strip(spans, width)
            if look:
                name = "tree--cursor" if look == "focus" else "tree--cursor-blurred"
                strip = _painted(strip, self.get_component_rich_style(name, partial=True))
            self._strips[key] = strip
        return strip

    def _group_spans(self, line: int) -> list[Span]:
        group = self.tree_of_runs.groups[-1 - line]
        closed = group.key in self.closed and self.wanted is None
        mark = "▸" if closed else "▾"
        style = "tree--image" if group.depth == 0 else "tree--setting"
        spans = [(f"{'  ' * group.depth}{mark} {group.label}", style)]
        if closed:
            spans.append((f"  {group.stop - group.start}", "tree--dim"))
        return spans

    def _run_spans(self, line: int, width: int) -> list[Span]:
        row = self.tree_of_runs.rows[line]
        indent = "    " if self.tree_of_runs.parents[line][1] >= 0 else "  "
        name = self.tree_of_runs.label(line)
        wanted = cell_len(name)
        for cells, badge in _ornaments(row):
            room = width - len(indent) - len(badge[0]) - (len(cells) + 1 if cells else 0) - 1
            if wanted <= room:
                break
        spans: list[Span] = [(indent, "")]
        spans.append((name if wanted <= room else fit(name, max(4, room)), ""))
        if cells:
            spans.append((" " + cells, "tree--spark"))
        if badge[0]:
            spans.append((" " + badge[0], badge[1]))
        return spans


def _ornaments(row: RunRow) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the spark and the badge of a run, ever less of them where the name needs the room."""
    cells, words = _mini(row.spark), _badge(row)
    short = _badge(row, simulated="SIM")
    bare = _badge(row, simulated="")
    worst = _badge(row, simulated="", most=1)
    yield from ((cells, words), (cells, short), (cells, bare), ("", bare), ("", worst))


def _mini(levels_of_row: tuple[int, ...]) -> str:
    if sum(level >= 0 for level in levels_of_row) < FEWEST:
        return ""
    if len(levels_of_row) <= SPARK_CELLS:
        return spark(levels_of_row)
    values = {at: float(level) for at, level in enumerate(levels_of_row) if level >= 0}
    return spark(levels(values, 0, len(levels_of_row) - 1, SPARK_CELLS))


def _badge(row: RunRow, *, simulated: str = "SIMULATED", most: int = 6) -> tuple[str, str]:
    """Return the `most` telling words of a run and their style; `simulated` names such a one."""
    words: list[str] = []
    style = "tree--dim"
    if row.onset is not None:
        words.append(f"onset {row.onset}")
        style = "tree--onset"
    if "unreadable" in row.badges:
        words.append("unreadable")
        style = "tree--bad"
    if "refused" in row.badges:
        words.append("refused")
    if row.stopped:
        words.append("stopped")
        style = "tree--bad"
    if row.missing:
        words.append(f"{len(row.missing)} missing")
    if row.steps_planned and row.last_step is not None and row.last_step < row.steps_planned:
        words.append(f"{row.last_step}/{row.steps_planned}")
    if row.simulated and simulated:
        words.append(simulated)
    if not words and not row.spark:
        words.append(f"{row.steps} steps")
    return clean_line(" ".join(words[:most])), style


def _painted(strip: Strip, style: Style) -> Strip:
    return Strip(
        [Segment(text, (own or Style()) + style, control) for text, own, control in strip],
        strip.cell_length,
    )
