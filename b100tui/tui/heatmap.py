"""The gap heatmap as data: which rows and columns, and what each cell says. Pure."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from b100tui.model.metric import Metric
from b100tui.model.text import clean_line

if TYPE_CHECKING:
    from b100tui.analysis.gaps import Gap
    from b100tui.report.gap_table import GapTable

Sort = Literal["listed", "failures", "worst", "name"]
Unit = Literal["points", "effect"]
SORTS: tuple[Sort, ...] = ("listed", "failures", "worst", "name")
SORT_WORDS: Mapping[Sort, str] = {
    "listed": "as listed",
    "failures": "most failures first",
    "worst": "largest gap first",
    "name": "by name",
}
UNITS: tuple[Unit, ...] = ("points", "effect")
CELL = 8  # cells of one table cell: five for the number, noise, failure, coverage
ARROWS = {"higher": "↑", "lower": "↓", "unknown": "·"}
LEGEND = "✗ fails: scored better than the reference   ~ within noise   ° not all runs   – no value"
# Where a failure gets a deeper blue: normalised points, and gap over its own spread.
SHADES: Mapping[Unit, tuple[float, float]] = {"points": (1.0, 5.0), "effect": (1.0, 3.0)}


class View(Struct, frozen=True):
    """How a table is looked at. `lens` counts the table's steps; the one after them is the overlay.

    `down` says what stands in the rows; None leaves it to the table: short group names stand
    above the columns, long ones before the rows.
    """

    lens: int = 0
    down: Literal["metrics", "groups"] | None = None
    sort: Sort = "listed"
    unit: Unit = "points"
    words: str = ""


class Tally(Struct, frozen=True):
    """How many of the judged cells of a row or column fail."""

    failing: int
    judged: int

    @property
    def words(self) -> str:
        """`20/36`, or a dash where nothing could be judged."""
        return f"{self.failing}/{self.judged}" if self.judged else "–"


class Grid(Struct, frozen=True):
    """The rows and columns that are shown, in order, with their tallies.

    `down` tells whether metrics or groups stand in the rows; names are ids of the table.
    """

    down: Literal["metrics", "groups"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_tallies: tuple[Tally, ...]
    column_tallies: tuple[Tally, ...]
    total: Tally

    def place(self, row: int, column: int) -> tuple[str, str]:
        """Return (group, metric) of a cell."""
        one, other = self.rows[row], self.columns[column]
        return (other, one) if self.down == "metrics" else (one, other)

    def find(self, group: str, metric: str) -> tuple[int, int] | None:
        """Return (row, column) of a group and metric, None when they are not shown."""
        row, column = (metric, group) if self.down == "metrics" else (group, metric)
        if row in self.rows and column in self.columns:
            return self.rows.index(row), self.columns.index(column)
        return None


class CellWords(Struct, frozen=True):
    """What one cell says, in `CELL` cells, and the component class that colours it."""

    text: str
    style: str


def is_overlay(table: "GapTable", view: View) -> bool:
    """Return whether the overlay count is shown, not the gaps of one step."""
    return view.lens >= len(table.steps)


def step_of(table: "GapTable", view: View) -> int:
    """Return the step in view; under the overlay the last one."""
    return table.steps[min(view.lens, len(table.steps) - 1)]


def lens_words(table: "GapTable", view: View, *, brief: bool = False) -> str:
    """Return the name of the lens: Δ20, or overlay Δ5+10+20 (brief: overlay)."""
    if is_overlay(table, view):
        return "overlay" if brief else "overlay Δ" + "+".join(str(step) for step in table.steps)
    return f"Δ{step_of(table, view)}"


def next_lens(table: "GapTable", view: View, by: int = 1) -> int:
    """Return the lens `by` places on; after the overlay comes the first step again."""
    return (view.lens + by) % (len(table.steps) + 1)


def metric_label(metric: Metric) -> str:
    """Return the name with its direction; δ stands where gaps are in the metric's own units."""
    open_range = metric.low is None or metric.high is None
    return f"{clean_line(metric.name or metric.id)} {ARROWS[metric.direction]}" + "δ" * open_range


def make_grid(table: "GapTable", view: View) -> Grid:
    """Return the rows and columns of `table` that `view` shows, with their tallies."""
    groups, metrics = _narrowed(table, view.words)
    by_group = {group: _tally(table, view, [(group, m) for m in metrics]) for group in groups}
    by_metric = {one: _tally(table, view, [(g, one) for g in groups]) for one in metrics}
    if view.sort != "listed":
        names = {one.id: one.name.lower() for one in table.metrics}
        of_groups = {group: [(group, one) for one in metrics] for group in groups}
        of_metrics = {one: [(group, one) for group in groups] for one in metrics}
        groups = _sorted(table, view, by_group, of_groups)
        metrics = _sorted(table, view, by_metric, of_metrics, names)
    down = view.down or _down(table)
    rows, columns = (metrics, groups) if down == "metrics" else (groups, metrics)
    tallies = (by_metric, by_group) if down == "metrics" else (by_group, by_metric)
    return Grid(
        down=down,
        rows=tuple(rows),
        columns=tuple(columns),
        row_tallies=tuple(tallies[0][name] for name in rows),
        column_tallies=tuple(tallies[1][name] for name in columns),
        total=Tally(
            sum(one.failing for one in by_group.values()),
            sum(one.judged for one in by_group.values()),
        ),
    )


def cell_words(table: "GapTable", view: View, group: str, metric: str) -> CellWords:
    """Return what the cell says: never by colour alone."""
    if is_overlay(table, view):
        return _overlay_words(table, group, metric)
    return gap_words(table.cell(group, metric, step_of(table, view)), view.unit)


def gap_words(gap: "Gap", unit: Unit = "points") -> CellWords:
    """Return one gap: number, ~ within noise, ✗ failure, ° where runs lack a score."""
    value = shown_value(gap, unit)
    if value is None:
        return CellWords(f"{'–':>5}   ", "heat--none")
    noise = "~" if gap.within_noise else " "
    failing = "✗" if gap.failure else " "
    partial = "°" if gap.coverage < 1.0 else " "
    number = short(value) if unit == "effect" or gap.gap is not None else short_raw(value)
    return CellWords(f"{number:>5}{noise}{failing}{partial}", _style(gap, value, unit))


def shown_value(gap: "Gap", unit: Unit) -> float | None:
    """Return the number that stands for a gap: points, else raw units turned; or its effect."""
    if unit == "effect":
        return gap.effect
    for value in (gap.gap, gap.corrected, gap.raw_gap):
        if value is not None:
            return value
    return None


def short(value: float) -> str:
    """Return a signed number in at most five characters; the sign is the unrounded value's."""
    if value == 0:
        return "0.0"
    size = abs(value)
    if size < 99.95:
        return f"{value:+.1f}"
    if size < 9999.5:
        return f"{value:+.0f}"
    return f"{value:+.0e}".replace("e+0", "e").replace("e+", "e")


def short_raw(value: float) -> str:
    """Return a signed number of any unit in at most five characters; small ones keep digits."""
    size = abs(value)
    if size == 0 or size >= 9.95:
        return short(value)
    if size >= 0.995:
        return f"{value:+.2f}"
    if size >= 0.0095:
        return f"{value:+.3f}".replace("0.", ".", 1)
    return f"{value:+.0e}".replace("e-0", "e-") if size >= 1e-9 else f"{value:+.1f}"


def _overlay_words(table: "GapTable", group: str, metric: str) -> CellWords:
    count = table.failures(group, metric)
    if count is None:
        return CellWords(f"{'–':>3}     ", "heat--none")
    known = [table.cell(group, metric, step) for step in table.steps]
    partial = "°" if any(one.coverage < 1.0 for one in known) else " "
    if not count:
        return CellWords(f"{count:>3}    {partial}", "heat--fine")
    depth = 1 + (2 * count) // len(table.steps) if len(table.steps) > 1 else 3
    marks = "✗" * min(count, 3)
    return CellWords(f"{count:>3} {marks:<3}{partial}", f"heat--fail{min(depth, 3)}")


def _style(gap: "Gap", value: float, unit: Unit) -> str:
    if gap.failure is None:
        return "heat--dim"
    if not gap.failure:
        return "heat--dim" if gap.within_noise else "heat--fine"
    if gap.within_noise:
        return "heat--fail1"
    if unit == "points" and gap.gap is None:
        return "heat--fail2"
    low, high = SHADES[unit]
    return "heat--fail" + ("1" if abs(value) < low else "2" if abs(value) < high else "3")


def _narrowed(table: "GapTable", text: str) -> tuple[list[str], list[str]]:
    """Return the groups and metrics that meet the words: each narrows the axis that knows it."""
    named = {one.id: f"{one.id} {one.name}".lower() for one in table.metrics}
    groups, metrics = list(table.groups), list(named)
    for word in text.lower().split():
        of_metric = [one for one in metrics if word in named[one]]
        if of_metric:
            metrics = of_metric
        else:
            groups = [one for one in groups if word in one.lower()]
    return groups, metrics


def _down(table: "GapTable") -> Literal["metrics", "groups"]:
    longest = max((len(group) for group in table.groups), default=0)
    return "metrics" if longest <= 2 * CELL and len(table.groups) <= 40 else "groups"


def _tally(table: "GapTable", view: View, places: Iterable[tuple[str, str]]) -> Tally:
    failing = judged = 0
    steps = table.steps if is_overlay(table, view) else (step_of(table, view),)
    for group, metric in places:
        for step in steps:
            failure = table.cells[group, metric, step].failure
            if failure is not None:
                judged += 1
                failing += failure
    return Tally(failing, judged)


def _sorted(
    table: "GapTable",
    view: View,
    tallies: Mapping[str, Tally],
    places: Mapping[str, list[tuple[str, str]]],
    words: Mapping[str, str] | None = None,
) -> list[str]:
    names = list(places)
    if view.sort == "name":
        return sorted(names, key=lambda name: (words or {}).get(name, name.lower()))
    if view.sort == "failures":
        return sorted(names, key=lambda name: -tallies[name].failing)
    steps = table.steps if is_overlay(table, view) else (step_of(table, view),)

    def worst(name: str) -> float:
        values = [
            value
            for group, metric in places[name]
            for step in steps
            if (value := shown_value(table.cells[group, metric, step], view.unit)) is not None
        ]
        return -max(values, default=float("-inf"))

    return sorted(names, key=worst)
