"""The ledger of money over all roots: reserve before a call, settle after it, never the other way.

`ledger.jsonl` in the user's state folder is append-only; every reservation is fsynced before its
call is sent. What is reserved and never settled (a killed process, a settlement that a power cut
swallowed) counts as spent at the reserved price, so the ledger is never below the bill.
"""

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from b100tui.model.errors import UNPARSABLE, BudgetError, StoreError
from b100tui.workspace.atomic import sync_file
from b100tui.workspace.locks import hold
from b100tui.workspace.places import make_private, state_dir

NAME = "ledger.jsonl"
_WAIT_SECONDS = 30.0
_CENT_PART = 1e-9


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line; `id` joins a reservation to what became of it. Dollars."""

    kind: Literal["reserve", "settle", "possible"]
    id: str
    usd: float
    time: str
    batch: str = ""
    root: str = ""
    run: str = ""
    step: int = 0
    attempt: int = 0
    editor: str = ""
    model: str = ""
    purpose: str = ""


class Caps(Struct, frozen=True, kw_only=True):
    """Most dollars for this batch, for one run since its start, a UTC day and a UTC month."""

    batch: float | None = None
    run: float | None = None
    day: float | None = None
    month: float | None = None


class Totals(Struct, frozen=True):
    """Dollars settled, possibly billed, and reserved without an answer yet."""

    settled: float = 0.0
    possible: float = 0.0
    open: float = 0.0

    @property
    def spent(self) -> float:
        """All that may have been spent."""
        return self.settled + self.possible + self.open


class Ledger:
    """The one ledger; safe over threads and processes."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or make_private(state_dir()) / NAME
        self._mutex = threading.Lock()
        self._offset = 0
        self._torn = False
        self._reserved: dict[str, Line] = {}
        self._ended: dict[str, Line] = {}
        self._sums: dict[tuple[str, str], list[float]] = {}
        self._days: dict[str, str] = {}
        self._last_day = ""

    def reserve(self, line: Line, caps: Caps, *, durable: bool = True) -> None:
        """Write a reservation; BudgetError before the call that could cross a cap.

        With `durable=False` the caller has to `flush` before it sends anything. Raises
        StoreError when the ledger cannot be written: then nothing may be sent.
        """
        with self._held():
            day = max(line.time[:10], self._last_day)
            for name, key, cap in (
                ("this call's budget", ("batch", line.batch), caps.batch),
                ("the run's budget", ("run", f"{line.root}\0{line.run}"), caps.run),
                ("the day's cap", ("day", day), caps.day),
                ("the month's cap", ("month", day[:7]), caps.month),
            ):
                spent = sum(self._sums.get(key, ()))
                if cap is not None and spent + line.usd > cap + _CENT_PART:
                    raise BudgetError(
                        f"{name} of ${cap:.2f} would be crossed: ${spent:.4f} are spent or "
                        f"reserved and the next call may cost ${line.usd:.4f}",
                        "raise the cap, or resume later",
                    )
            self._append(line)
        # Outside the lock: many reservations reach the disk with one flush.
        if durable:
            self.flush()

    def flush(self) -> None:
        """Bring to disk what was reserved, by whomever; StoreError when the disk refuses."""
        try:
            sync_file(self.path)
        except OSError as error:
            raise self._unwritable(error) from error

    def settle(self, id: str, usd: float) -> None:
        """Write what the call of reservation `id` cost."""
        self._close("settle", id, usd)

    def possibly_billed(self, id: str, usd: float) -> None:
        """Write that the call of reservation `id` may have been billed, at `usd`."""
        self._close("possible", id, usd)

    def ended(self, id: str) -> Line | None:
        """Return how reservation `id` ended, None while it is open or unknown."""
        with self._held():
            return self._ended.get(id)

    def is_open(self, id: str) -> bool:
        """Say whether `id` is reserved and not ended."""
        with self._held():
            return id in self._reserved and id not in self._ended

    def totals(self, *, batch: str | None = None, run: tuple[str, str] | None = None) -> Totals:
        """Return the dollars of a batch, of (root, run), or of everything."""
        with self._held():
            chosen = [
                line
                for line in self._reserved.values()
                if (batch is None or line.batch == batch)
                and (run is None or (line.root, line.run) == run)
            ]
            settled = possible = still = 0.0
            for line in chosen:
                ended = self._ended.get(line.id)
                if ended is None:
                    still += line.usd
                elif ended.kind == "settle":
                    settled += ended.usd
                else:
                    possible += ended.usd
            return Totals(round(settled, 9), round(possible, 9), round(still, 9))

    def _close(self, kind: Literal["settle", "possible"], id: str, usd: float) -> None:
        with self._held():
            if id in self._ended:
                return
            self._append(Line(kind=kind, id=id, usd=round(usd, 9), time=now()))

    @contextmanager
    def _held(self) -> Iterator[None]:
        lock = self.path.with_suffix(".lock")
        with self._mutex, hold(lock, "ledger", wait_seconds=_WAIT_SECONDS):
            self._read()
            yield

    def _read(self) -> None:
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror}", "mend it") from error
        whole, _, rest = data.rpartition(b"\n")
        self._torn = bool(rest)
        for text in whole.split(b"\n") if whole else ():
            self._take(text)
        self._offset += len(data) - len(rest)

    def _take(self, text: bytes) -> None:
        try:
            line = msgspec.json.decode(text, type=Line)
        except UNPARSABLE:
            return  # a line torn by a full disk was never acknowledged: its call was not sent
        self._count(line)

    def _count(self, line: Line) -> None:
        if line.kind == "reserve":
            # A clock that was set back opens no new day: money counts to the latest day seen.
            self._last_day = max(self._last_day, line.time[:10])
            self._reserved[line.id] = line
            self._days[line.id] = self._last_day
            self._add(line, line.usd)
        elif line.id in self._reserved and line.id not in self._ended:
            self._ended[line.id] = line
            self._add(self._reserved[line.id], line.usd - self._reserved[line.id].usd)

    def _add(self, line: Line, usd: float) -> None:
        for key in (
            ("batch", line.batch),
            ("run", f"{line.root}\0{line.run}"),
            ("day", self._days[line.id]),
            ("month", self._days[line.id][:7]),
        ):
            self._sums.setdefault(key, [0.0])[0] += usd

    def _append(self, line: Line) -> None:
        data = (b"\n" if self._torn else b"") + msgspec.json.encode(line) + b"\n"
        try:
            handle = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            try:
                written = 0
                while written < len(data):
                    written += os.write(handle, data[written:])
            finally:
                os.close(handle)
        except OSError as error:
            raise self._unwritable(error) from error
        self._read()

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"cannot write {self.path}: {error.strerror}",
            "free space; no paid call is made without the ledger",
        )


def new_id() -> str:
    """Return an id for a reservation."""
    return secrets.token_hex(8)


def now() -> str:
    """Return the time as the records carry it: UTC, milliseconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
