"""The work that goes on beside the explorers: builder, scoring that is killed, paid edits."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from b100tui.jobs import list_jobs
from b100tui.workspace.places import config_dir, state_dir
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_faults import NO_IMAGE, ODD_BUT_GOOD, REFUSALS, TRANSIENT
from tests.index.folder import png

_FAULTS = (*TRANSIENT, *NO_IMAGE, *REFUSALS, *ODD_BUT_GOOD)
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
MOST_EDITS = 30
MOST_JOBS = 8
ALIVE = ("queued", "running", "paused")


class Beside:
    """Commands that run while the monkey plays; each of them is killed now and then."""

    def __init__(self, root: Path, dice: random.Random, fake: FakeGemini) -> None:
        self.root, self.dice, self.fake = root, dice, fake
        self.done: list[str] = []
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._edits = 0
        # A call that stalls would hold a run for minutes: here it is given up after seconds.
        config_dir().mkdir(parents=True, exist_ok=True)
        (config_dir() / "config.toml").write_text("deadline_seconds = 4\n")

    def act(self) -> None:
        """Begin something, kill something, steer something."""
        for name, process in self._running.items():
            if process.poll() is None and self.dice.random() < 0.15:
                process.send_signal(self.dice.choice(_SIGNALS))
                self.done.append(f"kill {name}")
        deed = self.dice.choice(["index", "score", "score", "new", "resume", "job", "steer"])
        running = self._running.get(deed)
        if running is not None and running.poll() is None:
            return
        words = self._words(deed)
        if not words:
            return
        self.done.append(deed)
        self._running[deed] = subprocess.Popen(
            [sys.executable, "-m", "b100tui", *words, "--root", str(self.root)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self.root.parent,
        )  # fmt: skip

    def _words(self, deed: str) -> list[str]:
        if deed == "index":
            return ["index"]
        if deed == "score":
            return ["score", "--metrics", "probes"]
        if deed == "resume":
            return ["edit", "resume", "--retry-failed", "--yes", "--budget", "5"]
        if deed == "steer":
            return self._steered()
        if self._edits >= MOST_EDITS or (deed == "job" and self._jobs() >= MOST_JOBS):
            return []
        self._edits += 1
        for _ in range(3):
            nth = self.fake.calls() + self.dice.randrange(1, 9)
            self.fake.fail(nth, self.dice.choice(_FAULTS), seconds=2.0)
        picture = self.root.parent / f"paid-{self._edits}.png"
        picture.write_bytes(png(self._edits, 120, 80))
        editor = self.dice.choice(["nano-banana-pro", "nano-banana-pro", "simulate"])
        words = ["edit", "new", str(picture), "--editor", editor, "--steps", "3"]
        words += ["--resolution", "1K", "--yes", "--budget", "2"]
        return words + (["--detach"] if deed == "job" else [])

    def _jobs(self) -> int:
        return sum(job.state in ALIVE for job in list_jobs(self.root))

    def _steered(self) -> list[str]:
        """Choose a job for pausing, going on, trying again or ending; or kill its process."""
        jobs = list_jobs(self.root)
        if not jobs:
            return []
        job = self.dice.choice(jobs)
        if job.state == "running" and job.pid in left_processes() and self.dice.random() < 0.5:
            kill(job.pid or 0)
            return []
        return ["jobs", self.dice.choice(["pause", "resume", "retry", "cancel"]), job.id]

    def end(self) -> None:
        """Let all that was begun end, then finish every paid run without faults."""
        self.fake.faults.clear()
        for process in self._running.values():
            try:
                process.wait(120)
            finally:
                process.kill()
                process.wait()
        until = time.monotonic() + 900
        while alive := [job for job in list_jobs(self.root) if job.state in ALIVE]:
            for job in alive:
                self._told("jobs", "cancel", job.id)
            if time.monotonic() > until:
                raise AssertionError(f"jobs do not end: {alive}")
        for _ in range(3):
            told = self._told("edit", "resume", "--retry-failed", "--yes", "--budget", "50")
            if told.returncode == 0:
                return
        raise AssertionError(f"edits cannot be finished: {told.stdout}\n{told.stderr}")

    def _told(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "b100tui", *words, "--root", str(self.root)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            cwd=self.root.parent, timeout=900, check=False,
        )  # fmt: skip

    def close(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()


def kill(pid: int) -> None:
    """Kill a process of this storm."""
    with suppress(ProcessLookupError):  # it has ended meanwhile
        os.kill(pid, signal.SIGKILL)


def left_processes() -> dict[int, str]:
    """Return processes of this test (by its state folder) that still run, with their words."""
    mark = os.fsencode(f"B100_STATE_DIR={state_dir()}")
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            held = (place / "environ").read_bytes().split(b"\0")
            words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in held and int(place.name) != os.getpid() and words:
            found[int(place.name)] = words
    return found
