"""Tables beside the runs: CSV, TSV, JSONL, JSON lists and Parquet, row by row."""

import csv
import io
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from b100tui.model.errors import UNPARSABLE, LayoutError, parse_fault
from b100tui.model.text import clean_line
from b100tui.sources.listing import Listing
from b100tui.sources.paths import on_disk, split_name
from b100tui.sources.texts import LINE_LIMIT, TABLE_LIMIT, encoding_of, lines_of

TABLES = frozenset({"csv", "tsv", "jsonl", "ndjson", "parquet"})
_FIELD_LIMIT = LINE_LIMIT
TOO_LONG = "longer than 16 MB"
_DECODER = msgspec.json.Decoder()


class Line(msgspec.Struct, frozen=True):
    """One row with its line (CSV, JSONL; from 1) or row number (Parquet; from 1)."""

    number: int
    cells: dict[str, Any]


class BadLine(msgspec.Struct, frozen=True):
    """A line that is no row, and why."""

    number: int
    reason: str


def read_table(listing: Listing, path: str) -> Iterator[Line | BadLine]:
    """Yield the rows of a listed table in file order.

    Raises LayoutError naming the file when it cannot be read at all.
    """
    kind = split_name(path)[1]
    place = on_disk(listing.root, path)
    try:
        if listing.stamps[path][0] > TABLE_LIMIT:
            raise LayoutError(f"{path} is larger than 2 GB", "split the table")
        if kind == "parquet":
            yield from _parquet(place, path)
        elif kind in ("jsonl", "ndjson"):
            yield from _json_lines(place)
        elif kind == "json":
            yield from _json_list(place, path)
        else:
            yield from _csv(place, path, kind)
    except OSError as error:
        raise LayoutError(f"{path} cannot be read: {error.strerror or error}") from error


def _csv(place: str, path: str, kind: str) -> Iterator[Line | BadLine]:
    csv.field_size_limit(_FIELD_LIMIT)
    with open(place, "rb") as raw:
        encoding = encoding_of(raw.read(1 << 20))
    with open(place, encoding=encoding, errors="replace", newline="") as file:
        first = file.readline(LINE_LIMIT)
        delimiter = "\t" if kind == "tsv" else max(",;\t", key=first.count)
        file.seek(0)
        long: list[int] = []
        reader = csv.reader(_short_lines(file, long), delimiter=delimiter)
        try:
            names = [clean_line(name.lstrip("\ufeff")) for name in next(reader, [])]
            if not any(names):
                raise LayoutError(f"{path} has no header line", "name the columns in its line 1")
            for cells in reader:
                if not cells:
                    continue
                if len(cells) > len(names):
                    yield BadLine(reader.line_num, f"{len(cells)} cells under {len(names)} columns")
                    continue
                yield Line(reader.line_num, dict(zip(names, cells, strict=False)))
        except csv.Error as error:
            yield BadLine(reader.line_num, str(error))
        for number in long:
            yield BadLine(number, TOO_LONG)


def _short_lines(file: IO[str], long: list[int]) -> Iterator[str]:
    """Yield the lines of a table without zero bytes; too long ones are noted and left empty."""
    for number, line in lines_of(file):
        if line is None:
            long.append(number)
        yield "\n" if line is None else line.replace("\0", "")


def _json_lines(place: str) -> Iterator[Line | BadLine]:
    with open(place, "rb") as file:
        encoding = encoding_of(file.read(4096))
        file.seek(0)
        wide = encoding.startswith(("utf-16", "utf-32"))
        text = io.TextIOWrapper(file, encoding=encoding, errors="replace") if wide else None
        for number, line in lines_of(file if text is None else text):
            if line is None:
                yield BadLine(number, TOO_LONG)
                continue
            told = line.encode() if isinstance(line, str) else line
            data = told.removeprefix(b"\xef\xbb\xbf").strip()
            if not data:
                continue
            try:
                cells = _decoded(data)
            except UNPARSABLE as error:
                yield BadLine(number, parse_fault(error))
                continue
            if isinstance(cells, dict):
                yield Line(number, cells)
            else:
                yield BadLine(number, "no JSON object")


def _decoded(data: bytes) -> Any:
    """Return the value of a line; one that is no UTF-8 is read as Windows-1252."""
    try:
        return _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if encoding_of(data) == "utf-8":
            raise
        return _DECODER.decode(data.decode("cp1252", errors="replace").encode())


def _json_list(place: str, path: str) -> Iterator[Line | BadLine]:
    with open(place, "rb") as file:
        try:
            rows = _DECODER.decode(file.read())
        except UNPARSABLE as error:
            raise LayoutError(f"{path}: {parse_fault(error)}") from error
    if not isinstance(rows, list):
        raise LayoutError(f"{path} is no list of objects")
    for number, cells in enumerate(rows, 1):
        if isinstance(cells, dict):
            yield Line(number, cells)
        else:
            yield BadLine(number, "no JSON object")


def _parquet(place: str, path: str) -> Iterator[Line | BadLine]:
    from b100tui.sources.shards import columns, scalar_rows

    names = [name for name, kind in columns(place, path) if kind != "image"]
    for number, cells in enumerate(scalar_rows(place, path, names), 1):
        yield Line(number, dict(zip(names, cells[1:], strict=True)))
