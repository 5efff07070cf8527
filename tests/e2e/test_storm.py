"""Storms: whatever is pressed and whatever the folder does, nothing breaks and nothing is lost.

Run by hand: B100_STORM_SECONDS=600 pytest -n 0 tests/e2e/test_storm.py; B100_STORM_SEED makes
another one. What happens depends on the machine's speed too, so a seed is no exact replay.
Memory is judged from four minutes on.
"""

import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.workspace.places import state_dir, workspace_dir
from tests.cli.calls import b100
from tests.e2e.pty_terminal import Pty
from tests.e2e.storm import Storm, left_processes
from tests.e2e.storm_folder import KEPT

SECONDS = float(os.environ.get("B100_STORM_SECONDS", "0"))
SEED = int(os.environ.get("B100_STORM_SEED", "100"))
pytestmark = [
    pytest.mark.skipif(not SECONDS, reason="a storm is asked for: B100_STORM_SECONDS=600"),
    pytest.mark.timeout(int(SECONDS) + 900),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc"),
]


def test_a_storm_of_keys_files_and_kills_breaks_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    storm = Storm(root, SEED)
    try:
        storm.rage(SECONDS)
        end_jobs(root)
        assert logs() == ""
        for explorer in storm.ended:
            assert_left_well(explorer)
    finally:
        for explorer in {*storm.explorers, *storm.ended}:
            explorer.close()
        storm.gremlin.close()
    assert {pid: ratio for pid, ratio in storm.growth().items() if ratio > 1.10} == {}
    assert_nothing_lost(root, storm.gremlin.marks)
    assert left_behind() == {}


def assert_left_well(explorer: Pty) -> None:
    assert explorer.code == 0, explorer.tail()
    assert b"Traceback (most recent call last)" not in explorer.raw
    assert explorer.left_on() == set()
    assert explorer.line_changed() == []
    assert explorer.kitty_left() == set()


def assert_nothing_lost(root: Path, marks: list[str]) -> None:
    refresh(root)
    index = open_index(root)
    try:
        index.poll()
        kept = Counter(mark.id for row in index.runs() for mark in index.marks(row.run))
        assert {name: kept[name] for name in marks if kept[name] != 1} == {}
        steps = [step.step for step in index.steps(KEPT) if step.status == "ok"]
        assert steps == list(range(len(steps)))
        doubled = index.ask(
            "SELECT run, step, metric FROM score GROUP BY ALL HAVING count(*) > 1 LIMIT 5"
        )
        assert doubled == []
        for row in index.runs("image:given"):
            made = [step.status for step in index.steps(row.run)]  # keys may have added to it
            assert made == ["ok"] * max(len(made), 4)
    finally:
        index.close()
    again = b100("score", "--root", str(root), "--metrics", "probes", "--json")
    assert again.returncode in {0, 4}, again.stderr


def end_jobs(root: Path) -> None:
    """Cancel what the monkey has set going: jobs outlive their explorer."""
    for folder in sorted((workspace_dir(root) / "jobs").glob("*")):
        b100("jobs", "cancel", folder.name, "--root", str(root))


def logs() -> str:
    """Return the text of all crash logs."""
    return "\n".join(path.read_text() for path in sorted((state_dir() / "log").glob("*.log")))


def left_behind() -> dict[int, str]:
    """Return what still runs a while after the end, and end it."""
    until = time.monotonic() + 60
    while (left := left_processes()) and time.monotonic() < until:
        time.sleep(0.2)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left
