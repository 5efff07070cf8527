"""What the analysis screens ask: the seam between them and the report room.

Every method but `known_gaps` reads the database and is called from worker threads.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from msgspec import Struct

from b100tui.model.metric import Metric
from b100tui.model.records import Step

if TYPE_CHECKING:
    from b100tui.report.gap_table import GapTable

KEPT_TABLES = 12


class GapsAsked(Struct, frozen=True):
    """Which gap table: see `report.evidence.gap_table`."""

    by: str = "image"
    filter: str = ""
    metrics: str = ""
    all_recipes: bool = False
    reference: int = 1


class RunLine(Struct, frozen=True):
    """One metric over one run, at the steps that may be held against the reference."""

    run: str
    values: Mapping[int, float]


class Band(Struct, frozen=True):
    """Mean and sample sd (ddof 1; None for one run) over runs, a value a step, and n."""

    steps: tuple[int, ...]
    means: tuple[float, ...]
    sds: tuple[float | None, ...]
    counts: tuple[int, ...]


class CellEvidence(Struct, frozen=True, kw_only=True):
    """What a cell of a gap table rests on.

    `lines` holds the runs of the group, `steps` the pictures of the run at `shown`; `sentences`
    are the verdict in words, the first one the plainest.
    """

    group: str
    metric: Metric
    reference: int
    step: int
    lines: tuple[RunLine, ...]
    band: Band
    shown: int
    steps: tuple[Step, ...]
    sentences: tuple[str, ...]


class Analyst(Protocol):
    """Answers of the analysis, for screens."""

    def known_gaps(self, asked: GapsAsked) -> "GapTable | None":
        """Return a table that was made before, however old; never waits."""
        ...

    def gaps(self, asked: GapsAsked) -> "GapTable":
        """Return the gap table of the index as it is now."""
        ...

    def evidence(
        self, table: "GapTable", group: str, metric: str, step: int, run: str = ""
    ) -> CellEvidence:
        """Return what a cell rests on, with the pictures of `run` (default: the plainest)."""
        ...


@runtime_checkable
class Asked(Protocol):
    """An index that answers statements; the part of `Index` that the report room uses."""

    @property
    def state(self) -> tuple[int, int]:
        """Differs when anything changed."""
        ...

    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of one statement."""
        ...


class IndexAnalyst:
    """The real analyst: the report room over an open index."""

    def __init__(self, index: Any, root: Path) -> None:
        self.index = index
        self.root = root
        self._tables: OrderedDict[GapsAsked, tuple[tuple[int, int], GapTable]] = OrderedDict()
        self._lock = threading.Lock()

    def known_gaps(self, asked: GapsAsked) -> "GapTable | None":
        """Return a table that was made before, however old."""
        found = self._tables.get(asked)
        return found[1] if found else None

    def gaps(self, asked: GapsAsked) -> "GapTable":
        """Return the gap table of the index as it is now; made once a state of the index."""
        from b100tui.report.evidence import gap_table

        with self._lock:
            state = self.index.state
            found = self._tables.get(asked)
            if found is not None and found[0] == state:
                return found[1]
            table = gap_table(
                self.index,
                asked.filter or None,
                reference=asked.reference,
                by=asked.by,
                metrics=asked.metrics or None,
                all_recipes=asked.all_recipes,
            )
            self._tables[asked] = (state, table)
            while len(self._tables) > KEPT_TABLES:
                self._tables.popitem(last=False)
            return table

    def evidence(
        self, table: "GapTable", group: str, metric: str, step: int, run: str = ""
    ) -> CellEvidence:
        """Return what a cell rests on, with the pictures of `run` (default: the plainest)."""
        one = next(found for found in table.metrics if found.id == metric)
        members = table.members.get(group, ())
        lines = self._lines(metric, members, table.reference)
        shown = place_of(lines, one, table.reference, step, run)
        pictures = self.index.steps(lines[shown].run) if lines else []
        return CellEvidence(
            group=group,
            metric=one,
            reference=table.reference,
            step=step,
            lines=lines,
            band=band_of(lines),
            shown=shown,
            steps=tuple(pictures),
            sentences=self._sentences(table, group, metric, step),
        )

    def _lines(self, metric: str, runs: Sequence[str], reference: int) -> tuple[RunLine, ...]:
        from b100tui.report.chosen import left_out, light_steps, runs_named

        rows = self.index.ask(
            'SELECT run, steps, "values" FROM series'
            " WHERE metric = ? AND run IN (SELECT unnest(?))",
            [metric, list(runs)],
        )
        found = {run: dict(zip(at, values, strict=True)) for run, at, values in rows}
        known = light_steps(self.index, list(found))
        lines = []
        for run in runs_named(self.index, [run for run in runs if run in found]):
            values = found[run.run]
            out = left_out(run, known[run.run], values, reference)
            kept = {
                step: value
                for step, value in values.items()
                if step not in out and value is not None and math.isfinite(value)
            }
            lines.append(RunLine(run.run, kept))
        return tuple(lines)

    def _sentences(self, table: "GapTable", group: str, metric: str, step: int) -> tuple[str, ...]:
        from b100tui.tui.verdict import gap_sentences

        one = next(found for found in table.metrics if found.id == metric)
        return gap_sentences(one, table.cell(group, metric, step))


def place_of(
    lines: Sequence[RunLine], metric: Metric, reference: int, step: int, run: str = ""
) -> int:
    """Return which line to show: `run`, else the one whose gap is the largest for its metric."""
    sign = -1.0 if metric.direction == "lower" else 1.0

    def gain(at: int) -> float:
        values = lines[at].values
        if reference not in values or step not in values:
            return -math.inf
        return sign * (values[step] - values[reference])

    for at, line in enumerate(lines):
        if run and line.run == run:
            return at
    return max(range(len(lines)), key=gain, default=0)


def band_of(lines: Sequence[RunLine]) -> Band:
    """Return mean and sample sd over the lines at every step that any of them has."""
    steps = sorted({step for line in lines for step in line.values})
    means: list[float] = []
    sds: list[float | None] = []
    counts: list[int] = []
    for step in steps:
        values = [line.values[step] for line in lines if step in line.values]
        mean = math.fsum(values) / len(values)
        means.append(mean)
        counts.append(len(values))
        spread = math.fsum((value - mean) ** 2 for value in values)
        sds.append(math.sqrt(spread / (len(values) - 1)) if len(values) > 1 else None)
    return Band(tuple(steps), tuple(means), tuple(sds), tuple(counts))


def analyst_of(catalogue: object, root: Path) -> Analyst | None:
    """Return the analyst of a catalogue; None where it answers no statements."""
    return IndexAnalyst(catalogue, root) if isinstance(catalogue, Asked) else None
