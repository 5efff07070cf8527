"""Pictures inside Parquet shards: image columns are structs {bytes, path}, read by DuckDB."""

import re
import threading
from collections import OrderedDict
from typing import Any

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources.header import Header, parse_header

_HEAD = 65536  # bytes of each picture kept while the headers of one row group are read
_KEPT = 4  # row groups


class _Heads(threading.local):
    """Sizes, heads and tails of the pictures of the last row groups, one store a thread."""

    def __init__(self) -> None:
        self.connection: Any = None
        self.groups: OrderedDict[tuple[str, int, str, int], dict[int, tuple[int, bytes, bytes]]]
        self.groups = OrderedDict()
        self.bounds: dict[tuple[str, int], list[int]] = {}


_HEADS = _Heads()


def member_of(row: int, column: str) -> str:
    """Return the member name of a picture: row:column."""
    return f"{row}:{column}"


def split_member(member: str) -> tuple[int, str]:
    """Return row (from 0, over the whole file) and column; PictureError for another form."""
    row, colon, column = member.partition(":")
    if not colon or not row.isdecimal() or not column:
        raise PictureError(f"{member!r} names no picture in a shard", "run b100 index again")
    return int(row), column


def read_member(place: str, ref: PictureRef) -> bytes:
    """Return the bytes of the picture `ref.member` in the shard at `place`.

    Raises PictureError when the shard or the row cannot be read.
    """
    row, column = split_member(ref.member or "")
    found = rows(
        f"SELECT {quoted(column)}.bytes FROM read_parquet(?, file_row_number = true)"
        " WHERE file_row_number = ?",
        [place, row],
        ref.path,
    )
    if not found or found[0][0] is None:
        raise PictureError(f"{ref.path} has no picture in row {row}, column {column}")
    return bytes(found[0][0])


def member_header(place: str, ref: PictureRef) -> tuple[Header, int]:
    """Return header and size in bytes of a picture in a shard; reads one row group at a time.

    Raises PictureError.
    """
    row, column = split_member(ref.member or "")
    bounds = _row_groups(place, ref)
    first = max((start for start in bounds if start <= row), default=0)
    last = min((start for start in bounds if start > row), default=1 << 62)
    key = (place, ref.mtime_ns, column, first)
    group = _HEADS.groups.get(key)
    if group is None:
        name = quoted(column)
        found = rows(
            f"SELECT file_row_number, octet_length({name}.bytes),"
            f" array_slice({name}.bytes, 1, {_HEAD}), array_slice({name}.bytes, -4096, -1)"
            " FROM read_parquet(?, file_row_number = true)"
            f" WHERE file_row_number BETWEEN ? AND ? AND {name}.bytes IS NOT NULL",
            [place, first, last - 1],
            ref.path,
        )
        group = {number: (size, bytes(head), bytes(tail)) for number, size, head, tail in found}
        _HEADS.groups[key] = group
        while len(_HEADS.groups) > _KEPT:
            _HEADS.groups.popitem(last=False)
    if row not in group:
        raise PictureError(f"{ref.path} has no picture in row {row}, column {column}")
    size, head, tail = group[row]

    def read(count: int, at: int) -> bytes:
        if at + count <= len(head) or size <= len(head):
            return head[at : at + count]
        if at >= size - len(tail):
            return tail[at - size + len(tail) :][:count]
        return read_member(place, ref)[at : at + count]

    return parse_header(read, size), size


def columns(place: str, shown: str) -> list[tuple[str, str]]:
    """Return (name, kind) of a Parquet file's columns; kind is image, plain or other.

    An image is a struct of `bytes` and `path`, or bare bytes. Raises PictureError.
    """
    found = rows("DESCRIBE SELECT * FROM read_parquet(?)", [place], shown)
    kinds: list[tuple[str, str]] = []
    for name, kind, *_ in found:
        if kind.startswith("STRUCT(") and re.search(r"[( ]\"?bytes\"? BLOB", kind):
            kinds.append((name, "image"))
        else:
            plain = not kind.startswith(("STRUCT", "MAP", "UNION", "BLOB"))
            kinds.append((name, "plain" if plain else "other"))
    return kinds


def scalar_rows(place: str, shown: str, names: list[str]) -> list[Any]:
    """Return (row number from 0, *cells) of the plain columns `names`."""
    wanted = "".join(f", {quoted(name)}" for name in names)
    return rows(
        f"SELECT file_row_number{wanted} FROM read_parquet(?, file_row_number = true)"
        " ORDER BY file_row_number",
        [place],
        shown,
    )


def picture_paths(place: str, shown: str, column: str) -> list[tuple[int, str]]:
    """Return (row number, name) of the pictures in an image column; no name is "" ."""
    kind = rows(f"DESCRIBE SELECT {quoted(column)} FROM read_parquet(?)", [place], shown)[0][1]
    name = f"{quoted(column)}.path" if re.search(r"[( ]\"?path\"? VARCHAR", kind) else "NULL"
    found = rows(
        f"SELECT file_row_number, {name} FROM read_parquet(?, file_row_number = true)"
        f" WHERE {quoted(column)} IS NOT NULL ORDER BY file_row_number",
        [place],
        shown,
    )
    return [(int(row), path or "") for row, path in found]


def rows(query: str, values: list[Any], shown: str) -> list[Any]:
    """Return the rows of a query over Parquet files; PictureError names `shown`."""
    import duckdb

    if _HEADS.connection is None:
        _HEADS.connection = duckdb.connect(config={"threads": 1, "memory_limit": "1GB"})
    try:
        return list(_HEADS.connection.execute(query, values).fetchall())
    except duckdb.Error as error:
        words = str(error).splitlines()[0]
        raise PictureError(f"{shown} cannot be read as Parquet: {words}") from error


def quoted(name: str) -> str:
    """Return a column name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _row_groups(place: str, ref: PictureRef) -> list[int]:
    key = (place, ref.mtime_ns)
    if key not in _HEADS.bounds:
        found = rows(
            "SELECT row_group_id, any_value(row_group_num_rows) FROM parquet_metadata(?)"
            " GROUP BY 1 ORDER BY 1",
            [place],
            ref.path,
        )
        starts, total = [], 0
        for _, count in found:
            starts.append(total)
            total += int(count)
        _HEADS.bounds[key] = starts
    return _HEADS.bounds[key]
