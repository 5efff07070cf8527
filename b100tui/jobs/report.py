"""How a command that runs as a job says how far it is."""

import os
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from b100tui.jobs.files import FOLDER, append
from b100tui.jobs.records import Event, MetricProgress
from b100tui.model.errors import StoreError

_EVERY_SECONDS = 1.0


class Reporter:
    """Writes progress events of the job this process works for, at most one a second."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fault = ""  # why the last event could not be written
        self._last = 0.0
        self._pending: Event | None = None

    @classmethod
    def current(cls) -> "Reporter | None":
        """Return the reporter of the job this process runs as, None when it is no job.

        From then on this process interrupts itself (SIGINT) once its keeper is gone.
        """
        folder = os.environ.get(FOLDER)
        if not folder:
            return None
        threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
        return cls(Path(folder))

    def progress(
        self,
        done: int,
        total: int,
        failed: int = 0,
        *,
        eta_seconds: float | None = None,
        by: Mapping[str, MetricProgress] | None = None,
        failures: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        """Say how far it is; calls within a second of the last are kept back for `flush`."""
        self._pending = Event(
            time=time.time(),
            what="progress",
            done=done,
            total=total,
            failed=failed,
            eta_seconds=eta_seconds,
            by=dict(by or {}),
            failures={name: dict(reasons) for name, reasons in (failures or {}).items()},
        )
        if time.monotonic() - self._last >= _EVERY_SECONDS:
            self.flush()

    def note(self, text: str) -> None:
        """Add a line that people see in the job's events."""
        self._write(Event(time=time.time(), what="note", text=text))

    def flush(self) -> None:
        """Write what was kept back; call it at the end."""
        if self._pending is not None:
            event, self._pending = self._pending, None
            self._last = time.monotonic()
            self._write(event)

    def _write(self, event: Event) -> None:
        try:
            append(self.folder, event)
        except StoreError as error:  # progress is for people: the work goes on without
            self.fault = error.message


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY_SECONDS)
    os.kill(os.getpid(), signal.SIGINT)
