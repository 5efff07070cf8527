"""What a scan of a folder found: runs, their steps, and what was left out and why."""

from typing import Any

from msgspec import Struct, field

from b100tui.model.records import PictureRef, Run, Section


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
    scores: dict[str, float] = field(default_factory=dict)
    width: int | None = None
    height: int | None = None
    sha256: str | None = None
    refused: str | None = None  # why the editor gave no picture; then `picture.path` is empty


class Duplicate(Struct, frozen=True):
    """One step found more than once: the file that is used and the others."""

    step: int
    chosen: str
    others: tuple[str, ...]


class LeftOut(Struct, frozen=True):
    """A file that is not used, or cannot be read, and why."""

    path: str
    reason: str


class SourceRun(Struct, frozen=True, kw_only=True):
    """One run as listed, steps in ascending order; `folder` is relative to ROOT."""

    run: Run
    folder: str
    steps: tuple[SourceStep, ...]
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def missing(self) -> tuple[int, ...]:
        """Steps absent between the first and the last."""
        have = {step.step for step in self.steps}
        if not have:
            return ()
        return tuple(n for n in range(min(have), max(have) + 1) if n not in have)


class Scan(Struct, frozen=True, kw_only=True):
    """The whole result. `layout` names what was recognised (several are joined with +)."""

    layout: str
    runs: tuple[SourceRun, ...]
    unused: tuple[LeftOut, ...] = ()
    unreadable: tuple[LeftOut, ...] = ()
    stamps: dict[str, tuple[int, int]] = field(default_factory=dict)  # path -> (bytes, mtime_ns)
