"""What a session knows and writes: scores by key, counts, times, and the records of new scores."""

import socket
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from b100tui.metrics import registry
from b100tui.metrics.protocol import metric_version
from b100tui.model.records import PictureRef, ScoreRecord
from b100tui.model.text import clean
from b100tui.scoring.done import Done, Key
from b100tui.scoring.messages import Found, Result
from b100tui.scoring.plan import Task
from b100tui.workspace.parts import PartWriter

_HOST = socket.gethostname()


class Ledger:
    """Counts end up in `skipped`, `done`, `failed` (metric, reason) and `times` (n, seconds).

    The sessions of several devices share one, each from a thread of its own.
    """

    def __init__(self, known: Done, parts: PartWriter, *, retry_failed: bool) -> None:
        self.known = known
        self.versions: dict[str, dict[str, str]] = {}
        self.skipped = 0
        self.done = 0
        self.failed: dict[str, Counter[str]] = {}
        self.times: dict[str, tuple[int, float]] = {}
        self.settled: Counter[str] = Counter()
        self._parts = parts
        self._retry_failed = retry_failed
        self._tried: set[Key] = set()
        self._lock = threading.RLock()

    def key(self, name: str, identity: str, reference: str | None) -> Key:
        """Return the key of a score of these bytes by this session's version of the metric."""
        version = metric_version(self.versions[name])
        return Key(identity, name, version, (reference or "") if compares(name) else "")

    def unsettled(self, names: Sequence[str], identity: str, reference: str | None) -> list[str]:
        """Return the metrics still to be measured; count the others as skipped or failed."""
        with self._lock:
            missing = []
            for name in names:
                key = self.key(name, identity, reference)
                known = self.known.outcomes.get(key)
                retry = self._retry_failed and key not in self._tried
                if known is None or (known.value is None and retry):
                    missing.append(name)
                elif known.value is None:
                    self.fail(name, known.error or "error")
                else:
                    self.skip(name)
            return missing

    def skip(self, name: str) -> None:
        """Count a score that is there already."""
        with self._lock:
            self.skipped += 1
            self.settled[name] += 1

    def fail(self, metric: str, error: str, count: int = 1) -> None:
        """Count scores without a value."""
        with self._lock:
            self.failed.setdefault(metric, Counter())[error] += count
            self.settled[metric] += count

    def failures(self) -> int:
        """Return how many scores have no value."""
        return sum(sum(reasons.values()) for reasons in self.failed.values())

    def store(self, records: Sequence[ScoreRecord]) -> None:
        """Write new scores durably, then count them. Raises StoreError."""
        with self._lock:
            self._parts.append(*records)
            for record in records:
                self.known.add(record)
                identity = record.sha256 or f"{record.run}@{record.step}"
                self._tried.add(
                    Key(
                        identity,
                        record.metric,
                        record.metric_version,
                        record.reference_sha256 or "",
                    )
                )
                if record.value is None:
                    self.fail(record.metric, record.error or "error")
                else:
                    self.done += 1
                    self.settled[record.metric] += 1

    def time(self, seconds: Mapping[str, float]) -> None:
        """Take the seconds of one picture's metrics into their means."""
        with self._lock:
            for name, each in seconds.items():
                n, total = self.times.get(name, (0, 0.0))
                self.times[name] = (n + 1, total + each)

    def copy(self, task: Task, found: Found, names: set[str]) -> None:
        """Store known values for a file whose hash nobody had noted, so that it joins them."""
        with self._lock:
            step = task.step
            assert step.picture is not None
            ref = PictureRef(
                step.picture.path, step.picture.member, found.bytes or 0, found.mtime_ns or 0
            )
            if step.sha256 == found.sha256 or self.known.sha256(ref) == found.sha256:
                return
            records = []
            for name in sorted(names):
                key = self.key(name, found.sha256 or "", found.reference_sha256)
                known = self.known.outcomes[key]
                record = self.record(task, found, name, Result(-1, known.pixels, {}, {}, {}))
                records.append(
                    msgspec.structs.replace(
                        record, value=known.value, error=known.error, message=known.message
                    )
                )
            self._parts.append(*records)
            for record in records:
                self.known.add(record)

    def record(self, task: Task, found: Found, name: str, result: Result) -> ScoreRecord:
        """Return the record of one score."""
        step, base = task.step, task.reference
        assert step.picture is not None
        failed = result.failures.get(name)
        parts = self.versions[name]
        against = base is not None and compares(name)
        return ScoreRecord(
            run=step.run,
            step=step.step,
            metric=name,
            metric_version=metric_version(parts),
            value=result.values.get(name),
            error=failed.error if failed else None,
            message=clean(failed.message if failed else result.notes.get(name, "")) or None,
            sha256=found.sha256,
            path=step.picture.path,
            member=step.picture.member,
            bytes=found.bytes if found.sha256 else step.picture.bytes,
            mtime_ns=found.mtime_ns if found.sha256 else step.picture.mtime_ns,
            pixels=result.pixels,
            reference=base.step if base is not None and against else None,
            reference_sha256=found.reference_sha256 if against else None,
            seconds=result.seconds.get(name),
            host=_HOST,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            parts=parts,
        )


def compares(name: str) -> bool:
    """Say whether the metric compares against a reference step."""
    return registry.metric(name).needs_reference
