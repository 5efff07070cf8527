"""What the analysis screens ask: the seam between them and the report room.

Every method but `known_gaps` reads the database and is called from worker threads.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from b100tui.model.metric import Metric
from b100tui.model.records import Step

if TYPE_CHECKING:
    from b100tui.analysis.notice import Notice
    from b100tui.report.comparison import GroupComparison, TableComparison
    from b100tui.report.gap_table import GapTable
    from b100tui.report.lies import LieRow
    from b100tui.report.tables import Table


class GapsAsked(Struct, frozen=True):
    """Which gap table: see `report.evidence.gap_table`."""

    by: str = "image"
    filter: str = ""
    metrics: str = ""
    all_recipes: bool = False
    reference: int = 1
    steps: tuple[int, ...] = (5, 10, 20)


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
    are the verdict in words, the first one the plainest; `failure` is the verdict itself.
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
    failure: bool | None = None


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

    def runs(self, filter: str) -> list[str]:
        """Return the ids of the runs that match a filter expression."""
        ...

    def lies(
        self, run: str, reference: int, *, align: bool, cancelled: Callable[[], bool] | None = None
    ) -> "list[LieRow]":
        """Return what each metric said in a run, held against the probes.

        With `align` fidelity is measured where it is not known: seconds a run.
        """
        ...

    def notices(self, filter: str, reference: int) -> "tuple[Notice, ...]":
        """Return which metric noticed first; slow."""
        ...

    def agreement(self, filter: str) -> "Table":
        """Return the rank correlation of every pair of metrics."""
        ...

    def compare(self, first: str, second: str, reference: int) -> "GroupComparison":
        """Return two groups of runs side by side."""
        ...

    def compare_saved(self, first: str, second: str) -> "TableComparison":
        """Return what changed between a saved gap table, written @FILE, and another or `now`."""
        ...


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
