"""The metrics at this step against the reference: values, gap, failure mark, sparkline."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip

from b100tui.model.text import clean_line
from b100tui.tui.drawing import BLOCKS, NOISE, cell_of, number
from b100tui.tui.trajectory import Gap, MetricSeries
from b100tui.tui.widgets.lines import LinesView, Span
from b100tui.tui.wrapping import fit

TWO_COLUMNS_FROM = 100
ARROWS = {"higher": "↑", "lower": "↓", "unknown": "·"}


def gap_words(gap: Gap) -> tuple[str, str, str]:
    """Return the gap in nine cells, its mark and its style; never told by colour alone.

    Δ is in normalised points, δ in the metric's own units. ✗: the metric fails (it calls the
    later picture better), ✓: it does not. ≠ says in what the steps differ that nobody may compare.
    """
    if gap.apart:
        return f"≠ {gap.apart}".rjust(9), " ", "metric--dim"
    if gap.value is None:
        return "        –", " ", "metric--dim"
    small = abs(gap.value) < NOISE
    sign = " " if small else ("+" if gap.value > 0 else "-")
    text = ("Δ" if gap.normal else "δ") + f"{sign}{number(abs(gap.value))}".rjust(8)
    if gap.failure is None or gap.value == 0:
        return text, " ", "metric--dim"
    return (text, "✗", "metric--failure") if gap.failure else (text, "✓", "metric--fine")


class MetricPanel(LinesView):
    """One row a metric, in one or two columns; the worst liars stand first."""

    BORDER_TITLE = "Metrics"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "metric--name", "metric--value", "metric--dim", "metric--failure", "metric--fine",
        "metric--spark", "metric--bar", "metric--reference",
    }  # fmt: skip

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"), classes=names.get("classes"))
        self._series: Sequence[MetricSeries] = ()
        self._step = 0
        self._reference = 1
        self._note = ""

    def show(
        self, series: Sequence[MetricSeries], step: int, reference: int, note: str = ""
    ) -> None:
        """Show `series` at `step` against `reference`; `note` stands where there are none."""
        if series is not self._series:
            self._series = series
            self._size_up()
        self._step, self._reference, self._note = step, reference, note
        self.refresh()

    @property
    def columns(self) -> int:
        """How many metrics stand side by side."""
        return 2 if self.size.width >= TWO_COLUMNS_FROM else 1

    def _size_up(self) -> None:
        columns = self.columns
        rows = (len(self._series) + columns - 1) // columns
        self.set_line_count(rows)

    def on_resize(self) -> None:
        """The number of columns follows the width."""
        self._size_up()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        columns = self.columns
        if not self._series:
            text = self._note if y == 0 else ""
            return self.strip([(f" {text}", "metric--dim")], width)
        rows = (len(self._series) + columns - 1) // columns
        if at >= rows:
            return self.blank(width)
        cells = (width - 2 * (columns - 1)) // columns
        segments: list[Segment] = []
        for column in range(columns):
            index = at + column * rows  # down the first column, then the second
            if index < len(self._series):
                segments += self._row(self._series[index], cells)
            segments.append(Segment("  ", self.style_of("")))
        return Strip(segments).adjust_cell_length(width, self.style_of(""))

    def _row(self, series: MetricSeries, width: int) -> list[Segment]:
        before = series.values.get(self._reference)
        after = series.values.get(self._step)
        gap, mark, style = gap_words(series.gap(self._reference, self._step))
        name = clean_line(series.metric.name or series.metric.id)
        long = 18 if width >= 74 else (14 if width >= 52 else 10)
        spans: list[Span] = [
            (" " + fit(name, long - 1) + " ", "metric--name"),
            (ARROWS[series.metric.direction] + " ", "metric--dim"),
            ((number(before) if before is not None else "–").rjust(7), "metric--value"),
            (" → ", "metric--dim"),
            ((number(after) if after is not None else "–").ljust(7), "metric--value"),
            (f" {gap} {mark} ", style),
        ]
        used = 1 + long + 2 + 7 + 3 + 7 + 13
        segments = [Segment(text, self.style_of(name)) for text, name in spans]
        segments += self._spark(series, width - used)
        return segments

    def _spark(self, series: MetricSeries, width: int) -> list[Segment]:
        if width < 4:
            return []
        wide = max(1, width // (series.last - series.first + 1))  # cells a step
        cells = series.spark(width // wide)
        here = cell_of(self._step, series.first, series.last, width // wide) * wide
        there = cell_of(self._reference, series.first, series.last, width // wide) * wide
        text = "".join((BLOCKS[cell] if cell >= 0 else " ") * wide for cell in cells)
        if not text:
            return [Segment(" " * width, self.style_of(""))]
        segments = []
        at = 0
        plain = self.style_of("metric--spark")
        for place, style in sorted({there: "metric--reference", here: "metric--bar"}.items()):
            segments.append(Segment(text[at:place], plain))
            segments.append(Segment(text[place : place + wide], self.style_of(style)))
            at = place + wide
        segments.append(Segment(text[at:], plain))
        segments.append(Segment(" " * (width - len(text)), self.style_of("")))
        return segments
