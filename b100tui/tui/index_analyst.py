"""The real analyst: the report room over an open index. Heavy imports come with the asking."""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from b100tui.tui.analyst import (
    Analyst,
    CellEvidence,
    GapsAsked,
    RunLine,
    band_of,
    place_of,
)
from b100tui.tui.verdict import gap_sentences

if TYPE_CHECKING:
    from b100tui.analysis.notice import Notice
    from b100tui.model.metric import Metric
    from b100tui.report.comparison import GroupComparison, TableComparison
    from b100tui.report.gap_table import GapTable
    from b100tui.report.lies import LieRow
    from b100tui.report.tables import Table

KEPT_TABLES = 12
KEPT_LIES = 512


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
        self._lies: OrderedDict[tuple[str, int, bool, object], list[LieRow]] = OrderedDict()
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
                steps=asked.steps,
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
        """Return what a cell rests on, with the pictures of `run` (default: the plainest).

        A step that the table lacks is judged by the same arithmetic over the group's runs.
        """
        from b100tui.analysis.gaps import RunScores, score_gap

        one = next(found for found in table.metrics if found.id == metric)
        members = table.members.get(group, ())
        lines, raw = self._lines(one, members, table.reference)
        gap = table.cells.get((group, metric, step))
        if gap is None:
            runs = [RunScores(run=run, values=values) for run, values in raw.items()]
            gap = score_gap(one, runs, step, reference=table.reference)
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
            sentences=gap_sentences(one, gap),
            failure=gap.failure,
        )

    def _lines(
        self, metric: "Metric", runs: Sequence[str], reference: int
    ) -> tuple[tuple[RunLine, ...], dict[str, dict[int, float | None]]]:
        """Return what can be drawn of a metric in `runs`, and what was scored, absurd or not."""
        from b100tui.analysis.absurd import believed
        from b100tui.report.chosen import left_out, light_steps, runs_named

        rows = self.index.ask(
            'SELECT run, steps, "values" FROM series'
            " WHERE metric = ? AND run IN (SELECT unnest(?))",
            [metric.id, list(runs)],
        )
        found = {run: dict(zip(at, values, strict=True)) for run, at, values in rows}
        known = light_steps(self.index, list(found))
        lines = []
        raw: dict[str, dict[int, float | None]] = {}
        for run in runs_named(self.index, [run for run in runs if run in found]):
            values = found[run.run]
            out = left_out(run, known[run.run], values, reference)
            raw[run.run] = {step: value for step, value in values.items() if step not in out}
            shown, _ = believed(metric, raw[run.run])
            kept = {
                step: value
                for step, value in shown.items()
                if value is not None and not math.isnan(value)
            }
            lines.append(RunLine(run.run, kept))
        return tuple(lines), raw

    def runs(self, filter: str) -> list[str]:
        """Return the ids of the runs that match a filter expression."""
        return list(self.index.run_ids(filter or None))

    def lies(
        self, run: str, reference: int, *, align: bool, cancelled: Callable[[], bool] | None = None
    ) -> "list[LieRow]":
        """Return what each metric said in a run, held against the probes."""
        from b100tui.report.chosen import runs_named
        from b100tui.report.lies import lies_table

        key = (run, reference, align, self.index.state)
        known = self._lies.get(key)
        if known is not None:
            return known
        found = lies_table(
            self.index,
            runs_named(self.index, [run]),
            reference=reference,
            align=align,
            cancelled=cancelled,
        )
        self._lies[key] = found
        while len(self._lies) > KEPT_LIES:
            self._lies.popitem(last=False)
        return found

    def notices(self, filter: str, reference: int) -> "tuple[Notice, ...]":
        """Return which metric noticed first."""
        from b100tui.report.chosen import runs_of
        from b100tui.report.onsets import onset_table, tolerances_of
        from b100tui.report.tables import notices

        runs = runs_of(self.index, filter or None)
        using = tolerances_of()
        rows = onset_table(self.index, runs, reference=reference, using=using)
        return notices(self.index, runs, rows, reference)

    def agreement(self, filter: str) -> "Table":
        """Return the rank correlation of every pair of metrics."""
        from b100tui.report.chosen import runs_of
        from b100tui.report.tables import agreement_table

        return agreement_table(self.index, runs_of(self.index, filter or None))

    def compare(self, first: str, second: str, reference: int) -> "GroupComparison":
        """Return two groups of runs side by side."""
        from b100tui.report.comparison import compare_groups
        from b100tui.report.onsets import tolerances_of

        return compare_groups(self.index, first, second, reference=reference, using=tolerances_of())

    def compare_saved(self, first: str, second: str) -> "TableComparison":
        """Return what changed between a saved gap table, written @FILE, and another or `now`."""
        from b100tui.model.errors import UsageError
        from b100tui.report.comparison import NOW, SAVED, compare_tables, read_saved, table_now

        before = read_saved(Path(first.removeprefix(SAVED)).expanduser())
        if second.startswith(SAVED):
            after = read_saved(Path(second.removeprefix(SAVED)).expanduser())
        elif second.casefold() == NOW:
            after = table_now(self.index, before).rows()
        else:
            raise UsageError(f"a saved table is compared with {NOW} or another {SAVED}FILE", "")
        return compare_tables(before, after)


def analyst_of(catalogue: object, root: Path) -> Analyst | None:
    """Return the analyst of a catalogue; None where it answers no statements."""
    return IndexAnalyst(catalogue, root) if isinstance(catalogue, Asked) else None
