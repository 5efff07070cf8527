"""One generation and what came after it: newer records and steps, in memory, seen as one."""

import os
import subprocess
import sys
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.index.derive import derive, set_pending
from b100tui.index.generation import database_path, spilling
from b100tui.index.ingest import SOURCE, affected_runs, apply_runs, compare, take_steps
from b100tui.index.records import read_new
from b100tui.index.tables import append, statement
from b100tui.sources import find_mapping, scan_folder
from b100tui.workspace.children import without_keys
from b100tui.workspace.places import workspace_dirs

if TYPE_CHECKING:
    from b100tui.index.tables import Connection

SEEN = ("run", "step", "section", "score", "verdict", "mark", "series", "gap", "run_summary")
NORMALISED = (
    "CREATE VIEW normalised AS SELECT run, step, metric, norm, gap FROM score"
    " WHERE norm IS NOT NULL"
)
# An explorer at rest stays small; recomputing runs may take more for a moment.
REST_MEMORY = "128MB"
WORK_MEMORY = "512MB"
BUILD_RECORDS = 5_000
BUILD_SECONDS = 60.0
# A scan of the whole folder must not take more than this share of the time.
SCAN_SHARE = 0.1
CLOSE_SECONDS = 1.0


class Tail:
    """An in-memory database over one read-only generation.

    Runs that changed since are copied into memory whole and recomputed there; views show them
    in place of the generation's rows. One thread at a time may call advance().
    """

    def __init__(self, root: Path, cache: Path, generation: int) -> None:
        import duckdb

        self.root = root
        self.generation = generation
        self._con = duckdb.connect(
            ":memory:",
            config={
                "threads": "2",
                "memory_limit": REST_MEMORY,
                **spilling(cache),
            },
        )
        path = str(database_path(cache, generation)).replace("'", "''")
        self._con.execute(f"ATTACH '{path}' AS base (READ_ONLY)")
        self._con.execute(
            ";".join(
                f"CREATE VIEW {table} AS SELECT * FROM base.main.{table}"
                for table in (*SEEN, "metric", "meta", "part", "trouble")
            )
        )
        self._con.execute(NORMALISED)
        self._cursors: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._live: Connection | None = None
        self._places: dict[str, int] = {}
        self._folders: dict[str, int] | None = None
        self._next_scan = 0.0
        self.changes = 0  # how often something was taken in
        self._records = 0
        self._since: float | None = None
        self._builder: subprocess.Popen[bytes] | None = None

    def cursor(self) -> "Connection":
        """Return a cursor of its own for one thread."""
        cursor = self._con.cursor()
        self._cursors.add(cursor)
        return cursor

    def close(self) -> None:
        """End what is still running and close; the builder behind, if any, goes on."""
        import duckdb

        until = time.monotonic() + CLOSE_SECONDS
        while time.monotonic() < until:
            for cursor in list(self._cursors):
                _interrupt(cursor)
            try:
                return self._con.close()
            except duckdb.Error:  # refused while a call on one of its cursors still ends
                time.sleep(0.002)
        return None  # what is left ends with the process

    def advance(self) -> bool:
        """Take in newer records and changed folders; True when something changed."""
        live = self._prepare()
        live.execute("BEGIN")
        try:
            touched, fresh = self._take_steps(live)
            read = read_new(live, self.root, self._places)
            spoken = affected_runs(live, read, everything=False, schema="memory.main.")
            fresh |= self._copy(live, spoken)
            touched |= spoken
            if touched:
                live.execute(f"SET memory_limit = '{WORK_MEMORY}'")
                if fresh:
                    set_pending(live, fresh)
                    live.execute(statement("tail_records"))
                set_pending(live, touched)
                derive(live)
            live.execute("COMMIT")
        except BaseException:
            live.execute("ROLLBACK")
            raise
        if touched:
            live.execute(f"SET memory_limit = '{REST_MEMORY}'")
        self._places = {path: place for path, (_, place) in read.places.items()}
        self._records += read.records
        self.changes += bool(touched)
        if touched and self._since is None:
            self._since = time.monotonic()
            self._show_both()
        return bool(touched)

    def build_behind(self) -> bool:
        """Start a builder in its own process once the tail is long or old enough; True if so."""
        if self._builder is not None and self._builder.poll() is None:
            return False
        self._builder = None
        if self._since is None:
            return False
        if self._records < BUILD_RECORDS and time.monotonic() - self._since < BUILD_SECONDS:
            return False
        self._since = time.monotonic()
        self._builder = start_builder(self.root)
        return True

    def _prepare(self) -> "Connection":
        if self._live is None:
            live = self.cursor()
            live.execute("CREATE SCHEMA live")
            live.execute("USE memory.live")
            live.execute(statement("schema"))
            live.execute("CREATE TABLE touched (run VARCHAR)")
            live.execute("INSERT INTO metric SELECT * FROM base.main.metric")
            self._places = dict(live.execute("SELECT path, place FROM base.main.part").fetchall())
            self._live = live
        return self._live

    def _take_steps(self, live: "Connection") -> tuple[set[str], set[str]]:
        """Read what changed in the folder; nothing when its folders look as before.

        Returns the runs that changed and, of these, those whose older records are still to come.
        """
        if time.monotonic() < self._next_scan or not self._folders_changed(live):
            return set(), set()
        began = time.monotonic()
        scan = scan_folder(self.root, find_mapping(workspace_dirs(self.root)))
        known = live.execute("SELECT run, signature FROM memory.main.run").fetchall()
        steps = live.execute("SELECT run, step, signature FROM memory.main.step").fetchall()
        plan = compare(scan, dict(known), {(run, step): mark for run, step, mark in steps})
        touched = plan.touched | set(plan.gone_runs)
        if touched:
            self._copy(live, touched)
            apply_runs(live, plan)
            take_steps(live, self.root, plan, None, None)
            # Folders that are new have not been looked at yet: the next poll does.
            seen = self._folders or {}
            listed = (step.picture.path for source in scan.runs for step in source.steps)
            unseen = {name for name in folders_of(listed) if name not in seen}
            self._folders = {**seen, **dict.fromkeys(unseen, 0)}
        self._next_scan = time.monotonic() + (time.monotonic() - began) / SCAN_SHARE
        return touched, set(plan.touched)

    def _folders_changed(self, live: "Connection") -> bool:
        """Whether any folder that holds steps, or one above it, changed since the last look."""
        if self._folders is None:
            paths = live.execute("SELECT DISTINCT path FROM base.main.step").fetchall()
            names = folders_of(path or "" for (path,) in paths)
        else:
            names = set(self._folders)
        now = {name: _changed_ns(self.root / name) for name in names}
        if self._folders is None:
            began = live.execute("SELECT value FROM base.main.meta WHERE key = 'began'").fetchall()
            same = bool(began) and max(now.values()) < int(began[0][0])
        else:
            same = now == self._folders
        self._folders = now
        return not same

    def _copy(self, live: "Connection", runs: Iterable[str]) -> set[str]:
        """Take runs into memory that are not there yet; return these."""
        have = {run for (run,) in live.execute("SELECT run FROM touched").fetchall()}
        fresh = [run for run in runs if run not in have]
        set_pending(live, fresh)
        for table in ("run", "step", "section"):
            live.execute(
                f"INSERT INTO {table} SELECT * FROM base.main.{table}"
                " WHERE run IN (SELECT run FROM pending)"
            )
        live.execute(
            "INSERT INTO score_record SELECT * FROM base.main.score_record"
            " WHERE part = ? AND run IN (SELECT run FROM pending)",
            [SOURCE],
        )
        append(live, "touched", ((run,) for run in fresh))
        return set(fresh)

    def _show_both(self) -> None:
        cursor = self._con.cursor()
        for table in SEEN:
            cursor.execute(
                f"CREATE OR REPLACE VIEW memory.main.{table} AS SELECT * FROM base.main.{table}"
                " WHERE run NOT IN (SELECT run FROM memory.live.touched)"
                f" UNION ALL SELECT * FROM memory.live.{table}"
            )
        cursor.close()


def _interrupt(cursor: "Connection") -> None:
    import duckdb

    # Refused where it is closed already, and while a call begins or ends: close() asks again.
    with suppress(duckdb.Error):
        cursor.interrupt()


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return the folders that hold `paths` and all above them, "" for the root itself."""
    names = {""}
    for path in paths:
        folder = os.path.dirname(path)
        while folder not in names:
            names.add(folder)
            folder = os.path.dirname(folder)
    return names


def start_builder(root: Path) -> subprocess.Popen[bytes]:
    """Start the builder of generation and text index in a process that outlives this one."""
    return subprocess.Popen(
        [sys.executable, "-m", "b100tui.index.builder", os.fspath(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=without_keys(),
        start_new_session=True,
    )


def _changed_ns(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:  # gone or barred: differs from what was there before, so a scan tells
        return 0
