"""The chart of one metric over a group of runs: mean ± sd, reference and step marked."""

from typing import ClassVar

from textual import events
from textual.message import Message
from textual.strip import Strip

from b100tui.tui.analyst import Band, RunLine
from b100tui.tui.chart import LABEL, Row, chart
from b100tui.tui.widgets.lines import Lines

REFERENCE, HERE = "◇", "●"


class SeriesChart(Lines):
    """Draws a band; a click asks for a step."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "chart--dim", "chart--mean", "chart--band", "chart--run", "chart--mark",
    }  # fmt: skip

    class Moved(Message):
        """The mouse asks for a step."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"))
        self._band: Band | None = None
        self._line: RunLine | None = None
        self._marks: dict[int, str] = {}
        self._drawn: tuple[tuple[int, int], list[Row]] | None = None

    def show(self, band: Band, line: RunLine | None, reference: int, step: int) -> None:
        """Draw `band`, the values of one run, and the two steps."""
        self._band, self._line = band, line
        self._marks = {reference: REFERENCE, step: HERE}
        self._drawn = None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        size = (self.size.width, self.size.height)
        if self._band is None:
            return Strip.blank(size[0], self.rich_style)
        if self._drawn is None or self._drawn[0] != size:
            run = self._line.values if self._line is not None else None
            self._drawn = size, chart(self._band, *size, self._marks, run)
        rows = self._drawn[1]
        return self.strip(rows[y] if y < len(rows) else [], size[0])

    def on_click(self, event: events.Click) -> None:
        """Ask for the step under the mouse."""
        band, columns = self._band, self.size.width - LABEL
        if band is None or not band.steps or columns < 2:
            return
        share = min(1.0, max(0.0, (event.x - LABEL) / (columns - 1)))
        first, last = band.steps[0], band.steps[-1]
        self.post_message(self.Moved(first + round(share * (last - first))))
