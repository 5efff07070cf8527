"""Contact sheet and matrix: many pictures at once, one cursor, Enter goes to its step."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.worker import Worker

from b100tui.index.rows import RunRow
from b100tui.model.errors import B100Error
from b100tui.model.records import PictureRef, Step
from b100tui.model.text import clean_line
from b100tui.terminal.frames import Area
from b100tui.terminal.pipeline import Pipeline
from b100tui.terminal.targets import ViewSpec
from b100tui.tui.grid import TILE_COLUMNS, Layout, last_at_or_before, layout, page_of, spread
from b100tui.tui.messages import Failed
from b100tui.tui.screens.broken import tell_broken
from b100tui.tui.screens.overlay import ClosesOnce
from b100tui.tui.widgets.bars import StatusLine
from b100tui.tui.widgets.lines import Span
from b100tui.tui.widgets.picture import PictureView
from b100tui.tui.widgets.picture_row import PictureRow

USUAL_ASPECT = 16 / 9
Place = tuple[str, int]
Tile = tuple[PictureRef | None, Span]


class GridScreen(ClosesOnce["Place | None"]):
    """Rows of tiles on the whole screen; gives back RUN and step, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,c,x", "close", "back", id="grid.close"),
        Binding("enter", "choose", "go to this step", id="grid.choose"),
        Binding("left", "move(-1,0)", "left", id="grid.left"),
        Binding("right", "move(1,0)", "right", id="grid.right"),
        Binding("up", "move(0,-1)", "up", id="grid.up"),
        Binding("down", "move(0,1)", "down", id="grid.down"),
        Binding("pageup", "page(-1)", "page up", id="grid.page-up"),
        Binding("pagedown", "page(1)", "page down", id="grid.page-down"),
        Binding("home", "edge(-1)", "first", id="grid.first"),
        Binding("end", "edge(1)", "last", id="grid.last"),
        Binding("z", "size(1)", "larger", id="grid.larger"),
        Binding("Z", "size(-1)", "smaller", id="grid.smaller"),
    ]
    KEYS = "←→↑↓ move  Enter go there  PgUp PgDn page  z Z tile size  Esc back"

    def __init__(self, pipeline: Pipeline | None, view: ViewSpec, aspect: float) -> None:
        super().__init__()
        self.pipeline = pipeline
        self.view = view
        self.aspect = aspect
        self.tile = 2
        self.plan = Layout(1, 1, 2, 2)

    def compose(self) -> ComposeResult:
        """Lay out title, rows, keys."""
        yield StatusLine(id="grid-title")
        yield Vertical(id="grid")
        yield StatusLine(id="grid-keys")

    def on_mount(self) -> None:
        """Name the keys."""
        self.query_one("#grid-keys", StatusLine).show(left=[(f" {self.KEYS}", "status--dim")])

    def on_resize(self, event: events.Resize) -> None:
        """Lay the tiles out anew."""
        self.call_after_refresh(self.lay_out)

    async def lay_out(self) -> None:
        """Make as many rows as fit, and show the page of the cursor."""
        grid = self.query_one("#grid", Vertical)
        cell = (10, 20)
        if self.pipeline is not None:
            cell = (self.pipeline.facts.cell_width, self.pipeline.facts.cell_height)
        area = Area(grid.size.width, grid.size.height, *cell)
        self.plan = layout(area, TILE_COLUMNS[self.tile], self.aspect, self.most_columns())
        await grid.remove_children()
        count = min(self.plan.rows, self.most_rows())
        await grid.mount(
            *(PictureRow(self.pipeline, self.plan.width, self.plan.height) for _ in range(count))
        )
        self.call_after_refresh(self.show_page)

    @property
    def rows(self) -> Sequence[PictureRow]:
        """The rows on the screen."""
        return list(self.query(PictureRow))

    def show_title(self, words: str, right: str = "") -> None:
        """Name what is shown."""
        self.query_one("#grid-title", StatusLine).show(
            left=[(" b100 ", "status--brand"), (f" {clean_line(words)}", "status--root")],
            right=[(f"{clean_line(right)} ", "status--dim")],
        )

    def action_close(self) -> None:
        """Back without going anywhere."""
        self.dismiss(None)

    def action_choose(self) -> None:
        """Go to the tile of the cursor."""
        self.dismiss(self.place())

    async def action_size(self, by: int) -> None:
        """Larger (+1) or smaller (-1) tiles."""
        size = min(max(self.tile + by, 0), len(TILE_COLUMNS) - 1)
        if size != self.tile:
            self.tile = size
            await self.lay_out()

    @on(PictureRow.Chosen)
    def _clicked(self, event: PictureRow.Chosen) -> None:
        rows = self.rows
        if event.row in rows:
            self.go_to_tile(rows.index(event.row), event.column)
            if event.twice:
                self.action_choose()

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        event.stop()
        words = clean_line(f"{event.doing}: {event.error.message}")
        self.notify(words, severity="warning", timeout=10, markup=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that broke costs its own work: tell it, keep the log, go on."""
        tell_broken(self, event)

    def on_screen_suspend(self) -> None:
        """Something lies over the pictures now."""
        self._cover_changed()

    def on_screen_resume(self) -> None:
        """The pictures may be bare again."""
        self._cover_changed()

    def _cover_changed(self) -> None:
        for picture in self.query(PictureView):
            picture.cover_changed()

    # What a sheet and a matrix do each in their own way

    def most_columns(self) -> int:
        """Return how many columns make sense."""
        return 1 << 30

    def most_rows(self) -> int:
        """Return how many rows make sense."""
        return 1 << 30

    def place(self) -> Place | None:
        """Return run and step under the cursor."""
        raise NotImplementedError

    def show_page(self) -> None:
        """Show the page of the cursor."""
        raise NotImplementedError

    def go_to_tile(self, row: int, column: int) -> None:
        """Put the cursor on a tile of this page."""
        raise NotImplementedError


class SheetScreen(GridScreen):
    """All steps of one run, page by page."""

    def __init__(
        self,
        pipeline: Pipeline | None,
        view: ViewSpec,
        run: str,
        steps: Sequence[Step],
        at: int,
        told: Callable[[Step], str],
    ) -> None:
        """`at` is the place of the cursor in `steps`; `told` gives words about a step."""
        super().__init__(pipeline, view, _aspect(steps))
        self.run = run
        self.steps = steps
        self.at = at
        self.told = told

    def most_rows(self) -> int:
        """As many as the steps fill."""
        return -(-len(self.steps) // self.plan.columns)

    def show_page(self) -> None:
        """Show the page of the cursor."""
        rows, columns = self.rows, self.plan.columns
        start = page_of(self.at, len(rows) * columns)
        for n, row in enumerate(rows):
            first = start + n * columns
            steps = self.steps[first : first + columns]
            inside = first <= self.at < first + len(steps)
            tiles = [self._tile(step) for step in steps]
            row.show(tiles, self.view, self.at - first if inside else None, columns)
        last = min(start + len(rows) * columns, len(self.steps))
        numbers = f"{self.steps[start].step} to {self.steps[last - 1].step}" if self.steps else "-"
        self.show_title(f"contact sheet · {self.run}", f"steps {numbers} of {len(self.steps)}")

    def _tile(self, step: Step) -> Tile:
        told = self.told(step)
        style = "tile--told" if told else "tile--caption"
        ref = step.picture if step.status == "ok" else None
        return ref, (f"{step.step} {told}".rstrip(), style)

    def place(self) -> Place | None:
        """The step under the cursor."""
        return (self.run, self.steps[self.at].step) if self.steps else None

    def go_to_tile(self, row: int, column: int) -> None:
        """Put the cursor on a tile of this page."""
        start = page_of(self.at, len(self.rows) * self.plan.columns)
        self._go(start + row * self.plan.columns + column)

    def action_move(self, right: int, down: int) -> None:
        """Move by tiles."""
        self._go(self.at + right + down * self.plan.columns)

    def action_page(self, by: int) -> None:
        """Move by pages."""
        self._go(self.at + by * len(self.rows) * self.plan.columns)

    def action_edge(self, way: int) -> None:
        """Go to the first or last step."""
        self._go(0 if way < 0 else len(self.steps) - 1)

    def _go(self, at: int) -> None:
        self.at = min(max(at, 0), max(len(self.steps) - 1, 0))
        self.show_page()


class StepsRead(Message, bubble=False):
    """The steps of a run were read."""

    def __init__(self, run: str, steps: Sequence[Step]) -> None:
        super().__init__()
        self.run = run
        self.steps = steps


class MatrixScreen(GridScreen):
    """Runs below each other, steps across: each tile is the last picture up to its step."""

    def __init__(
        self,
        pipeline: Pipeline | None,
        view: ViewSpec,
        listed: Sequence[RunRow],
        read: Callable[[str], Sequence[Step]],
        start: tuple[str, int],
        aspect: float = USUAL_ASPECT,
    ) -> None:
        """`read` returns a run's steps and may be slow; `start` is run and step of the cursor."""
        super().__init__(pipeline, view, aspect)
        self.listed = listed
        self.read = read
        self.at = next((n for n, row in enumerate(listed) if row.run == start[0]), 0)
        self.step = start[1]
        self.known: dict[str, Sequence[Step]] = {}
        self.asked: set[str] = set()
        self.across: tuple[int, ...] = ()

    def most_rows(self) -> int:
        """As many as there are runs."""
        return len(self.listed)

    def most_columns(self) -> int:
        """As many as there are steps."""
        first, last = self._ends()
        return last - first + 1

    def _ends(self) -> tuple[int, int]:
        firsts = [row.first_step for row in self.listed if row.first_step is not None]
        lasts = [row.last_step for row in self.listed if row.last_step is not None]
        return min(firsts, default=0), max(lasts, default=0)

    async def lay_out(self) -> None:
        """Choose the steps across anew."""
        await super().lay_out()
        self.across = spread(*self._ends(), self.plan.columns, self.step)

    def show_page(self) -> None:
        """Show the page of the cursor."""
        rows = self.rows
        start = page_of(self.at, len(rows))
        shown = self.listed[start : start + len(rows)]
        column = self.across.index(self.step) if self.step in self.across else None
        for n, widget in enumerate(rows):
            if n >= len(shown):
                widget.show([], self.view, None, self.plan.columns)
                continue
            run = shown[n].run
            steps = self.known.get(run)
            if steps is None:
                self._want(run)
            tiles = [self._tile(shown[n], steps, number) for number in self.across]
            if tiles:
                ref, (words, style) = tiles[0]
                tiles[0] = (ref, (f"{_short(run)} {words}", style))
            cursor = column if start + n == self.at else None
            widget.show(tiles, self.view, cursor, self.plan.columns)
        name = self.listed[self.at].run if self.listed else ""
        self.show_title(f"matrix · {name}", f"run {self.at + 1} of {len(self.listed)}")

    def _tile(self, row: RunRow, steps: Sequence[Step] | None, number: int) -> Tile:
        if steps is None:
            return None, ("...", "tile--caption")
        step = last_at_or_before(steps, number)
        if step is None:
            return None, (f"none ≤ {number}", "tile--told")
        if step.step != number:
            return step.picture, (f"{number}: last is {step.step}", "tile--told")
        told = " onset" if row.onset == number else ""
        style = "tile--told" if told else "tile--caption"
        return step.picture, (f"{number}{told}", style)

    def _want(self, run: str) -> None:
        if run not in self.asked:
            self.asked.add(run)
            self._read(run)

    @work(thread=True, group="matrix", exit_on_error=False)
    def _read(self, run: str) -> None:
        try:
            steps = self.read(run)
        except B100Error as error:
            steps = ()
            self.post_message(Failed(f"reading {run}", error))
        self.post_message(StepsRead(run, sorted(steps, key=lambda step: step.step)))

    @on(StepsRead)
    def _steps_read(self, event: StepsRead) -> None:
        self.known[event.run] = event.steps
        self.show_page()

    def place(self) -> Place | None:
        """The run and step of the picture under the cursor."""
        if not self.listed:
            return None
        run = self.listed[self.at].run
        step = last_at_or_before(self.known.get(run, ()), self.step)
        return run, self.step if step is None else step.step

    def go_to_tile(self, row: int, column: int) -> None:
        """Put the cursor on a tile of this page."""
        if 0 <= column < len(self.across):
            self.step = self.across[column]
        self._go(page_of(self.at, len(self.rows)) + row)

    def action_move(self, right: int, down: int) -> None:
        """Move by steps across, by runs down."""
        if right and self.across:
            at = self.across.index(self.step) if self.step in self.across else 0
            self.step = self.across[min(max(at + right, 0), len(self.across) - 1)]
        self._go(self.at + down)

    def action_page(self, by: int) -> None:
        """Move by pages of runs."""
        self._go(self.at + by * len(self.rows))

    def action_edge(self, way: int) -> None:
        """Go to the first or last step across."""
        if self.across:
            self.step = self.across[0 if way < 0 else -1]
        self.show_page()

    def _go(self, at: int) -> None:
        self.at = min(max(at, 0), max(len(self.listed) - 1, 0))
        self.show_page()


def _short(run: str) -> str:
    """Return the last part of a run's name that tells it from its neighbours."""
    return "/".join(clean_line(run).split("/")[-2:])[-16:]


def _aspect(steps: Sequence[Step]) -> float:
    for step in steps:
        if step.width and step.height:
            return step.width / step.height
    return USUAL_ASPECT
