"""What DuckDB spills to disk is bounded, and is cleared away after a process that was killed."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from b100tui.index.generation import spilling
from b100tui.index.sql import Job
from b100tui.index.sql_worker import answer


def gone() -> int:
    """The pid of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_what_a_killed_process_spilled_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f"spill-{gone()}"
    left.mkdir()
    (left / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"x" * 1000)
    spilling(tmp_path)
    assert not left.exists()


def test_the_spill_of_a_process_at_work_stays(tmp_path: Path) -> None:
    at_work = tmp_path / f"spill-{os.getppid()}"
    at_work.mkdir()
    spilling(tmp_path)
    assert at_work.exists()


def test_a_query_that_spills_without_end_is_refused(tmp_path: Path) -> None:
    settings = {**spilling(tmp_path), "max_temp_directory_size": "1MB"}
    con = duckdb.connect(":memory:", config={"memory_limit": "20MB", "threads": "1", **settings})
    with pytest.raises(duckdb.Error, match="max_temp_directory_size"):
        con.execute(
            "CREATE TABLE t AS SELECT md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS s "
            "FROM range(2000000) r(i)"
        )


def test_own_sql_spills_into_a_folder_that_the_next_process_clears_away(tmp_path: Path) -> None:
    left = tmp_path / f"spill-{gone()}"
    left.mkdir()
    path = tmp_path / "a.duckdb"
    duckdb.connect(str(path)).close()
    sql = "SELECT current_setting('temp_directory')"
    table = answer(Job(path=str(path), sql=sql, cache=str(tmp_path)))
    assert (table.error, table.rows) == (None, ((str(tmp_path / f"spill-{os.getpid()}"),),))
    assert not left.exists()
