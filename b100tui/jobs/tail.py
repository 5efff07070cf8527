"""Follows a job from any number of places: each reader keeps its own place in the files."""

import os
from pathlib import Path

from msgspec import Struct

from b100tui.jobs.files import EVENTS, LOG, decoded, find
from b100tui.jobs.records import Event, Job
from b100tui.jobs.state import job_in
from b100tui.model.errors import StoreError
from b100tui.model.text import clean

LOG_BYTES = 64 * 1024


class Place(Struct, frozen=True):
    """How far a reader is: bytes into `events.jsonl` and `log`; None begins near the end."""

    events: int | None = None
    log: int | None = None


class Tail(Struct, frozen=True, kw_only=True):
    """The job as it is now, what is new since `place`, and the place to ask from next."""

    job: Job
    events: tuple[Event, ...]
    log: str
    place: Place


def tail(root: Path, id: str, place: Place | None = None, *, most: int = LOG_BYTES) -> Tail:
    """Return what is new in a job since `place`: at most `most` bytes of each file at a time.

    The log is cleaned of control characters. Raises UnknownJobError, StoreError.
    """
    folder = find(root, id)
    here = place or Place()
    lines, events_at = _new(folder / EVENTS, here.events, most)
    text, log_at = _new(folder / LOG, here.log, most)
    return Tail(
        job=job_in(folder),
        events=tuple(decoded(lines.split(b"\n"))),
        log=clean(text.decode("utf-8", "replace").replace("\r", "\n")),
        place=Place(events_at, log_at),
    )


def _new(path: Path, start: int | None, most: int) -> tuple[bytes, int]:
    """Return whole lines from byte `start` and where they end."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            first = max(0, size - most) if start is None or start > size else start
            file.seek(first)
            data = file.read(most)
    except FileNotFoundError:
        return b"", 0
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    whole = data.rfind(b"\n") + 1
    if not whole and len(data) == most:
        whole = most  # a line longer than that is handed over in pieces
    return data[:whole], first + whole
