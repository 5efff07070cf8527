"""The Python API: `import b100tui as b100`, then `b100.open(folder)`, for notebooks and scripts.

Everything comes as plain data: frozen structs, tuples and numbers. `to_arrow` turns rows into
an Arrow table. No screen is imported.

    import b100tui as b100

    with b100.open("runs") as data:
        for run in data.runs("editor:pro"):
            print(run.run, run.onset)
        table = b100.to_arrow(data.gaps(by="editor").rows())
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from b100tui.model.errors import B100Error, StoreError

if TYPE_CHECKING:
    import pyarrow as pa

    from b100tui.analysis.firstyes import FirstYes
    from b100tui.analysis.notice import Notice
    from b100tui.index.rows import RunRow, Series, StepView
    from b100tui.model.records import MarkRecord
    from b100tui.report.comparison import GroupComparison
    from b100tui.report.drift import DriftSeries
    from b100tui.report.gap_table import GapTable
    from b100tui.report.gate import GateAnswer
    from b100tui.report.lies import LieRow
    from b100tui.report.onsets import OnsetRow

Names = str | Sequence[str] | None
STEPS = (5, 10, 20)


class Data:
    """The runs of one folder, as indexed. Use it as a context manager, or call close().

    `filter` is an expression as in `b100 runs --filter`; `runs` are ids or unique prefixes.
    Steps are compared with `reference`, 1 by default. All methods may be called from threads.
    """

    def __init__(self, root: Path) -> None:
        from b100tui.index.store import open_index

        self.root = root
        self._index = open_index(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index."""
        self._index.close()

    def runs(self, filter: str | None = None) -> "list[RunRow]":
        """Return the runs in natural order, each with its summary."""
        return self._index.runs(filter)

    def steps(self, run: str) -> "list[StepView]":
        """Return the steps of a run with prompt, texts, raw scores, verdict and marks."""
        return self._index.step_views(self._index.find_run(run).run)

    def series(self, run: str) -> "list[Series]":
        """Return every metric of a run: ascending steps and raw values; gaps are absent."""
        return self._index.series(self._index.find_run(run).run)

    def gaps(
        self,
        filter: str | None = None,
        *,
        steps: Sequence[int] = STEPS,
        reference: int = 1,
        by: Literal["image", "setting", "recipe", "editor", "run"] = "image",
        metrics: str | None = None,
        bounds: dict[str, tuple[float | None, float | None]] | None = None,
        all_recipes: bool = False,
    ) -> "GapTable":
        """Return score gaps (0 to 100 scale, never clipped), failures and their spread.

        Paper, section 4.1. `bounds` closes open ranges, as {"pi": (None, 20.0)}; `.rows()` of
        the result gives one row a cell.
        """
        from b100tui.report.gap_table import gap_table

        return gap_table(
            self._index,
            filter,
            steps=steps,
            reference=reference,
            by=by,
            metrics=metrics,
            bounds=bounds,
            all_recipes=all_recipes,
        )

    def onset(
        self, runs: Names = None, *, filter: str | None = None, reference: int = 1
    ) -> "list[OnsetRow]":
        """Return when each run began to change, with its interval, and when it became bad."""
        from b100tui.report.drift import kept_signals
        from b100tui.report.onsets import onset_table, tolerances_of

        chosen = self._chosen(runs, filter)
        return onset_table(
            self._index,
            chosen,
            reference=reference,
            using=tolerances_of(),
            aligned=kept_signals(self._index, [run.run for run in chosen], reference),
        )

    def drift(self, run: str, *, reference: int = 1) -> "DriftSeries":
        """Return how each step lies against the reference; pictures are read, answers kept."""
        from b100tui.report.drift import drift_series

        steps = self._index.steps(self._index.find_run(run).run)
        return drift_series(self.root, steps, reference=reference)

    def lies(
        self,
        runs: Names = None,
        *,
        filter: str | None = None,
        metrics: str | None = None,
        reference: int = 1,
        align: bool = True,
    ) -> "list[LieRow]":
        """Return, for each metric and run, whether the probes contradict it and by what."""
        from b100tui.report.lies import lies_table

        chosen = self._chosen(runs, filter)
        return lies_table(self._index, chosen, metrics=metrics, reference=reference, align=align)

    def compare(
        self,
        first: str,
        second: str,
        *,
        steps: Sequence[int] = STEPS,
        reference: int = 1,
        metrics: str | None = None,
    ) -> "GroupComparison":
        """Return two groups of runs, each a filter expression, side by side at matched steps."""
        from b100tui.report.comparison import compare_groups

        return compare_groups(
            self._index, first, second, steps=steps, reference=reference, metrics=metrics
        )

    def gate(
        self,
        run: str,
        step: int | None = None,
        *,
        on: Literal["onset", "limit"] = "onset",
        reference: int = 1,
    ) -> "GateAnswer":
        """Return whether a run has broken by `step`; later steps are not read.

        Probes that are missing are measured and kept with the scores of the folder.
        """
        from b100tui.report.chosen import runs_named
        from b100tui.report.gate import OneRun, gate
        from b100tui.report.onsets import tolerances_of

        name = self._index.find_run(run).run
        one = OneRun(runs_named(self._index, [name])[0], tuple(self._index.steps(name)))
        return gate(self.root, one, step=step, on=on, reference=reference, using=tolerances_of())

    def marks(self) -> "list[MarkRecord]":
        """Return every human mark that stands, oldest first."""
        from b100tui.report.marks import all_marks

        return all_marks(self.root)

    def first_yes(
        self, filter: str | None = None, *, sustained: bool = False
    ) -> "dict[tuple[str, str], FirstYes]":
        """Return (setting, judge) -> the first step with a yes; runs that never say it censored.

        A setting is named with its image, as in `b100 gaps --by setting`.
        """
        from b100tui.report.chosen import runs_of
        from b100tui.report.tables import first_yes_by

        return first_yes_by(self._index, runs_of(self._index, filter), sustained=sustained)

    def notice(self, filter: str | None = None, *, reference: int = 1) -> "tuple[Notice, ...]":
        """Return the metrics, first to notice first, against marks, else limit, else onset."""
        from b100tui.report.chosen import runs_of
        from b100tui.report.tables import notices

        runs = runs_of(self._index, filter)
        onsets = self.onset(filter=filter, reference=reference)
        return notices(self._index, runs, onsets, reference)

    def _chosen(self, runs: Names, filter: str | None) -> Any:
        from b100tui.report.chosen import named_runs

        names = [runs] if isinstance(runs, str) else list(runs or ())
        return named_runs(self._index, names, filter)


def open(root: str | os.PathLike[str], *, refresh: bool = True) -> Data:
    """Open a folder of runs; with `refresh` its index is brought up to date first.

    Raises RootError where the folder cannot be read, StoreError where there is no index and
    none was to be made.
    """
    from b100tui.workspace.places import resolve_root

    folder = resolve_root(root)
    if refresh:
        from b100tui.index.build import refresh as bring_up_to_date

        bring_up_to_date(folder)
    return Data(folder)


def to_arrow(rows: Iterable[Any]) -> "pa.Table":
    """Return rows of one kind (structs, as every method gives them) as an Arrow table.

    Nested parts become Arrow structs and lists. Needs pyarrow. Raises B100Error without it.
    """
    import msgspec

    try:
        import pyarrow
    except ImportError as error:
        raise B100Error("pyarrow is not installed", "pip install pyarrow") from error
    return pyarrow.Table.from_pylist([msgspec.to_builtins(row) for row in rows])


__all__ = ["B100Error", "Data", "StoreError", "open", "to_arrow"]
