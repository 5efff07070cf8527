"""The gate of one run: reads that run's folder alone, measures what is not scored, decides.

Runs in b100's own layout need no index at all; others are looked up in the index, which the
caller has brought up to date.
"""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from b100tui.analysis.gate import Gate, gate_limit, gate_onset
from b100tui.analysis.limit import Tolerance, defaults
from b100tui.analysis.signals import SIGNALS
from b100tui.model.errors import B100Error, PictureError, StoreError
from b100tui.model.records import Run, ScoreRecord, Step
from b100tui.report.onsets import ALIGNED, Signals, absurd_note, limit_series, prepared
from b100tui.workspace.parts import PartWriter, part_files, read_part
from b100tui.workspace.places import cache_dir, workspace_dir, workspace_dirs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

On = Literal["onset", "limit"]
Scored = dict[tuple[int, str], float]  # (step, metric) -> value
Progress = Callable[[int, int], None]


class GateAnswer(Struct, frozen=True, kw_only=True):
    """The decision on one run at one step, as the command line prints it.

    `crossed` is None when nothing can be decided. `measured` counts the pictures whose probes
    were measured for it, `stored` says whether they were kept.
    """

    run: str
    step: int
    crossed: bool | None
    on: On
    value: int | None
    low: int | None
    high: int | None
    return_to: int | None
    why: str
    look: int | None = None
    signals: tuple[str, ...] = ()
    reference: int = 1
    measured: int = 0
    stored: str = ""


class OneRun(Struct, frozen=True):
    """A run and its steps, read without the rest of the folder."""

    run: Run
    steps: tuple[Step, ...]


def own_run(root: Path, name: str) -> OneRun | None:
    """Return the run in b100's own layout that lies at ROOT/name, None when none does.

    Only that folder is listed and only its sidecars are read.
    """
    from b100tui.sources import read_step
    from b100tui.sources.layouts.own import claim_own
    from b100tui.sources.listing import Listing

    folder = os.path.normpath(name)
    place = root / folder
    if folder.startswith("..") or os.path.isabs(folder) or not (place / "run.json").is_file():
        return None
    listing = Listing(root=root)
    with os.scandir(place) as entries:
        files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
    listing.folders[folder] = [entry.name for entry in files]
    for entry in files:
        facts = entry.stat(follow_symlinks=False)
        listing.stamps[f"{folder}/{entry.name}"] = (facts.st_size, facts.st_mtime_ns)
    found = claim_own(listing).runs
    if not found:
        return None
    source = found[0]
    return OneRun(source.run, tuple(read_step(root, source.run, step) for step in source.steps))


def wanted_signals(on: On, tolerances: Sequence[Tolerance]) -> tuple[str, ...]:
    """Return the probes that the decision rests on; aligned fidelity is not among them."""
    names = SIGNALS if on == "onset" else tuple(dict.fromkeys(one.signal for one in tolerances))
    return tuple(name for name in names if name not in ALIGNED)


def known_scores(root: Path, one: OneRun, names: Sequence[str]) -> Scored:
    """Return the scores of one run from the newest index and the records written since."""
    by_hash: dict[str, list[int]] = {}
    for step in one.steps:
        if step.sha256:
            by_hash.setdefault(step.sha256, []).append(step.step)
    hashes = {step.step: step.sha256 for step in one.steps}
    scored, places = _indexed(root, one, names, hashes)
    wanted = frozenset(names)
    for path in part_files(workspace_dirs(root), "scores"):
        try:
            for record, _ in read_part(path, ScoreRecord, places.get(str(path), 0)):
                if not isinstance(record, ScoreRecord) or record.metric not in wanted:
                    continue
                if record.value is None or not _same_reference(record, hashes):
                    continue
                if record.sha256:
                    steps = by_hash.get(record.sha256, [])
                else:
                    steps = [record.step] if record.run == one.run.run else []
                for number in steps:
                    scored.setdefault((number, record.metric), record.value)
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    return scored


def _same_reference(record: ScoreRecord, hashes: Mapping[int, str | None]) -> bool:
    if record.reference_sha256 is None:
        return True
    return hashes.get(record.reference or 0) == record.reference_sha256


def _indexed(
    root: Path, one: OneRun, names: Sequence[str], hashes: Mapping[int, str | None]
) -> tuple[Scored, dict[str, int]]:
    """Return the scores in the newest generation, and up to where it has read the parts.

    Opens the file for reading only; without a generation everything is read from the parts.
    """
    from b100tui.index.generation import database_path, newest

    cache = cache_dir(root)
    generation = newest(cache)
    if generation is None:
        return {}, {}
    import duckdb

    try:
        con = duckdb.connect(
            str(database_path(cache, generation)), read_only=True, config={"threads": "1"}
        )
        try:
            rows = con.execute(
                "SELECT s.step, s.metric, s.value, t.sha256 FROM score s"
                " JOIN step t ON t.run = s.run AND t.step = s.step"
                " WHERE s.run = ? AND s.value IS NOT NULL AND s.metric IN (SELECT unnest(?))",
                [one.run.run, list(names)],
            ).fetchall()
            places = dict(con.execute("SELECT path, place FROM part").fetchall())
        finally:
            con.close()
    except duckdb.Error:
        return {}, {}  # a damaged cache costs time only: the parts hold everything
    scored = {
        (step, metric): value
        for step, metric, value, sha256 in rows
        if hashes.get(step) in (None, sha256)
    }
    return scored, places


def measure_missing(
    root: Path,
    one: OneRun,
    scored: Scored,
    names: Sequence[str],
    upto: int,
    progress: Progress | None = None,
) -> tuple[list[ScoreRecord], int]:
    """Measure the probes that steps up to `upto` lack; return records and count of pictures.

    The values go into `scored` too. A picture that cannot be read costs itself only.
    """
    from b100tui.metrics.probes import AGAINST, ALONE

    base = next((step for step in one.steps if step.step == 1), None)
    tasks: list[tuple[Step, list[str]]] = []
    for step in one.steps:
        if step.step > upto or step.status != "ok" or step.picture is None:
            continue
        missing = [
            name
            for name in names
            if (step.step, name) not in scored
            and (name in ALONE or (name in AGAINST and base is not None and step.step > 1))
        ]
        if missing:
            tasks.append((step, missing))
    if not tasks:
        return [], 0
    reference = _pixels(root, base) if base is not None else None
    records: list[ScoreRecord] = []
    with ThreadPoolExecutor(os.cpu_count() or 1, "b100-gate") as pool:
        jobs = [pool.submit(_measured, root, *task, base, reference) for task in tasks]
        for done, job in enumerate(jobs, 1):
            for record in job.result():
                records.append(record)
                if record.value is not None:
                    scored.setdefault((record.step, record.metric), record.value)
            if progress is not None:
                progress(done, len(jobs))
    return records, len(tasks)


def _pixels(root: Path, step: Step) -> "tuple[NDArray[np.uint8], str] | None":
    """Return the decoded picture and the sha256 of its bytes; None when it cannot be read."""
    import hashlib

    from b100tui.imaging.decode import decode
    from b100tui.sources.pictures import open_picture

    if step.picture is None:
        return None
    try:
        source = open_picture(root, step.picture)
        data = source if isinstance(source, bytes) else source.read_bytes()
        return decode(data).pixels, hashlib.sha256(data).hexdigest()
    except (PictureError, OSError):
        return None


def _measured(
    root: Path,
    step: Step,
    names: Sequence[str],
    base: Step | None,
    reference: "tuple[NDArray[np.uint8], str] | None",
) -> list[ScoreRecord]:
    from b100tui.metrics.probes import AGAINST, Probes
    from b100tui.metrics.protocol import Failure, metric_version

    found = _pixels(root, step)
    if found is None:
        return []
    pixels, sha256 = found
    probes = Probes()
    outcomes = probes.measure(names, pixels, None if reference is None else reference[0])
    picture = step.picture
    records = []
    for name, outcome in outcomes.items():
        parts = probes.version_parts(name)
        against = name in AGAINST and base is not None and reference is not None
        value = outcome if isinstance(outcome, float) else None
        failed = outcome if isinstance(outcome, Failure) else None
        records.append(
            ScoreRecord(
                run=step.run,
                step=step.step,
                metric=name,
                metric_version=metric_version(parts),
                value=value,
                error=failed.error if failed is not None else None,
                message=failed.message if failed is not None else None,
                sha256=sha256,
                path=picture.path if picture else None,
                member=picture.member if picture else None,
                bytes=picture.bytes if picture else None,
                mtime_ns=picture.mtime_ns if picture else None,
                pixels=(pixels.shape[1], pixels.shape[0]) if value is not None else None,
                reference=base.step if against and base is not None else None,
                reference_sha256=reference[1] if against and reference is not None else None,
                host=socket.gethostname(),
                time=datetime.now(UTC).isoformat(timespec="milliseconds"),
                parts=parts,
            )
        )
    return records


def decide(
    one: OneRun,
    scored: Scored,
    step: int,
    on: On,
    *,
    reference: int = 1,
    using: Sequence[Tolerance] | None = None,
    aligned: Mapping[str, Mapping[int, float | None]] | None = None,
) -> Gate:
    """Return the decision from the scores of the steps up to `step`; later ones are not read.

    `aligned` is what alignment says where drift was measured before.
    """
    series: Signals = {
        name: {at: value for at, value in values.items() if at <= step}
        for name, values in (aligned or {}).items()
    }
    for (at, name), value in scored.items():
        if at <= step and name not in ALIGNED:
            series.setdefault(name, {})[at] = value
    steps = [known for known in one.steps if known.step <= step]
    ready = prepared(one.run, steps, series, reference=reference, aligned=bool(aligned))
    if not ready.comparable:
        why = "; ".join(ready.not_compared) or f"nothing follows reference step {reference}"
        return Gate(step=step, crossed=None, on=on, why=f"no step can be compared: {why}")
    tolerances = defaults() if using is None else using
    if on == "limit":
        found = gate_limit(
            limit_series(ready), ready.comparable, step, reference=reference, using=tolerances
        )
        return _saying(found, absurd_note(ready, (), tolerances))
    signals = {
        name: (list(values), list(values.values()))
        for name, values in ready.signals.items()
        if name in SIGNALS
    }
    return _saying(gate_onset(signals, step, reference=reference), absurd_note(ready, (), ()))


def _saying(found: Gate, words: str) -> Gate:
    return structs.replace(found, why=f"{found.why}; {words}") if words else found


def gate(
    root: Path,
    one: OneRun,
    *,
    step: int | None = None,
    on: On = "onset",
    reference: int = 1,
    using: Sequence[Tolerance] | None = None,
    probes: bool = True,
    progress: Progress | None = None,
) -> GateAnswer:
    """Return whether a run has broken by `step` (default: its last), measuring what is missing.

    New probe values are kept with the scores of ROOT; where they cannot be written the answer
    is the same and `stored` says why.
    """
    last = max((known.step for known in one.steps if known.status == "ok"), default=0)
    upto = last if step is None else step
    names = wanted_signals(on, defaults() if using is None else using)
    scored = known_scores(root, one, names)
    measured, stored = 0, ""
    if probes:
        records, measured = measure_missing(root, one, scored, names, upto, progress)
        stored = _store(root, records)
    aligned = _kept_alignment(root, one, reference)
    found = decide(one, scored, upto, on, reference=reference, using=using, aligned=aligned)
    if not found.crossed and upto > last:
        why = f"step {upto} is not there yet: the last picture is step {last}"
        found = Gate(step=upto, crossed=None, on=on, why=why)
    return GateAnswer(
        run=one.run.run,
        step=upto,
        crossed=found.crossed,
        on=on,
        value=found.value,
        low=found.low,
        high=found.high,
        return_to=found.return_to,
        why=found.why,
        look=found.look,
        signals=found.signals,
        reference=reference,
        measured=measured,
        stored=stored,
    )


def _kept_alignment(
    root: Path, one: OneRun, reference: int
) -> Mapping[str, Mapping[int, float | None]]:
    """Return what alignment says of a run, as far as drift was measured before."""
    from b100tui.report.drift import kept_series

    kept = kept_series(root, one.steps, reference)
    return {} if kept is None else kept.signals()


def _store(root: Path, records: Sequence[ScoreRecord]) -> str:
    if not records:
        return ""
    writer = PartWriter(workspace_dir(root) / "scores")
    try:
        writer.append(*records)
    except B100Error as error:
        return f"not kept: {error.message}"
    finally:
        writer.close()
    return f"{len(records)} probe values kept"
