"""The process that runs one statement: job as JSON on stdin, answer as JSON on stdout."""

import math
import resource
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from b100tui.index.generation import spilling
from b100tui.index.sql import Job, Table

# The order matters: the last one forbids every further change.
LOCKED = """
SET autoinstall_known_extensions = false;
SET autoload_known_extensions = false;
SET allow_community_extensions = false;
SET python_enable_replacements = false;
SET enable_external_access = false;
SET lock_configuration = true;
"""
MOST_MEMORY = 4 << 30  # of the whole process; DuckDB keeps to its own limit long before
_AT_ONCE = 100
_PLAIN = (str, int, bool, type(None))


def main() -> int:
    """Answer one job."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    sys.stdout.buffer.write(msgspec.json.encode(answer(job)))
    return 0


def answer(job: Job) -> Table:
    """Return the rows, or the refusal, of one statement."""
    try:
        con = duckdb.connect(
            job.path,
            read_only=True,
            config={
                "threads": "2",
                "memory_limit": job.memory_limit,
                **(spilling(Path(job.cache)) if job.cache else {}),
            },
        )
        con.execute(LOCKED)
    except duckdb.Error as error:
        return Table(error=f"the index cannot be opened: {error}")
    try:
        refusal = _refusal(con, job.sql)
        if refusal:
            return Table(error=refusal, wrong_use=True)
        cursor = con.execute(job.sql, job.values or None)
        columns = _unique([column[0] for column in cursor.description or ()])
        rows: list[tuple[Any, ...]] = []
        held = 0
        while len(rows) <= job.most_rows and (more := cursor.fetchmany(_AT_ONCE)):
            rows += [tuple(plain(cell) for cell in row) for row in more]
            held += sum(_size(cell) for row in rows[-len(more) :] for cell in row)
            if held > job.most_bytes:
                told = f"an answer of more than {job.most_bytes >> 20} MB: ask for less of it"
                return Table(error=told, wrong_use=True)
    except MemoryError:
        return Table(error=f"more than {MOST_MEMORY >> 30} GB of memory would be needed")
    except duckdb.OutOfMemoryException as error:
        return Table(error=f"more than {job.memory_limit} of memory would be needed: {error}")
    except duckdb.Error as error:
        return Table(error=str(error), wrong_use=True)
    finally:
        con.close()
    if len(rows) > job.most_rows:
        return Table(error=f"more than {job.most_rows:,} rows: add a LIMIT", wrong_use=True)
    return Table(columns=columns, rows=tuple(rows))


def _refusal(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        return f"one statement at a time: these are {len(statements)}"
    kind = statements[0].type
    if kind not in {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}:
        return f"only SELECT and EXPLAIN: this is {kind.name}"
    return ""


def plain(value: Any) -> Any:
    """Return a cell as a JSON value; NaN and infinities are null, what JSON lacks is text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return plain(float(value))
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    return str(value)


def _size(cell: Any) -> int:
    """Return roughly the bytes of a plain cell; numbers are bounded by the number of rows."""
    if isinstance(cell, str):
        return len(cell)
    if isinstance(cell, list):
        return sum(8 + _size(inner) for inner in cell)
    return sum(_size(inner) for inner in cell.values()) if isinstance(cell, dict) else 0


def _unique(names: list[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return tuple(found)


if __name__ == "__main__":
    raise SystemExit(main())
