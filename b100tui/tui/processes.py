"""The processes an explorer starts: the indexer, and probes for unprepared runs."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.errors import StoreError


class Indexer:
    """The process that keeps the index fresh; it ends when this end of its pipe closes."""

    def __init__(self, root: Path) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "b100tui.tui.indexer", str(root)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise StoreError(f"cannot start the indexer: {error}", "run b100 index") from error

    def reports(self) -> Iterator[dict[str, Any]]:
        """Yield what the process says, until it ends; blocks, so a worker calls it."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                value = msgspec.json.decode(line)
            except msgspec.DecodeError:
                value = {"error": "the indexer said something unreadable", "hint": "b100 index"}
            yield value

    def close(self) -> None:
        """Let the process end by itself after what it is doing."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        if self._process.poll() is None:
            self._process.terminate()


class ProbeRunner:
    """Starts niced probe scoring for one run at a time; the newest wanted run comes next."""

    def __init__(self, root: Path, mode: str) -> None:
        self.root = root
        self.mode = mode
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted: str | None = None
        self._started: set[str] = set()

    def want(self, run: str) -> bool:
        """Ask for the probes of `run`; True when that is new and probes are not off."""
        if self.mode == "off" or run in self._started:
            return False
        if self.mode == "all" and self._started:
            return False
        self._wanted = run
        return True

    def advance(self) -> bool:
        """Start the wanted run's probes when nothing runs; True while something runs."""
        if self._process is not None:
            if self._process.poll() is None:
                return True
            self._process = None
        run, self._wanted = self._wanted, None
        if run is None:
            return False
        self._started.add(run)
        nice = shutil.which("nice")
        command = [nice, "-n", "15"] if nice else []
        command += [sys.executable, "-m", "b100tui", "score"]
        command += [] if self.mode == "all" else [run]
        command += ["--metrics", "probes", "--root", str(self.root)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise StoreError(f"cannot start the probes: {error}", "b100 score RUN") from error
        return True
