"""Runs one read-only statement over the index in a process of its own that can be killed."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from b100tui.index.generation import database_path, newest
from b100tui.model.errors import StoreError, UsageError
from b100tui.workspace.children import without_keys
from b100tui.workspace.places import cache_dir

MEMORY_LIMIT = "1GB"
MOST_ROWS = 1_000_000
MOST_BYTES = 256 << 20


class Job(Struct, frozen=True, kw_only=True):
    """What the process is to do; values are named parameters, what spills goes below `cache`."""

    path: str
    sql: str
    values: dict[str, str | int | float | bool | None] = field(default_factory=dict)
    cache: str = ""
    memory_limit: str = MEMORY_LIMIT
    most_rows: int = MOST_ROWS
    most_bytes: int = MOST_BYTES


class Table(Struct, frozen=True, kw_only=True):
    """The rows of an answer, plain JSON values; `columns` are unique names."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    error: str | None = None
    wrong_use: bool = False


def run_sql(
    root: Path,
    text: str,
    timeout: float,
    values: Mapping[str, str | int | float | bool | None] | None = None,
) -> Table:
    """Return the rows of one SELECT or EXPLAIN over the newest generation of `root`.

    The process cannot write, read other files, load extensions or change settings, and is
    killed after `timeout` seconds. Raises UsageError for a statement that is refused or wrong,
    StoreError when there is no index, it takes too long or the process dies.
    """
    if not timeout > 0:
        raise UsageError(f"--timeout {timeout}: more than 0 seconds", "e.g. --timeout 60")
    cache = cache_dir(root)
    generation = newest(cache)
    if generation is None:
        raise StoreError(f"{root} has no index yet", "run b100 index first")
    job = Job(
        path=str(database_path(cache, generation)),
        sql=text,
        values=dict(values or {}),
        cache=str(cache),
    )
    with subprocess.Popen(
        [sys.executable, "-m", "b100tui.index.sql_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=without_keys(),
    ) as process:
        try:
            out, err = process.communicate(msgspec.json.encode(job), timeout)
        except subprocess.TimeoutExpired as error:
            raise StoreError(
                f"the statement took more than {timeout:g} s and was ended",
                "ask for less, or give it more with --timeout SECONDS",
            ) from error
        finally:
            process.kill()
    try:
        table = msgspec.json.decode(out, type=Table)
    except msgspec.DecodeError as error:
        last = err.decode("utf-8", "replace").strip().splitlines()
        raise StoreError(
            f"the process that ran the statement ended early: {last[-1] if last else 'no word'}",
            "ask for less at once",
        ) from error
    if table.error is not None:
        if table.wrong_use:
            raise UsageError(f"sql: {table.error}", "tables and an example: b100 sql --help")
        raise StoreError(f"sql: {table.error}", "ask for less, or b100 index --rebuild")
    return table
