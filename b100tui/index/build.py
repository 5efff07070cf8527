"""Builds and refreshes the index: a new immutable generation when anything changed."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from b100tui.index import generation as files
from b100tui.index.changes import Seen, basis, digest_of, unchanged_report
from b100tui.index.rows import IndexReport, RunRow
from b100tui.index.snapshot import first_paint
from b100tui.model.errors import StoreError
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.locks import hold
from b100tui.workspace.places import cache_dir, workspace_dirs

if TYPE_CHECKING:
    from b100tui.index.tables import Connection

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]
WAIT_SECONDS = 600.0


def refresh(
    root: Path,
    *,
    mapping: Path | None = None,
    rebuild: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
    wait_seconds: float = WAIT_SECONDS,
) -> IndexReport:
    """Bring the index of `root` up to date and return what was found.

    Publishes a new generation only when something changed. `progress` is told (steps read,
    steps to read). Raises LockHeldError when another builder is still at work after
    `wait_seconds`, StoreError when the cache cannot be written (the generation before stays),
    RootError when the folder vanished, IndexCancelledError.
    """
    from b100tui.sources import find_mapping, walk

    started = time.monotonic()
    mapping = mapping or find_mapping(workspace_dirs(root))
    cache = cache_dir(root)
    if not rebuild:
        report = unchanged_report(cache, digest_of(root, walk(root), mapping))
        if report is not None:
            return _now(report, started, (0, 0, 0))
    with hold(files.lock_path(cache), f"indexing {root}", wait_seconds=wait_seconds):
        digest = digest_of(root, walk(root), mapping)
        if not rebuild:
            report = unchanged_report(cache, digest)
            if report is not None:
                return _now(report, started, (0, 0, 0))
        return _build(root, cache, digest, started, mapping, rebuild, progress, cancelled)


def _build(
    root: Path,
    cache: Path,
    digest: str,
    started: float,
    mapping: Path | None,
    rebuild: bool,
    progress: Progress | None,
    cancelled: Cancelled | None,
) -> IndexReport:
    from b100tui.index.ingest import ingest

    files.sweep(cache)
    previous = None if rebuild else _usable_previous(cache)
    generation = (files.newest(cache) or 0) + 1
    temporary = cache / f"building-{os.getpid()}.duckdb"
    try:
        with _writing(temporary, database_or_none(cache, previous)) as con:
            outcome = ingest(con, root, mapping, progress, cancelled)
            if previous is not None and not outcome.altered:
                report = _report(con, previous, started, outcome.counts)
                generation = previous
            else:
                report = _report(con, generation, started, outcome.counts)
                _write_first(con, cache, generation, root)
                con.execute("CHECKPOINT")
        seen = Seen(digest, msgspec.structs.replace(report, added=0, changed=0, removed=0))
        if generation != previous:
            write_atomic(
                files.stamps_path(cache, generation), msgspec.json.encode(seen), durable=False
            )
            files.publish(temporary, cache, generation)
            files.sweep(cache)
        else:
            write_atomic(
                files.stamps_path(cache, generation), msgspec.json.encode(seen), durable=False
            )
    finally:
        for leftover in (temporary, temporary.with_name(temporary.name + ".wal")):
            leftover.unlink(missing_ok=True)
    return _now(report, started, outcome.counts)


def database_or_none(cache: Path, generation: int | None) -> Path | None:
    """Return the database path of a generation, None for none."""
    return None if generation is None else files.database_path(cache, generation)


def _usable_previous(cache: Path) -> int | None:
    """Return the newest generation if it opens and rests on the same basis.

    One that cannot be opened is moved aside: the index is a cache and is built anew.
    """
    import duckdb

    generation = files.newest(cache)
    if generation is None:
        return None
    path = files.database_path(cache, generation)
    try:
        con = duckdb.connect(str(path), read_only=True, config={"threads": "1"})
        try:
            known = con.execute("SELECT value FROM meta WHERE key = 'basis'").fetchall()
        finally:
            con.close()
    except duckdb.Error:
        files.set_aside(cache, generation)
        return _usable_previous(cache)
    return generation if known == [(basis(),)] else None


@contextmanager
def _writing(temporary: Path, previous: Path | None) -> Iterator["Connection"]:
    """Yield a private database, a copy of `previous` or an empty one; named errors on failure."""
    import duckdb

    from b100tui.index.derive import fill_metrics
    from b100tui.index.tables import append, statement

    hint = "free space, or point B100_CACHE_DIR elsewhere"
    hint += "" if previous is None else "; the generation before still serves"
    try:
        if previous is not None:
            shutil.copyfile(previous, temporary)
        con = duckdb.connect(
            str(temporary),
            config={
                "threads": "2",
                "memory_limit": "1GB",
                **files.spilling(temporary.parent),
            },
        )
        try:
            if previous is None:
                con.execute(statement("schema"))
                append(con, "meta", [("basis", basis())])
                fill_metrics(con)
            yield con
        finally:
            con.close()
    except OSError as error:
        raise StoreError(f"cannot write {temporary}: {error.strerror}", hint) from error
    except duckdb.Error as error:
        raise StoreError(f"the index could not be written: {error}", hint) from error


def _write_first(con: "Connection", cache: Path, generation: int, root: Path) -> None:
    items = con.execute("SELECT item FROM run_summary ORDER BY sort_key").fetchall()
    rows = msgspec.json.decode("[" + ",".join(item for (item,) in items) + "]", type=list[RunRow])
    ((steps,),) = con.execute("SELECT count(*) FROM step").fetchall()
    ((metrics,),) = con.execute("SELECT count(DISTINCT metric) FROM series").fetchall()
    paint = first_paint(generation, root, rows, steps, metrics)
    path = files.first_path(cache, generation)
    write_atomic(path, msgspec.json.encode(paint), durable=False, mode=0o600)


def _report(
    con: "Connection", generation: int, started: float, counts: tuple[int, int, int]
) -> IndexReport:
    from b100tui.model.scan import LeftOut

    tables = ("run", "step", "section", "score", "verdict", "mark")
    numbers = con.execute(
        "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    ).fetchall()[0]
    bad = con.execute(
        "SELECT path, reason FROM step WHERE status = 'unreadable'"
        " UNION SELECT path, reason FROM trouble WHERE source = 'scan' ORDER BY ALL"
    ).fetchall()
    records = con.execute("SELECT path, reason FROM trouble WHERE source = 'part'").fetchall()
    added, changed, removed = counts
    runs, steps, sections, scores, verdicts, marks = numbers
    return IndexReport(
        generation=generation,
        runs=runs,
        steps=steps,
        sections=sections,
        scores=scores,
        verdicts=verdicts,
        marks=marks,
        added=added,
        changed=changed,
        removed=removed,
        unreadable=len(bad),
        seconds=time.monotonic() - started,
        unreadable_files=tuple(LeftOut(path or "", reason or "") for path, reason in bad),
        bad_records=tuple(LeftOut(path, reason) for path, reason in records),
    )


def _now(report: IndexReport, started: float, counts: tuple[int, int, int]) -> IndexReport:
    added, changed, removed = counts
    return msgspec.structs.replace(
        report,
        added=added,
        changed=changed,
        removed=removed,
        seconds=time.monotonic() - started,
    )
