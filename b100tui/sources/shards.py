"""Pictures inside Parquet shards: image columns are structs {bytes, path}, read by DuckDB."""

import os
import re
import threading
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, ClassVar

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources.header import Header, parse_header

_AT_ONCE = 64  # rows handed over at a time
_KEPT = 200_000  # headers
_MEMORY = "128MB"
_MOST_MEMORY = "8GB"
_Key = tuple[str, int, str, int]  # file, its time, column, first row
_LOCK = threading.Lock()
_BUSY: dict[_Key, threading.Lock] = {}
_READ: dict[_Key, dict[int, tuple[Header, int] | str]] = {}


class _Shared:
    """The one connection, and the blocks of rows of the files that were read.

    One for all threads: each more would hold the buffers of its own row group.
    """

    connection: Any = None
    turn = threading.Lock()
    blocks: ClassVar[dict[tuple[str, int], list[int]]] = {}


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
    """Return header and size in bytes of a picture in a shard; reads a row group at a time.

    Raises PictureError.
    """
    row, column = split_member(ref.member or "")
    starts = _blocks(place, ref)
    at = max(0, bisect_right(starts, row) - 1)
    key = (place, ref.mtime_ns, column, starts[at] if starts else 0)
    with _LOCK:
        busy = _BUSY.setdefault(key, threading.Lock())
    # Threads that read other runs of the same block wait for the one that reads it.
    with busy:
        block = _READ.get(key)
        if block is None:
            last = starts[at + 1] if at + 1 < len(starts) else 1 << 62
            block = _READ[key] = _read_block(place, ref, column, key[3], last - 1)
    with _LOCK:
        _BUSY.pop(key, None)
        while len(_READ) > 1 and sum(map(len, _READ.values())) > _KEPT:
            _READ.pop(next(iter(_READ)))
    found = block.get(row)
    if found is None:
        raise PictureError(f"{ref.path} has no picture in row {row}, column {column}")
    if isinstance(found, str):
        raise PictureError(found)
    return found


def _read_block(
    place: str, ref: PictureRef, column: str, first: int, last: int
) -> dict[int, tuple[Header, int] | str]:
    """Return header and size by row, or why a picture cannot be read."""
    block: dict[int, tuple[Header, int] | str] = {}

    def take(batch: list[Any]) -> None:
        for number, data in batch:
            if data is not None:
                try:
                    block[number] = (_header_of(data), len(data))
                except PictureError as error:
                    block[number] = error.message

    _stream(
        f"SELECT file_row_number, {quoted(column)}.bytes"
        " FROM read_parquet(?, file_row_number = true) WHERE file_row_number BETWEEN ? AND ?",
        [place, first, last],
        ref.path,
        block.clear,
        take,
    )
    return block


def _header_of(data: bytes) -> Header:
    return parse_header(lambda count, at: data[at : at + count], len(data))


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
    """Return (row number, name) of the pictures in an image column; no name is "".

    The bytes of the pictures are not read where names or statistics tell that they are there.
    """
    kind = rows(f"DESCRIBE SELECT {quoted(column)} FROM read_parquet(?)", [place], shown)[0][1]
    named = re.search(r"[( ]\"?path\"? VARCHAR", kind)
    name = f"{quoted(column)}.path" if named else "NULL"
    found = rows(
        f"SELECT file_row_number, {name} FROM read_parquet(?, file_row_number = true)"
        " ORDER BY file_row_number",
        [place],
        shown,
    )
    if all(path for _, path in found) or not _nulls(place, shown, column):
        return [(int(row), path or "") for row, path in found]
    have = _with_bytes(place, shown, column, kind)
    return [(int(row), path or "") for row, path in found if path or int(row) in have]


def _nulls(place: str, shown: str, column: str) -> bool:
    """Return whether pictures may lack in a column, by the statistics of the file."""
    found = rows(
        "SELECT sum(stats_null_count), count(stats_null_count), count(*) FROM parquet_metadata(?)"
        " WHERE path_in_schema IN (?, ?)",
        [place, f"{column}, bytes", column],
        shown,
    )
    nulls, told, groups = found[0]
    return not groups or told < groups or nulls > 0


def _with_bytes(place: str, shown: str, column: str, kind: str) -> set[int]:
    value = f"{quoted(column)}.bytes" if kind.startswith("STRUCT") else quoted(column)
    starts = _blocks(place, PictureRef(shown, mtime_ns=os.stat(place).st_mtime_ns))
    have: set[int] = set()
    for first, after in zip(starts, [*starts[1:], 1 << 62], strict=True):
        have.update(
            int(row)
            for (row,) in rows(
                "SELECT file_row_number FROM read_parquet(?, file_row_number = true)"
                f" WHERE file_row_number BETWEEN ? AND ? AND {value} IS NOT NULL",
                [place, first, after - 1],
                shown,
            )
        )
    return have


def rows(query: str, values: list[Any], shown: str) -> list[Any]:
    """Return the rows of a query over Parquet files; PictureError names `shown`."""
    found: list[Any] = []
    _stream(query, values, shown, found.clear, found.extend)
    return found


def _stream(
    query: str,
    values: list[Any],
    shown: str,
    begin: Callable[[], object],
    take: Callable[[list[Any]], object],
) -> None:
    """Hand the rows of a query to `take`, a few at a time; `begin` is called before the first.

    One page may hold a whole row group of pictures and is unpacked as one: where the usual
    memory is too little for that, the query begins anew with more.
    """
    import duckdb

    with _Shared.turn:
        if _Shared.connection is None:
            # Without its cache of file contents: the operating system keeps them once, for all.
            _Shared.connection = duckdb.connect(
                config={"threads": 1, "enable_external_file_cache": False}
            )
        try:
            for limit in (_MEMORY, _MOST_MEMORY):
                _Shared.connection.execute(f"SET memory_limit = '{limit}'")
                begin()
                try:
                    cursor = _Shared.connection.execute(query, values)
                    while batch := cursor.fetchmany(_AT_ONCE):
                        take(batch)
                    return
                except duckdb.OutOfMemoryException:
                    if limit == _MOST_MEMORY:
                        raise
        except duckdb.Error as error:
            words = str(error).splitlines()[0]
            raise PictureError(f"{shown} cannot be read as Parquet: {words}") from error


def quoted(name: str) -> str:
    """Return a column name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _blocks(place: str, ref: PictureRef) -> list[int]:
    """Return the first rows of the row groups of a file."""
    key = (place, ref.mtime_ns)
    if key not in _Shared.blocks:
        found = rows(
            "SELECT row_group_id, any_value(row_group_num_rows) FROM parquet_metadata(?)"
            " GROUP BY 1 ORDER BY 1",
            [place],
            ref.path,
        )
        starts: list[int] = []
        total = 0
        for _, count in found:
            starts.append(total)
            total += int(count)
        _Shared.blocks[key] = starts
    return _Shared.blocks[key]
