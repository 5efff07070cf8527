"""Rows of the tables, made of records; values that no column holds are left out and named."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from b100tui.model.records import MarkRecord, ScoreRecord, Step, VerdictRecord
from b100tui.model.scan import SourceRun
from b100tui.model.text import clean

if TYPE_CHECKING:
    import duckdb

    Connection = duckdb.DuckDBPyConnection

_INT64 = 2**63
_ENCODE = msgspec.json.Encoder()
_DIGITS = re.compile(r"\d+")


@cache
def statement(name: str) -> str:
    """Return the text of a .sql file of this room."""
    return files("b100tui.index").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def append(con: "Connection", table: str, rows: Iterable[Sequence[Any]]) -> int:
    """Append rows to a table of the current schema; return how many."""
    listed = list(rows)
    if listed:
        with con.appender(table) as appender:
            appender.append_rows(listed)
    return len(listed)


def natural_key(*parts: str | int) -> str:
    """Return a text that sorts as a person would: numbers by size, letters without case.

    A number is preceded by the count of its digits, so that no padding limits it.
    """
    return "\x01".join(
        _DIGITS.sub(lambda hit: _counted(hit[0]), str(part).casefold()) for part in parts
    )


def _counted(digits: str) -> str:
    plain = digits.lstrip("0") or "0"
    return f"{min(len(plain), 999):03d}{plain}"


def run_row(source: SourceRun, signature: str) -> tuple[Any, ...]:
    """Return the row of table `run`."""
    run = source.run
    return (
        run.run,
        run.image,
        run.recipe,
        run.setting,
        run.editor,
        run.editor_kind,
        whole(run.repeat) or 0,
        dump(run.labels),
        run.model,
        dump(run.parameters),
        run.seed_policy,
        run.session,
        whole(run.steps_planned),
        run.parent,
        run.remedy,
        run.simulated,
        _text(run.stopped),
        source.folder,
        dump(source.duplicates),
        natural_key(run.image, run.setting, run.repeat, run.run),
        signature,
    )


def step_row(step: Step, signature: str) -> tuple[Any, ...]:
    """Return the row of table `step`."""
    picture = step.picture
    warnings = [clean(text) for text in step.warnings]
    if step.seed is not None and whole(step.seed) is None:
        warnings.append(f"seed {str(step.seed)[:40]} does not fit 64 bits")
    return (
        step.run,
        step.step,
        step.status,
        _text(step.reason),
        picture.path if picture else None,
        picture.member if picture else None,
        whole(picture.bytes) if picture else None,
        whole(picture.mtime_ns) if picture else None,
        whole(step.width),
        whole(step.height),
        step.format,
        step.sha256,
        _text(step.prompt),
        _text(step.editor),
        _text(step.model),
        dump(step.parameters) if step.parameters else None,
        whole(step.seed),
        _text(step.finish_reason),
        _text(step.finish_message),
        finite(step.cost_usd),
        finite(step.seconds),
        _text(step.started),
        warnings,
        signature,
    )


def section_rows(step: Step) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of table `section`."""
    for number, section in enumerate(step.sections):
        yield step.run, step.step, number, clean(section.title), clean(section.text)


def score_row(part: str, place: int, record: ScoreRecord) -> tuple[Any, ...]:
    """Return the row of table `score_record`."""
    return (
        part,
        place,
        record.run,
        whole(record.step),
        _word(record.metric),
        _word(record.metric_version),
        finite(record.value),
        _text(record.error),
        _text(record.message),
        record.sha256,
        record.path,
        record.member,
        whole(record.bytes),
        whole(record.mtime_ns),
        whole(record.reference),
        record.reference_sha256,
        record.simulated,
        finite(record.seconds),
        _word(record.host),
        _word(record.time),
    )


# Names, versions, hosts and times come by the hundred thousand, but few are different.
_word = lru_cache(maxsize=4096)(clean)


def verdict_row(part: str, place: int, record: VerdictRecord) -> tuple[Any, ...]:
    """Return the row of table `verdict_record`."""
    return (
        part,
        place,
        record.run,
        whole(record.step),
        record.verdict,
        clean(record.model),
        record.content_hash,
        _text(record.reply),
        _text(record.error),
        finite(record.usd),
        record.simulated,
        clean(record.time),
    )


def mark_row(part: str, place: int, record: MarkRecord) -> tuple[Any, ...]:
    """Return the row of table `mark_record`."""
    region = [whole(side) for side in record.region] if record.region else None
    return (
        part,
        place,
        record.id,
        record.run,
        whole(record.step),
        clean(record.mode),
        clean(record.by),
        clean(record.time),
        region,
        _text(record.note),
        record.undo,
        record.blind,
    )


def whole(value: int | None) -> int | None:
    """Return an integer that a 64-bit column holds, else None."""
    return value if value is not None and -_INT64 <= value < _INT64 else None


def finite(value: float | None) -> float | None:
    """Return a finite number, else None."""
    return value if value is not None and math.isfinite(value) else None


def dump(value: Any) -> str:
    """Return a value as JSON text."""
    return _ENCODE.encode(value).decode()


def _text(value: str | None) -> str | None:
    return None if value is None else clean(value)
