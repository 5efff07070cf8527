"""Reads new records from the append-only parts into the raw tables."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from b100tui.index.changes import parts_of
from b100tui.index.tables import append, mark_row, score_row, verdict_row
from b100tui.model.records import MarkRecord, ScoreRecord, VerdictRecord
from b100tui.model.scan import LeftOut
from b100tui.workspace.parts import read_part

if TYPE_CHECKING:
    from b100tui.index.tables import Connection

BATCH = 20_000
_KINDS: dict[str, tuple[type[Any], str, Callable[..., tuple[Any, ...]]]] = {
    "scores": (ScoreRecord, "score_record", score_row),
    "verdicts": (VerdictRecord, "verdict_record", verdict_row),
    "marks": (MarkRecord, "mark_record", mark_row),
}


class Read(Struct):
    """What one reading of the parts brought.

    `runs` and `hashes` say which runs and picture bytes the new records speak of; `gone` names
    parts that vanished or shrank, whose records no longer count.
    """

    records: int = 0
    runs: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)
    bad: list[LeftOut] = field(default_factory=list)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


def read_new(con: "Connection", root: Path, places: Mapping[str, int]) -> Read:
    """Append every whole record after `places` (part path -> byte) to the raw tables."""
    outcome = Read()
    parts = parts_of(root)
    outcome.gone = [
        path for path, place in places.items() if parts.get(Path(path), ("", -1, 0))[1] < place
    ]
    for gone in outcome.gone:
        for _, table, _ in _KINDS.values():
            con.execute(f"DELETE FROM {table} WHERE part = ?", [gone])
    for path, (kind, size, _) in parts.items():
        place = 0 if str(path) in outcome.gone else places.get(str(path), 0)
        if size > place:
            place = _read_part(con, path, kind, place, outcome)
        outcome.places[str(path)] = (kind, place)
    return outcome


def _read_part(con: "Connection", path: Path, kind: str, place: int, outcome: Read) -> int:
    record_type, table, row_of = _KINDS[kind]
    rows: list[tuple[Any, ...]] = []
    part = str(path)
    try:
        for record, after in read_part(path, record_type, place):
            if isinstance(record, LeftOut):
                outcome.bad.append(record)
            else:
                rows.append(row_of(part, place, record))
                outcome.runs.add(record.run)
                if kind == "scores" and record.sha256:
                    outcome.hashes.add(record.sha256)
            place = after
            if len(rows) >= BATCH:
                outcome.records += append(con, table, rows)
                rows.clear()
    except OSError as error:
        outcome.bad.append(LeftOut(part, f"cannot be read: {error.strerror}"))
    outcome.records += append(con, table, rows)
    return place
