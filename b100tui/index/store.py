"""Opens the index of a ROOT for reading: the newest generation and what came after it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from b100tui.index import generation as files
from b100tui.index.filters import Filter, parse
from b100tui.index.rows import IndexReport, RunRow, SearchResult, Series, StepView
from b100tui.index.search import TextIndex, search
from b100tui.index.steps import step_view, steps_of
from b100tui.index.tail import Tail
from b100tui.model.errors import StoreError, UnknownRunError
from b100tui.model.records import MarkRecord, Step, VerdictRecord
from b100tui.workspace.places import cache_dir

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Similarity is asked of the database: Python's own takes over a second for 28,000 names.
_NEAR = """
    SELECT run FROM (
        SELECT run, sort_key, contains(lower(run), lower(?)) AS inside,
               jaro_winkler_similarity(lower(run), lower(?)) AS alike
        FROM run_summary
    ) WHERE inside OR alike >= 0.7 ORDER BY inside DESC, alike DESC, sort_key LIMIT 3
"""
_ROWS = msgspec.json.Decoder(list[RunRow])


def open_index(root: Path, *, follow: bool = False) -> Index:
    """Open the newest generation of `root`; with `follow`, poll() also builds new ones behind.

    Raises StoreError when there is none (refresh first), and when it cannot be opened: it is
    then moved aside, and a refresh builds it anew.
    """
    return Index(root, follow=follow)


class Index:
    """Read access to one ROOT. Every method may be called from any thread.

    Each call works on a cursor of its own; a generation that is replaced meanwhile serves the
    calls that began on it.
    """

    def __init__(self, root: Path, *, follow: bool = False) -> None:
        self.root = root
        self.cache = cache_dir(root)
        self._swap = threading.Lock()
        self._polling = threading.Lock()
        self._tail = self._open_newest()
        self._follow = follow
        self._metrics: tuple[object, frozenset[str]] | None = None
        self.text: TextIndex | None = None

    @property
    def state(self) -> tuple[int, int]:
        """Generation and how often its tail took something in: differs when anything changed."""
        tail = self._tail
        return tail.generation, tail.changes

    def metrics(self) -> frozenset[str]:
        """Return the ids of the metrics that any run has values of."""
        state = self.state
        if self._metrics is None or self._metrics[0] != state:
            rows = self._ask("SELECT DISTINCT metric FROM series")
            self._metrics = (state, frozenset(metric for (metric,) in rows))
        return self._metrics[1]

    @property
    def generation(self) -> int:
        """The number of the generation in use."""
        return self._tail.generation

    def runs(self, filter: Filter | str | None = None) -> list[RunRow]:
        """Return the run rows in natural order, those that match `filter`."""
        where, values = self._where(filter)
        items = self._ask(f"SELECT item FROM run_summary r {where} ORDER BY sort_key", values)
        return _ROWS.decode("[" + ",".join(item for (item,) in items) + "]")

    def run_ids(self, filter: Filter | str | None = None) -> list[str]:
        """Return the ids of the runs that match, in natural order."""
        where, values = self._where(filter)
        rows = self._ask(f"SELECT run FROM run_summary r {where} ORDER BY sort_key", values)
        return [run for (run,) in rows]

    def total_steps(self) -> int:
        """Return how many steps there are."""
        ((count,),) = self._ask("SELECT coalesce(sum(steps), 0) FROM run_summary")
        return int(count)

    def find_run(self, name: str) -> RunRow:
        """Return the run with this id or unique prefix.

        Raises UnknownRunError naming the runs that come near.
        """
        rows = self._ask("SELECT item FROM run_summary WHERE run = ?", [name])
        if not rows:
            rows = self._ask(
                "SELECT item FROM run_summary WHERE starts_with(run, ?) ORDER BY sort_key LIMIT 6",
                [name],
            )
        found = _ROWS.decode("[" + ",".join(item for (item,) in rows) + "]")
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(row.run for row in found[:5])
            raise UnknownRunError(f"{name!r} fits several runs: {names}", "write one of them out")
        near = [run for (run,) in self._ask(_NEAR, [name, name])]
        raise UnknownRunError(
            f"no run {name!r} in {self.root}",
            f"did you mean {', '.join(near)}?" if near else "b100 runs lists them",
        )

    def steps(self, run: str) -> list[Step]:
        """Return the steps of a run in order; absent ones in between have status missing."""
        return steps_of(self._ask, run)

    def step_views(self, run: str) -> list[StepView]:
        """Return the steps of a run with scores, newest verdict and marks."""
        scores: dict[int, dict[str, float | None]] = {}
        for step, metric, value in self._ask(
            "SELECT step, metric, value FROM score WHERE run = ? ORDER BY metric", [run]
        ):
            scores.setdefault(step, {})[metric] = value
        newest = sorted(self.verdicts(run), key=lambda verdict: verdict.time)
        verdicts = {verdict.step: verdict.verdict for verdict in newest}
        return [
            step_view(
                step,
                scores.get(step.step, {}),
                verdicts.get(step.step),
                tuple(mark for mark in marks if mark.step == step.step),
            )
            for marks in (self.marks(run),)
            for step in self.steps(run)
        ]

    def series(self, run: str) -> list[Series]:
        """Return the series of every metric of a run, by metric id."""
        rows = self._ask(
            'SELECT metric, steps, "values" FROM series WHERE run = ? ORDER BY metric', [run]
        )
        return [
            Series(run=run, metric=metric, steps=tuple(steps), values=tuple(values))
            for metric, steps, values in rows
        ]

    def verdicts(self, run: str) -> list[VerdictRecord]:
        """Return the newest verdict of each judge for each step of a run."""
        rows = self._ask(
            "SELECT run, step, verdict, model, content_hash, reply, error, usd, simulated, time"
            " FROM verdict WHERE run = ? ORDER BY step, model",
            [run],
        )
        names = VerdictRecord.__struct_fields__
        return [VerdictRecord(**dict(zip(names, row, strict=True))) for row in rows]

    def marks(self, run: str) -> list[MarkRecord]:
        """Return the marks of a run that were not taken back, by step."""
        rows = self._ask(
            "SELECT id, run, step, mode, annotator, time, region, note, blind"
            " FROM mark WHERE run = ? ORDER BY step, time",
            [run],
        )
        return [
            MarkRecord(
                id=id_,
                run=name,
                step=step,
                mode=mode,
                by=by,
                time=time,
                region=tuple(region) if region else None,
                note=note,
                blind=blind,
            )
            for id_, name, step, mode, by, time, region, note, blind in rows
        ]

    def matching_steps(self, run: str, expr: Filter | str) -> list[int]:
        """Return the steps of a run at which the whole expression holds."""
        chosen = parse(expr, self.metrics()) if isinstance(expr, str) else expr
        clause, values = chosen.step_clause()
        rows = self._ask(
            "SELECT s.step FROM step s JOIN run_summary r ON r.run = s.run"
            f" WHERE s.run = ? AND ({clause}) ORDER BY s.step",
            [run, *values],
        )
        return [step for (step,) in rows]

    def search(
        self, query: str, limit: int = 50, filter: Filter | str | None = None
    ) -> SearchResult:
        """Return the best places for the words of `query`; UsageError where it cannot be read."""
        return search(self, query, limit, filter)

    def poll(self) -> bool:
        """Take in what came since; True when anything that can be seen has changed.

        Moves to a newer generation where there is one, else reads newer parts and changed
        folders into memory. Only one poll works at a time; a second one answers False.
        """
        if not self._polling.acquire(blocking=False):
            return False
        import duckdb

        try:
            newer = files.newest(self.cache)
            if newer is not None and newer > self._tail.generation:
                fresh = self._open_newest()
                fresh.advance()  # before it is shown, or what came after its building would vanish
                with self._swap:
                    self._tail = fresh
                return True
            changed = self._tail.advance()
            if self._follow:
                self._tail.build_behind()
            return changed
        except duckdb.Error as error:
            raise StoreError(
                f"what is new in {self.root} could not be taken in: {error}",
                "b100 index builds a new generation",
            ) from error
        finally:
            self._polling.release()

    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of one statement of this package over the tables of 3-data.md."""
        return self._ask(sql, values)

    def columns(self, sql: str, values: Sequence[Any] = ()) -> dict[str, NDArray[Any]]:
        """Return the columns of one statement of numbers by name; a null is NaN, floats only."""
        import duckdb
        import numpy as np

        try:
            with self._swap:
                cursor = self._tail.cursor()
            with cursor:
                found = cursor.execute(sql, list(values)).fetchnumpy()
                return {name: np.ma.filled(column, np.nan) for name, column in found.items()}
        except duckdb.Error as error:
            raise self._no_answer(error) from error

    def report(self) -> IndexReport | None:
        """Return what the building of the generation in use reported."""
        from b100tui.index.changes import Seen

        try:
            data = files.stamps_path(self.cache, self.generation).read_bytes()
            return msgspec.json.decode(data, type=Seen).report
        except (OSError, msgspec.DecodeError):
            return None

    def close(self) -> None:
        """Let go of the database; calls still running end with a StoreError."""
        with self._swap:
            self._tail.close()

    def _where(self, filter: Filter | str | None) -> tuple[str, list[Any]]:
        if filter is None:
            return "", []
        chosen = parse(filter, self.metrics()) if isinstance(filter, str) else filter
        clause, values = chosen.run_clause()
        return f"WHERE {clause}", values

    def _ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        import duckdb

        try:
            with self._swap:
                cursor = self._tail.cursor()
            with cursor:
                return cursor.execute(sql, list(values)).fetchall()
        except duckdb.Error as error:
            raise self._no_answer(error) from error

    def _no_answer(self, error: Exception) -> StoreError:
        return StoreError(
            f"the index of {self.root} could not answer: {error}",
            "b100 index --rebuild makes it anew",
        )

    def _open_newest(self) -> Tail:
        import duckdb

        generation = files.newest(self.cache)
        if generation is None:
            raise StoreError(f"{self.root} has no index yet", "run b100 index first")
        try:
            return Tail(self.root, self.cache, generation)
        except duckdb.Error as error:
            aside = files.set_aside(self.cache, generation)
            raise StoreError(
                f"the index of {self.root} could not be opened and was moved to {aside}: {error}",
                "b100 index builds it anew",
            ) from error
