"""Filtered steps out of a folder: as JSON lines, as an imagefolder, or as b100's own files.

The pictures go out byte for byte. What is written is read again as the same runs and steps;
`export.json`, written last, says what was asked for and is the sign of a whole export.
"""

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, structs

from b100tui import __version__
from b100tui.model.errors import CancelledError, PictureError, StoreError, UsageError
from b100tui.model.records import FileFacts, Step
from b100tui.report.export_names import EXTENSIONS, MIMES, Folders
from b100tui.report.export_own import write_own_run, write_own_step, write_records
from b100tui.report.export_rows import csv_header, csv_row, folder_row, json_row
from b100tui.report.export_steps import Outgoing, Skipped, Until, outgoing
from b100tui.sources import open_picture
from b100tui.workspace.atomic import write_atomic

if TYPE_CHECKING:
    from b100tui.index.store import Index

Format = Literal["jsonl", "hf", "files"]
FORMATS: tuple[Format, ...] = ("jsonl", "hf", "files")
_AT_ONCE = 4  # pictures read and hashed at the same time
_ENCODER = msgspec.json.Encoder()


class ExportReport(Struct, frozen=True, kw_only=True):
    """What went out: steps (`rows`), files written, and what stayed back with its reason."""

    rows: int
    files: int
    skipped: tuple[Skipped, ...]

    @property
    def partly(self) -> bool:
        """Whether something that should have gone out did not."""
        return any(one.failed for one in self.skipped)


class _Job(Struct, kw_only=True):
    """One export at work."""

    root: Path
    out: Path
    format: Format
    metrics: tuple[str, ...]
    rows: int = 0
    files: int = 0
    skipped: list[Skipped]
    overview: list[list[Any]]
    ends: dict[str, str]


def export(
    index: "Index",
    out: Path,
    format: Format,
    *,
    filter: str | None = None,
    until: Until | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ExportReport:
    """Write the matching steps to the new or empty folder `out` and return what went out.

    A picture that cannot be read, or is no longer the one that was indexed, stays back with
    its reason. `progress` gets steps done and steps in all. Raises UsageError for an `out`
    that lies in the root or around it, StoreError for one that is not empty or cannot be
    written, FilterError, CancelledError (what was written stays, without export.json).
    """
    _check(index.root, out)
    chosen = list(outgoing(index, filter, until or Until()))
    runs = [one for one, _ in chosen if one is not None]
    metrics = {r.metric for one in runs for records in one.scores.values() for r in records}
    job = _Job(
        root=index.root,
        out=out,
        format=format,
        metrics=tuple(sorted(metrics)),
        skipped=[skip for _, skips in chosen for skip in skips],
        overview=[],
        ends={one.run.run: one.until for one in runs if one.until},
    )
    total, done = sum(len(one.steps) for one in runs), 0
    folders = Folders()
    try:
        out.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_AT_ONCE) as pool, _lines(job) as lines:
            for one in runs:
                folder = folders.of(one.run.run)
                for written in _run(job, pool, one, folder, lines):
                    done += written
                    if progress is not None:
                        progress(done, total)
                    if cancelled is not None and cancelled():
                        raise CancelledError("the export was stopped", f"{out} holds a part of it")
        _finish(job, filter, until)
    except OSError as error:
        raise StoreError(
            f"cannot write {error.filename or out}: {error.strerror}",
            "free space or choose another folder, then export again",
        ) from error
    return ExportReport(rows=job.rows, files=job.files, skipped=tuple(job.skipped))


def _check(root: Path, out: Path) -> None:
    real, other = os.path.realpath(root), os.path.realpath(out)
    if os.path.commonpath([real, other]) in (real, other):
        raise UsageError(
            f"--out {out} lies in the folder it is exported from, or around it",
            "name a folder elsewhere: an export is read as runs of its own",
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out} is there already and not empty", "name a new folder")


def _lines(job: _Job) -> io.BufferedIOBase:
    """Open the manifest of the format; the own files need none."""
    if job.format == "files":
        return io.BytesIO()
    place = job.out / ("steps.jsonl" if job.format == "jsonl" else "train/metadata.jsonl")
    place.parent.mkdir(exist_ok=True)
    job.files += 1
    return place.open("wb")


def _run(
    job: _Job, pool: ThreadPoolExecutor, one: Outgoing, folder: str, lines: io.BufferedIOBase
) -> Iterator[int]:
    """Write the pictures and rows of one run; yields the number of steps dealt with."""
    place = {"jsonl": f"pictures/{folder}", "hf": folder, "files": folder}[job.format]
    base = job.out / "train" if job.format == "hf" else job.out
    (base / place).mkdir(parents=True, exist_ok=True)
    if job.format == "files":
        job.files += write_own_run(job.root, job.out / place, one)
    numbers: set[int] = set()
    rest = iter(one.steps)
    while batch := list(islice(rest, _AT_ONCE)):
        for step, read in zip(batch, pool.map(lambda s: _read(job.root, s), batch), strict=True):
            if isinstance(read, str):
                job.skipped.append(Skipped(step.run, step.step, read, failed=True))
                continue
            data, facts = read
            path = f"{place}/{facts.file}"
            write_atomic(base / path, data, durable=False)
            numbers.add(step.step)
            job.rows += 1
            job.files += 1
            if job.format == "jsonl":
                lines.write(_ENCODER.encode(json_row(one, step, path, facts)) + b"\n")
            elif job.format == "hf":
                row = folder_row(one, step, path, facts, job.metrics)
                lines.write(_ENCODER.encode(row) + b"\n")
            else:
                job.files += write_own_step(job.root, job.out / place, one, step, facts)
                job.overview.append(csv_row(one, step, path, facts, job.metrics))
        yield len(batch)
    job.files += write_records(job.out, one, numbers)


def _read(root: Path, step: Step) -> tuple[bytes, FileFacts] | str:
    """Return the bytes of a picture and its facts, or why it cannot go out."""
    assert step.picture is not None  # only steps with a picture are chosen
    try:
        source = open_picture(root, step.picture)
        data = source if isinstance(source, bytes) else source.read_bytes()
    except PictureError as error:
        return error.message
    except OSError as error:
        return error.strerror or str(error)
    found = hashlib.sha256(data).hexdigest()
    if step.sha256 not in (None, found):
        return "the picture is no longer the one that was indexed: b100 index reads it again"
    kind = step.format or ""
    if kind not in EXTENSIONS:
        return f"its format {kind or 'is unknown'} cannot go out"
    return data, FileFacts(
        sha256=found,
        bytes=len(data),
        width=step.width or 0,
        height=step.height or 0,
        mime=MIMES[kind],
        file=f"step-{step.step:03d}.{EXTENSIONS[kind]}",
    )


def _finish(job: _Job, filter: str | None, until: Until | None) -> None:
    if job.format == "files":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(csv_header(job.metrics))
        writer.writerows(job.overview)
        write_atomic(job.out / "steps.csv", text.getvalue().encode())
        job.files += 1
    facts = {
        "b100_export": 1,
        "version": __version__,
        "format": job.format,
        "filter": filter,
        "until": _words(until or Until()),
        "rows": job.rows,
        "ends": job.ends,
        "skipped": [structs.asdict(one) for one in job.skipped],
    }
    write_atomic(job.out / "export.json", msgspec.json.format(_ENCODER.encode(facts), indent=1))
    job.files += 1


def _words(until: Until) -> str | int | None:
    if until.at == "end":
        return None
    return until.step if until.at == "step" else until.at
