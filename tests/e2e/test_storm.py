"""Storms: whatever is pressed and whatever the folder does, nothing breaks and nothing is lost.

By hand, short or long:
B100_STORM_SECONDS=600 pytest -n 0 tests/e2e/test_storm.py; B100_STORM_SEED makes another one.
What happens depends on the machine's speed too, so a seed is no exact replay. Memory is judged
from four minutes on; B100_STORM_MEMORY names a file for its curve.
"""

import os
import signal
import time
from pathlib import Path

import pytest

from b100tui.tui.driver import KITTY_KEPT
from b100tui.workspace.places import state_dir
from tests.cli.calls import b100
from tests.e2e.pty_terminal import Pty
from tests.e2e.storm import PATIENCE, Storm
from tests.e2e.storm_beside import left_processes
from tests.e2e.storm_books import (
    assert_marks_once,
    assert_money_and_steps_once,
    assert_scores_once,
)
from tests.e2e.storm_memory import MOST_GROWTH
from tests.e2e.storm_tmux import TmuxExplorer
from tests.engine.made import served

SECONDS = float(os.environ.get("B100_STORM_SECONDS", "0"))
SEED = int(os.environ.get("B100_STORM_SEED", "100"))
CURVE = os.environ.get("B100_STORM_MEMORY", "")
pytestmark = [
    pytest.mark.skipif(not SECONDS, reason="a storm is asked for: B100_STORM_SECONDS=600"),
    pytest.mark.timeout(int(SECONDS) + 1800),
    pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc"),
]


def test_a_storm_of_keys_files_and_kills_breaks_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with served(scale=1 / 32, seed=SEED) as fake:
        storm = Storm(root, SEED, fake)
        try:
            storm.rage(SECONDS)
            for explorer in storm.ended:
                assert_left_well(explorer)
            storm.beside.end()
        finally:
            keep_curve(storm)
            print(logs())
            storm.close()
        assert logs() == ""
        assert storm.books.lost() == []
        assert_marks_once(root, storm.gremlin.marks)
        assert_scores_once(root)
        assert_money_and_steps_once(root, fake.total)
    assert {n: grown for n, grown in storm.growth().items() if grown > MOST_GROWTH} == {}
    again = b100("score", "--root", str(root), "--metrics", "probes", "--json")
    assert again.returncode in {0, 4}, again.stderr
    assert left_behind() == {}


def assert_left_well(explorer: Pty | TmuxExplorer) -> None:
    assert explorer.code == 0, explorer.tail()
    if isinstance(explorer, TmuxExplorer):
        assert explorer.left() == []
        return
    assert explorer.state.left() == []
    assert explorer.line_changed() == []
    assert explorer.state.most_kitty <= KITTY_KEPT + 8


def logs() -> str:
    """Return the text of all crash logs."""
    return "\n".join(path.read_text() for path in sorted((state_dir() / "log").glob("*.log")))


def keep_curve(storm: Storm) -> None:
    """Write seconds, resident, own share and anonymous kB of the two that stay to the end."""
    if CURVE:
        lines = [
            f"{number}\t{at:.0f}\t{memory.rss}\t{memory.pss}\t{memory.anonymous}\n"
            for number, samples in storm.memory.items()
            for at, memory in samples
        ]
        Path(CURVE).write_text(f"{storm.growth()} {storm.turns} turns\n" + "".join(lines))


def left_behind() -> dict[int, str]:
    """Return what still runs a while after the end, and end it."""
    until = time.monotonic() + PATIENCE  # what measures is niced and ends when it gets time
    while (left := left_processes()) and time.monotonic() < until:
        time.sleep(0.2)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left
