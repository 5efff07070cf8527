"""What is scored already: the score parts on disk, seen by key."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from b100tui.model.errors import StoreError
from b100tui.model.records import PictureRef, ScoreRecord
from b100tui.model.scan import LeftOut
from b100tui.workspace.parts import part_files, read_part
from b100tui.workspace.places import workspace_dirs


class Key(Struct, frozen=True):
    """When two scores are the same: equal bytes, metric, metric version and reference bytes.

    `identity` is the picture's sha256, or `run@step` where its bytes cannot be read.
    """

    identity: str
    metric: str
    metric_version: str
    reference: str = ""


class Outcome(Struct, frozen=True):
    """A stored value, or why there is none."""

    value: float | None
    error: str | None
    message: str | None
    pixels: tuple[int, int] | None


class Done:
    """Known scores by key and known hashes by file; the first valid value of a key wins."""

    def __init__(self) -> None:
        self.outcomes: dict[Key, Outcome] = {}
        self._files: dict[PictureRef, str] = {}

    def add(self, record: ScoreRecord) -> None:
        """Take one record in."""
        identity = record.sha256 or f"{record.run}@{record.step}"
        key = Key(identity, record.metric, record.metric_version, record.reference_sha256 or "")
        known = self.outcomes.get(key)
        if known is None or known.value is None:
            self.outcomes[key] = Outcome(record.value, record.error, record.message, record.pixels)
        if record.sha256 and record.path is not None:
            ref = PictureRef(record.path, record.member, record.bytes or 0, record.mtime_ns or 0)
            self._files[ref] = record.sha256

    def sha256(self, ref: PictureRef) -> str | None:
        """Return the hash of a file that was scored and has not changed since."""
        return self._files.get(ref)


def read_records(root: Path) -> Iterator[ScoreRecord]:
    """Yield every readable score record of `root`, part by part; torn lines are left out.

    Raises StoreError when a part cannot be read.
    """
    for path in part_files(workspace_dirs(root), "scores"):
        try:
            for record, _ in read_part(path, ScoreRecord):
                if not isinstance(record, LeftOut):
                    yield record
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror}", "make it readable") from error


def read_done(root: Path) -> Done:
    """Return what is scored already under `root`."""
    done = Done()
    for record in read_records(root):
        done.add(record)
    return done
