"""What a scan of a folder found: runs, their steps, and what was left out and why."""

from itertools import pairwise
from typing import Any

from msgspec import Struct, field

from b100tui.model.records import PictureRef, Run, Section

MISSING_LISTED = 1000


class SourceStep(Struct, frozen=True, kw_only=True):
    """One step as listed, before its picture or sidecar is opened.

    `sidecar` is the path of its JSON record (relative to ROOT) with that file's stamp; the
    other fields hold what a manifest, CSV or JSONL said of the step.
    """

    step: int
    picture: PictureRef
    sidecar: str | None = None
    sidecar_bytes: int = 0
    sidecar_mtime_ns: int = 0
    prompt: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    editor: str | None = None
    model: str | None = None
    sections: tuple[Section, ...] = ()
    reasoning: str | None = None  # path of a text file with the reasoning summary
    scores: dict[str, float | None] = field(default_factory=dict)  # None: a score that failed
    width: int | None = None
    height: int | None = None
    sha256: str | None = None
    refused: str | None = None  # why the editor gave no picture; then `picture.path` is empty
    absent: str | None = None  # where the picture is instead (a url, a drive); path empty too


class Duplicate(Struct, frozen=True):
    """One step found more than once: the file that is used and the others."""

    step: int
    chosen: str
    others: tuple[str, ...]


class LeftOut(Struct, frozen=True):
    """A file that is not used, or cannot be read, and why."""

    path: str
    reason: str


class Reading(Struct, frozen=True):
    """What one layout took and why: a manifest or folder ("" for the root) and its yield."""

    layout: str
    path: str
    why: str
    runs: int
    steps: int


class SourceRun(Struct, frozen=True, kw_only=True):
    """One run as listed, steps in ascending order; `folder` is relative to ROOT."""

    run: Run
    folder: str
    steps: tuple[SourceStep, ...]
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def missing(self) -> tuple[int, ...]:
        """Steps absent between the first and the last; one wild number lists a thousand at most."""
        absent: list[int] = []
        for before, after in pairwise(sorted({step.step for step in self.steps})):
            room = MISSING_LISTED - len(absent)
            absent.extend(range(before + 1, min(after, before + 1 + room)))
        return tuple(absent)


class Scan(Struct, frozen=True, kw_only=True):
    """The whole result. `layout` names what was recognised (several are joined with +)."""

    layout: str
    runs: tuple[SourceRun, ...]
    unused: tuple[LeftOut, ...] = ()
    unreadable: tuple[LeftOut, ...] = ()
    readings: tuple[Reading, ...] = ()
    stamps: dict[str, tuple[int, int]] = field(default_factory=dict)  # path -> (bytes, mtime_ns)
