"""Takes scores made elsewhere out of CSV, JSON lines or Parquet into the score parts."""

import math
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from b100tui.metrics.protocol import metric_version
from b100tui.metrics.registry import identifier, known
from b100tui.model.errors import LayoutError
from b100tui.model.records import ScoreRecord
from b100tui.model.text import clean_line
from b100tui.scoring.done import Done, Key, read_done
from b100tui.scoring.naming import Namer, UnnamedError, filled
from b100tui.sources import columns
from b100tui.sources.listing import Listing
from b100tui.sources.tables import BadLine, Line, read_table
from b100tui.workspace.parts import PartWriter
from b100tui.workspace.places import workspace_dir

Shape = Literal["long", "wide"]
_BATCH = 2000
_NAMING = frozenset(
    {
        *(*columns.FILE, *columns.STEP, *columns.IMAGE, *columns.RUN),
        *(*columns.REPEAT, *columns.SETTING, *columns.EDITOR),
    }
)


class Rejected(Struct, frozen=True):
    """A row (its line in the file, or row number in Parquet) that was not taken, and why."""

    row: int
    reason: str


class ImportReport(Struct, frozen=True, kw_only=True):
    """`rows` read, `accepted` rows with at least one score taken, `scores` in all.

    A wide row with a bad cell is accepted for its other cells and named in `rejected` too.
    """

    rows: int
    accepted: int
    rejected: tuple[Rejected, ...]
    scores: int
    unknown_metrics: tuple[str, ...] = ()
    unused_columns: tuple[str, ...] = ()


def import_scores(root: Path, file: Path, namer: Namer, shape: Shape | None = None) -> ImportReport:
    """Store the scores of `file` and return what was taken and what not, row by row.

    Without `shape`, columns called metric and value mean long. Metrics nobody registered are
    taken with unknown direction. Values that are there already are not stored again.
    Raises LayoutError when the file cannot be read, StoreError when nothing can be written.
    """
    taker = _Taker(file, namer, shape, read_done(root))
    writer = PartWriter(workspace_dir(root) / "scores")
    batch: list[ScoreRecord] = []
    try:
        for records in taker.take(_lines(file)):
            batch += records
            if len(batch) >= _BATCH:
                writer.append(*batch)
                batch = []
        writer.append(*batch)
    finally:
        writer.close()
    return taker.report()


class _Taker:
    def __init__(self, file: Path, namer: Namer, shape: Shape | None, done: Done) -> None:
        self.parts = {"source": "import", "file": file.name}
        self.version = metric_version(self.parts)
        self.namer = namer
        self.shape = shape
        self.done = done
        self.rows = self.accepted = self.scores = 0
        self.rejected: list[Rejected] = []
        self.unknown: set[str] = set()
        self.metrics: dict[str, bool] = {}  # wide column -> whether it holds a metric
        self.host = socket.gethostname()
        self.time = datetime.now(UTC).isoformat(timespec="milliseconds")

    def take(self, lines: Iterator[Line | BadLine]) -> Iterator[list[ScoreRecord]]:
        for line in lines:
            self.rows += 1
            if isinstance(line, BadLine):
                self.rejected.append(Rejected(line.number, clean_line(line.reason)))
                continue
            taken, records = 0, []
            try:
                run, step = self.namer.find(line.cells)
                cells = self._cells(line)
            except UnnamedError as error:
                self.rejected.append(Rejected(line.number, str(error)))
                continue
            for name, raw in cells:
                value = columns.number(raw)
                if value is None:
                    reason = f"{clean_line(name)}: {_why_not(raw)}"
                    self.rejected.append(Rejected(line.number, reason))
                    continue
                taken += 1
                record = self._record(run, step, name, value)
                if self._is_new(record):
                    records.append(record)
            self.scores += taken
            self.accepted += bool(taken)
            yield records

    def report(self) -> ImportReport:
        return ImportReport(
            rows=self.rows,
            accepted=self.accepted,
            rejected=tuple(self.rejected),
            scores=self.scores,
            unknown_metrics=tuple(sorted(self.unknown)),
            unused_columns=tuple(name for name, used in self.metrics.items() if not used),
        )

    def _cells(self, line: Line) -> list[tuple[str, Any]]:
        meant = columns.columns_of(line.cells)
        name, value = meant.metric, meant.value
        if self.shape is None:
            self.shape = "long" if meant.long else "wide"
        if self.shape == "long":
            if name is None or value is None or not line.cells[name]:
                raise UnnamedError("a long row needs the columns metric and value")
            return [(str(line.cells[name]), line.cells[value])]
        cells = [
            (column, raw)
            for column, raw in line.cells.items()
            if filled(raw) and self._is_metric(column, raw)
        ]
        if not cells:
            raise UnnamedError("no column of this row holds a score")
        return cells

    def _is_metric(self, column: str, raw: Any) -> bool:
        """Say whether a wide column holds a metric: a registered name, or numbers."""
        if column not in self.metrics:
            naming = column.strip().casefold() in _NAMING or self.namer.is_label(column)
            if naming:
                return False
            numeric = columns.number(raw) is not None or _is_odd_number(raw)
            self.metrics[column] = known(column) is not None or numeric
        return self.metrics[column]

    def _record(self, run: str, step: int, name: str, value: float) -> ScoreRecord:
        metric = identifier(clean_line(name))
        if known(metric) is None:
            self.unknown.add(metric)
        return ScoreRecord(
            run=run,
            step=step,
            metric=metric,
            metric_version=self.version,
            value=value,
            host=self.host,
            time=self.time,
            parts=self.parts,
        )

    def _is_new(self, record: ScoreRecord) -> bool:
        key = Key(f"{record.run}@{record.step}", record.metric, record.metric_version)
        there = self.done.outcomes.get(key)
        if there is not None and there.value == record.value:
            return False
        self.done.add(record)
        return True


def _lines(file: Path) -> Iterator[Line | BadLine]:
    kind = file.suffix.lower().removeprefix(".")
    if kind not in {"csv", "tsv", "jsonl", "ndjson", "json", "parquet"}:
        raise LayoutError(
            f"{clean_line(str(file))}: scores come as .csv, .tsv, .jsonl, .json or .parquet",
            "rename or convert the file",
        )
    try:
        facts = file.stat()
    except OSError as error:
        raise LayoutError(
            f"{clean_line(str(file))} cannot be read: {error.strerror}", "check the name"
        ) from error
    listing = Listing(root=file.parent, stamps={file.name: (facts.st_size, facts.st_mtime_ns)})
    return read_table(listing, file.name)


def _why_not(raw: Any) -> str:
    if raw is None or raw == "":
        return "no value"
    if _is_odd_number(raw):
        return "the value is not finite"
    return f"{clean_line(str(raw))[:60]!r} is no number"


def _is_odd_number(raw: Any) -> bool:
    try:
        return not math.isfinite(float(raw))
    except (TypeError, ValueError, OverflowError):
        return False
