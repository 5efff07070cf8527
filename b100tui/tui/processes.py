"""The processes an explorer starts: the indexer, and probes for unprepared runs."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.errors import StoreError
from b100tui.workspace.children import without_keys


class Indexer:
    """The process that keeps the index fresh; it ends when this end of its pipe closes."""

    def __init__(self, root: Path) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "b100tui.tui.indexer", str(root)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=without_keys(),
                start_new_session=True,
            )
        except OSError as error:
            raise StoreError(f"cannot start the indexer: {error}", "run b100 index") from error

    def reports(self) -> Iterator[dict[str, Any]]:
        """Yield what the process says, until it ends; blocks, so a worker calls it."""
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                try:
                    value = msgspec.json.decode(line)
                except msgspec.DecodeError:
                    value = {"error": "the indexer said something unreadable", "hint": "b100 index"}
                yield value

    def nudge(self) -> None:
        """Have it look at the folder now."""
        if self._process.stdin is not None and self._process.poll() is None:
            try:
                self._process.stdin.write(b"\n")
                self._process.stdin.flush()
            except OSError:
                return  # it is about to end, and says so itself

    def close(self) -> None:
        """End the process and wait for nothing; a build it was amid is begun anew another time.

        What it said belongs to who reads it: closing that here would wait for the next line.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.poll() is None:
            self._process.terminate()


class ProbeRunner:
    """Starts niced probe scoring for one run at a time; the newest wanted run comes next."""

    def __init__(self, root: Path, mode: str) -> None:
        self.root = root
        self.mode = mode
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted: str | None = None
        self._wanted_upto = 0
        self._started: dict[str, int] = {}

    def want(self, run: str, upto: int) -> bool:
        """Ask for the probes of `run`, which has steps up to `upto`.

        True when that is new and probes are not off. A run that grew is asked for again: scores
        that are there already are not made twice.
        """
        if self.mode == "off" or self._started.get(run, -1) >= upto:
            return False
        if self.mode == "all" and self._started and run not in self._started:
            self._started[run] = upto  # measured with all the others
            return False
        self._wanted, self._wanted_upto = run, upto
        return True

    def advance(self) -> bool:
        """Start the wanted run's probes when nothing runs; True while something runs."""
        if self._process is not None:
            if self._process.poll() is None:
                return True
            self._process = None
        run, self._wanted = self._wanted, None
        if run is None or not self.root.is_dir():
            return False
        everything = self.mode == "all" and not self._started
        self._started[run] = self._wanted_upto
        nice = shutil.which("nice")
        command = [nice, "-n", "15"] if nice else []
        command += [sys.executable, "-m", "b100tui", "score"]
        command += [] if everything else [run]
        command += ["--metrics", "probes", "--root", str(self.root)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=without_keys(),
                start_new_session=True,
            )
        except OSError as error:
            raise StoreError(f"cannot start the probes: {error}", "b100 score RUN") from error
        return True
