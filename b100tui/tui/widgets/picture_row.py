"""A row of tiles: one picture across, one line of captions below with the cursor in it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip

from b100tui.model.records import PictureRef
from b100tui.terminal.pipeline import Pipeline
from b100tui.terminal.targets import Target, ViewSpec
from b100tui.tui.widgets.lines import Lines, Span
from b100tui.tui.widgets.picture import PictureView


class Captions(Lines):
    """One caption under each tile."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tile--caption", "tile--told", "tile--cursor"}

    def __init__(self) -> None:
        super().__init__()
        self._captions: tuple[Span, ...] = ()
        self._width = 1
        self._cursor: int | None = None

    def show(self, captions: Sequence[Span], width: int, cursor: int | None) -> None:
        """Show `captions`, each in `width` cells, the one of the cursor marked."""
        new = (tuple(captions), width, cursor)
        if new != (self._captions, self._width, self._cursor):
            self._captions, self._width, self._cursor = new
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        spans: list[Span] = []
        for n, (text, style) in enumerate(self._captions):
            room = self._width - 1
            words = text if cell_len(text) <= room else text[: max(room - 1, 0)] + "…"
            words = words.center(room)
            spans += [(words, "tile--cursor" if n == self._cursor else style), (" ", "")]
        return self.strip(spans, self.size.width)


class PictureRow(Vertical):
    """Tiles of equal width; each picture is fitted into its tile."""

    class Chosen(Message):
        """Tile `column` was clicked; `twice` with a double click."""

        def __init__(self, row: "PictureRow", column: int, *, twice: bool) -> None:
            super().__init__()
            self.row = row
            self.column = column
            self.twice = twice

    def __init__(self, pipeline: Pipeline | None, width: int, height: int) -> None:
        super().__init__()
        self._pipeline = pipeline
        self._width = width
        self._early: Callable[[], None] | None = None
        self.styles.height = height + 1

    def compose(self) -> ComposeResult:
        """Lay out picture and captions."""
        yield PictureView(self._pipeline)
        yield Captions()

    def on_mount(self) -> None:
        """Show what was asked for before picture and captions were there."""
        if self._early is not None:
            self._early()

    def show(
        self,
        tiles: Sequence[tuple[PictureRef | None, Span]],
        view: ViewSpec,
        cursor: int | None,
        columns: int,
    ) -> None:
        """Show pictures with their captions; fewer than `columns` leave the rest empty."""
        refs = [ref for ref, _ in tiles] + [None] * (columns - len(tiles))
        first = next((ref for ref in refs if ref is not None), None)
        if not self.query(PictureView) or not self.query(Captions):
            # Not there yet; or going: a resize behind an overlay lays the rows out anew meanwhile.
            self._early = partial(self.show, tiles, view, cursor, columns)
            return
        picture = self.query_one(PictureView)
        picture.styles.width = self._width * columns
        reason = "no pictures" if tiles else " "
        picture.show(Target(first, "", reason, view, tuple(refs)))
        self.query_one(Captions).show([caption for _, caption in tiles], self._width, cursor)

    def on_click(self, event: events.Click) -> None:
        """Tell which tile was clicked."""
        column = (event.screen_x - self.region.x) // max(self._width, 1)
        self.post_message(self.Chosen(self, column, twice=event.chain == 2))
