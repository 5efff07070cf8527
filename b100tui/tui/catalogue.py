"""What the explorer asks of an index: the seam that a fake can stand in for.

Every method is called from worker threads. `Index` of the index room is the real one.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from b100tui.index.rows import RunRow, SearchResult, Series
from b100tui.model.records import MarkRecord, Step, VerdictRecord


class Catalogue(Protocol):
    """Runs, steps, series and text of one ROOT, readable from any thread."""

    def runs(self, filter: Any = None) -> Sequence[RunRow]:
        """Return the runs in natural order: image, setting, repeat."""
        ...

    def run_ids(self, filter: Any) -> Sequence[str]:
        """Return the ids of the runs that meet a parsed filter."""
        ...

    def steps(self, run: str) -> Sequence[Step]:
        """Return all steps, those that are missing included."""
        ...

    def series(self, run: str) -> Sequence[Series]:
        """Return every metric's values over the run."""
        ...

    def verdicts(self, run: str) -> Sequence[VerdictRecord]:
        """Return the judge's verdicts on the run."""
        ...

    def marks(self, run: str) -> Sequence[MarkRecord]:
        """Return the human marks on the run."""
        ...

    def search(self, query: str, limit: int = 50, filter: Any = None) -> SearchResult:
        """Return the places where the words stand, best first."""
        ...

    def ask(self, sql: str, values: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        """Return the rows of one statement of this package."""
        ...

    def poll(self) -> bool:
        """Pick up what other processes wrote; True when anything changed."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
