"""Takes what changed in the folder and the parts into a database, and derives the rest."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from b100tui.index.changes import run_signature, step_signature
from b100tui.index.derive import derive, set_pending
from b100tui.index.reading import Wanted, read_steps
from b100tui.index.records import Read, read_new
from b100tui.index.tables import append, finite, run_row, section_rows, step_row
from b100tui.model.errors import B100Error
from b100tui.model.scan import Scan, SourceRun

if TYPE_CHECKING:
    from b100tui.index.tables import Connection


class IndexCancelledError(B100Error):
    """The person stopped the build; the generation before still serves."""


CLOCK_SLACK_NS = 2_000_000_000  # coarse file times, and a server whose clock differs a little
SOURCE = "source"  # part and metric_version of scores that the folder itself holds


class Plan(Struct):
    """What differs between a scan and what a database holds."""

    wanted: list[Wanted] = field(default_factory=list)
    signatures: dict[tuple[str, int], str] = field(default_factory=dict)
    runs: list[tuple[SourceRun, str]] = field(default_factory=list)  # new or changed runs
    gone_runs: list[str] = field(default_factory=list)
    gone_steps: list[tuple[str, int]] = field(default_factory=list)  # removed or changed ones
    touched: set[str] = field(default_factory=set)
    added: int = 0
    changed: int = 0
    removed: int = 0


class Outcome(Struct):
    """What was done; `altered` is False when the database stayed as it was."""

    altered: bool
    counts: tuple[int, int, int]  # steps added, changed, removed


def ingest(
    con: "Connection",
    root: Path,
    mapping: Path | None,
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool] | None,
) -> Outcome:
    """Bring the tables of `con` up to date with the folder and the parts of `root`."""
    from b100tui.sources import scan_folder

    began = time.time_ns() - CLOCK_SLACK_NS
    scan = scan_folder(root, mapping, cancelled=cancelled)
    old_runs = dict(con.execute("SELECT run, signature FROM run").fetchall())
    old_steps = {
        (run, step): signature
        for run, step, signature in con.execute("SELECT run, step, signature FROM step").fetchall()
    }
    plan = compare(scan, old_runs, old_steps)
    con.execute("BEGIN")
    apply_runs(con, plan)
    take_steps(con, root, plan, progress, cancelled)
    places = dict(con.execute("SELECT path, place FROM part").fetchall())
    read = read_new(con, root, places)
    touched = plan.touched | affected_runs(con, read, everything=bool(read.gone))
    trouble = _note_trouble(con, scan, read)
    altered = bool(touched or plan.gone_runs or read.records or read.gone or trouble)
    if altered:
        set_pending(con, touched)
        derive(con)
        con.execute("DELETE FROM pending")
    con.execute("DELETE FROM meta WHERE key = 'began'")
    append(con, "meta", [("began", str(began))])
    con.execute("DELETE FROM part")
    append(con, "part", ((path, kind, place) for path, (kind, place) in read.places.items()))
    con.execute("COMMIT")
    return Outcome(altered=altered, counts=(plan.added, plan.changed, plan.removed))


def compare(scan: Scan, old_runs: dict[str, str], old_steps: dict[tuple[str, int], str]) -> Plan:
    """Return what to read and what to drop so that the tables say what the scan says."""
    plan = Plan()
    seen_steps: set[tuple[str, int]] = set()
    seen_runs: set[str] = set()
    for source in scan.runs:
        name = source.run.run
        seen_runs.add(name)
        signature = run_signature(source)
        if old_runs.get(name) != signature:
            plan.runs.append((source, signature))
            plan.touched.add(name)
        for step in source.steps:
            key = (name, step.step)
            seen_steps.add(key)
            mark = step_signature(step, scan)
            before = old_steps.get(key)
            if before == mark:
                continue
            plan.signatures[key] = mark
            plan.wanted.append((source.run, step))
            plan.touched.add(name)
            if before is None:
                plan.added += 1
            else:
                plan.changed += 1
                plan.gone_steps.append(key)
    lost = [key for key in old_steps if key not in seen_steps]
    plan.removed = len(lost)
    plan.gone_steps.extend(lost)
    plan.gone_runs = [name for name in old_runs if name not in seen_runs]
    plan.touched.update(run for run, _ in lost)
    return plan


def apply_runs(con: "Connection", plan: Plan) -> None:
    """Drop what is gone or replaced and write the new run rows."""
    con.execute("CREATE OR REPLACE TEMP TABLE gone (run VARCHAR, step BIGINT)")
    append(con, "gone", plan.gone_steps)
    if plan.gone_steps:
        for table in ("step", "section"):
            con.execute(f"DELETE FROM {table} WHERE (run, step) IN (SELECT run, step FROM gone)")
        con.execute(
            "DELETE FROM score_record WHERE part = ? AND (run, step) IN"
            " (SELECT run, step FROM gone)",
            [SOURCE],
        )
    stale = [*plan.gone_runs, *(source.run.run for source, _ in plan.runs)]
    con.execute("DELETE FROM gone")
    append(con, "gone", ((run, 0) for run in stale))
    if stale:
        con.execute("DELETE FROM run WHERE run IN (SELECT run FROM gone)")
    if plan.gone_runs:
        con.execute("DELETE FROM gone")
        append(con, "gone", ((run, 0) for run in plan.gone_runs))
        for table in ("score", "series", "gap", "verdict", "mark", "run_summary"):
            con.execute(f"DELETE FROM {table} WHERE run IN (SELECT run FROM gone)")
    append(
        con,
        "run",
        (run_row(source, signature) for source, signature in plan.runs),
    )
    con.execute("DROP TABLE gone")


def take_steps(
    con: "Connection",
    root: Path,
    plan: Plan,
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool] | None,
) -> None:
    """Read the wanted steps into the tables. Raises IndexCancelledError."""
    done = 0
    for steps in read_steps(root, plan.wanted, cancelled):
        append(
            con,
            "step",
            (step_row(step, plan.signatures[step.run, step.step]) for step in steps),
        )
        append(con, "section", (row for step in steps for row in section_rows(step)))
        done += len(steps)
        if progress is not None:
            progress(done, len(plan.wanted))
    if done < len(plan.wanted):
        raise IndexCancelledError("indexing was stopped", "run b100 index again to go on")
    append(con, "score_record", _source_scores(plan.wanted))


def affected_runs(con: "Connection", read: Read, *, everything: bool, schema: str = "") -> set[str]:
    """Return the runs whose derived rows new records may change; `schema` holds run and step."""
    if everything:
        return {run for (run,) in con.execute(f"SELECT run FROM {schema}run").fetchall()}
    if not read.records:
        return set()
    con.execute("CREATE OR REPLACE TEMP TABLE spoken (name VARCHAR)")
    append(con, "spoken", ((name,) for name in read.runs | read.hashes))
    rows = con.execute(
        f"SELECT run FROM {schema}run WHERE run IN (SELECT name FROM spoken)"
        f" UNION SELECT run FROM {schema}step WHERE sha256 IN (SELECT name FROM spoken)"
    ).fetchall()
    con.execute("DROP TABLE spoken")
    return {run for (run,) in rows}


def _source_scores(wanted: Sequence[Wanted]) -> Iterable[tuple[Any, ...]]:
    from b100tui.metrics.registry import identifier

    for run, step in wanted:
        for name, value in step.scores.items():
            error = None if finite(value) is not None else "nan"
            yield (
                *(SOURCE, 0, run.run, step.step, identifier(name), SOURCE, finite(value), error),
                *(None, None, None, None, None, None, None, None, run.simulated, None, "", ""),
            )


def _note_trouble(con: "Connection", scan: Scan, read: Read) -> bool:
    """Keep what could not be read; return whether that changed."""
    before = con.execute("SELECT path, reason, source FROM trouble").fetchall()
    now = [(item.path, item.reason, "scan") for item in scan.unreadable]
    kept = [row for row in before if row[2] == "part" and row[0] not in read.gone]
    now += kept + [(item.path, item.reason, "part") for item in read.bad]
    if sorted(now) == sorted(before):
        return False
    con.execute("DELETE FROM trouble")
    append(con, "trouble", now)
    return True
