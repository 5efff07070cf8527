"""The files of a job: where they lie, and how they are read and written."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import msgspec

from b100tui.jobs.records import Event, Stored, Want
from b100tui.model.errors import UNPARSABLE, B100Error, StoreError, parse_fault
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.places import workspace_dirs

PLAN, EVENTS, LOG, BEAT, WANT, LOCK = "job.json", "events.jsonl", "log", "beat", "want", "lock"
FOLDER = "B100_JOB"  # environment variable: the folder of the job this process works for
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_LAST_BYTES = 64 * 1024


class UnknownJobError(B100Error):
    """No job, or more than one, answers to the given id."""


def folders(root: Path) -> list[Path]:
    """Return the folders of all jobs of `root`, by name."""
    found = [
        entry
        for place in workspace_dirs(root)
        if (place / "jobs").is_dir()
        for entry in (place / "jobs").iterdir()
        if (entry / PLAN).is_file()
    ]
    return sorted(found, key=lambda folder: folder.name)


def find(root: Path, id: str) -> Path:
    """Return the folder of the job with this id or unique beginning of one.

    Raises UnknownJobError naming what there is.
    """
    there = folders(root)
    same = [folder for folder in there if folder.name == id]
    near = same or [folder for folder in there if _ID.fullmatch(id) and folder.name.startswith(id)]
    if len(near) == 1:
        return near[0]
    if near:
        raise UnknownJobError(
            f"{len(near)} jobs begin with {id!r}", ", ".join(folder.name for folder in near[:5])
        )
    raise UnknownJobError(f"no job {id!r}", "b100 jobs lists them")


def read_plan(folder: Path) -> Stored:
    """Return `job.json`. Raises StoreError when it cannot be read."""
    path = folder / PLAN
    try:
        return msgspec.json.decode(path.read_bytes(), type=Stored)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    except UNPARSABLE as error:
        raise StoreError(f"{path}: {parse_fault(error)}", "remove that folder") from error


def write_plan(folder: Path, stored: Stored) -> None:
    """Replace `job.json` durably. Raises StoreError."""
    write_atomic(folder / PLAN, msgspec.json.format(msgspec.json.encode(stored)))


def append(folder: Path, event: Event) -> None:
    """Add one line to `events.jsonl` in one write. Raises StoreError."""
    path = folder / EVENTS
    try:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        try:
            os.write(handle, msgspec.json.encode(event) + b"\n")
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}", "free space") from error


def last_events(folder: Path) -> list[Event]:
    """Return the newest events, oldest first: those in the last 64 kB."""
    try:
        with (folder / EVENTS).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = max(0, size - _LAST_BYTES)
            file.seek(start)
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"cannot read {folder / EVENTS}: {error.strerror}") from error
    return list(decoded(lines[1:] if start else lines))


def decoded(lines: Iterable[bytes]) -> Iterable[Event]:
    """Yield the events among `lines`; torn or foreign ones are passed over."""
    decoder = msgspec.json.Decoder(Event)
    for line in lines:
        try:
            yield decoder.decode(line)
        except UNPARSABLE:
            continue


def read_want(folder: Path) -> Want:
    """Return what a person last asked of the job: run, pause or cancel."""
    try:
        text = (folder / WANT).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return "run"
    for word in get_args(Want):
        if text == word:
            known: Want = word
            return known
    return "run"


def write_want(folder: Path, want: Want) -> None:
    """Ask the job to run, pause or end. Raises StoreError."""
    write_atomic(folder / WANT, want.encode("ascii"), durable=False)
