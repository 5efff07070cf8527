"""Writes scores as CSV, JSON lines or Parquet; nulls stay nulls, formula cells are made inert."""

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from b100tui.model.errors import StoreError, UsageError
from b100tui.model.text import clean_line, csv_cell
from b100tui.workspace.atomic import write_atomic


class ExportedScore(Struct, frozen=True):
    """One row of an export, in the order of its columns; `value` is raw, None where it failed."""

    run: str
    image: str
    recipe: str
    setting: str
    editor: str
    repeat: int
    step: int
    metric: str
    value: float | None
    error: str | None
    message: str | None
    metric_version: str | None
    simulated: bool


KINDS = ("csv", "jsonl", "parquet")


def export_scores(rows: Iterable[ExportedScore], file: Path) -> int:
    """Write `rows` to `file` by its extension, whole or not at all; return how many.

    Raises UsageError for another extension, StoreError when it cannot be written.
    """
    kind = file.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise UsageError(
            f"{clean_line(file.name)}: an export is .csv, .jsonl or .parquet", "choose one of them"
        )
    listed = list(rows)
    if not file.parent.is_dir():
        raise StoreError(f"{file.parent} is no folder", "make it first")
    if kind == "csv":
        write_atomic(file, _csv(listed))
    elif kind == "jsonl":
        write_atomic(file, b"".join(_json_lines(listed)))
    else:
        _parquet(listed, file)
    return len(listed)


def _csv(rows: list[ExportedScore]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ExportedScore.__struct_fields__)
    for row in rows:
        writer.writerow([_cell(value) for value in msgspec.structs.astuple(row)])
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return csv_cell(value) if isinstance(value, str) else repr(value)


def _json_lines(rows: list[ExportedScore]) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder()
    for row in rows:
        yield encoder.encode(row) + b"\n"


def _parquet(rows: list[ExportedScore], file: Path) -> None:
    import duckdb

    sql = files("b100tui.scoring").joinpath("to_parquet.sql").read_text(encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory(prefix=".b100-", dir=file.parent) as folder:
            lines, made = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
            lines.write_bytes(b"".join(_json_lines(rows)))
            with duckdb.connect() as connection:
                connection.execute(sql, {"source": str(lines), "target": str(made)})
            made.replace(file)
    except (OSError, duckdb.Error) as error:
        raise StoreError(
            f"cannot write {file}: {error}", "free space, or another folder"
        ) from error
