"""kill -9 of worker, session and pool process at random moments: nothing acknowledged is lost."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scoring.learned import score_python
from tests.scoring.pictures import drawn_run, records, score_all

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
MOMENTS = 50

PARENT = """
import sys
from pathlib import Path
from b100tui.scoring import session
from b100tui.scoring.process import WorkerProcess
from tests.scoring.pictures import score_all, step_of
root, python = Path(sys.argv[1]), sys.argv[2]
start = WorkerProcess.__init__
def told(self, *arguments):
    start(self, *arguments)
    print(self.pid, flush=True)
WorkerProcess.__init__ = told
files = sorted(root.glob('a/b/run-0/*.png'))
steps = [step_of(root, path, number) for number, path in enumerate(files)]
score_all(root, steps, *sys.argv[3:], python=python)
"""


def begun(root: Path, python: str, *metrics: str) -> tuple["subprocess.Popen[bytes]", int]:
    """A session of its own and its worker's pid."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(root), python, *metrics],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


def children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in found.split()]


def kill_somewhere(parent: "subprocess.Popen[bytes]", worker: int, dice: random.Random) -> None:
    """Wait a random while and kill the session, its worker or one of the worker's processes."""
    try:
        parent.wait(dice.uniform(0.0, 1.2))
    except subprocess.TimeoutExpired:
        targets = [parent.pid, worker, *children(worker)[1:]]
        try:
            os.kill(dice.choice(targets), signal.SIGKILL)
        except ProcessLookupError:
            return


def test_fifty_random_kills_lose_nothing_and_the_work_gets_done(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    dice = random.Random(seed)
    steps = drawn_run(tmp_path, 150)
    metrics = ("lab_l", "noise_sigma", "colour_cast")
    kept: dict[tuple[int, str], float | None] = {}
    for moment in range(MOMENTS):
        if moment % 10 == 0:  # the work was done: there is new work
            steps = drawn_run(tmp_path, 150 + 10 * moment)
        parent, worker = begun(tmp_path, "", *metrics)
        kill_somewhere(parent, worker, dice)
        try:
            parent.wait(240)
        finally:
            parent.kill()
            parent.communicate()
        now = {(record.step, record.metric): record.value for record in records(tmp_path)}
        assert kept.items() <= now.items(), (seed, moment)
        kept = now
    report = score_all(tmp_path, steps, *metrics)
    assert report.failed == {}
    assert report.skipped + report.done == 3 * len(steps)
    after = records(tmp_path)
    values = {(record.step, record.metric): record.value for record in after}
    assert kept.items() <= values.items()
    assert len(values) == 3 * len(steps)
    assert all(values[record.step, record.metric] == record.value for record in after)


def test_kills_among_pool_processes_leave_no_shared_memory(tmp_path: Path) -> None:
    python = score_python()
    dice = random.Random(random.SystemRandom().randrange(10**6))
    steps = drawn_run(tmp_path, 40)
    before = shared_blocks()
    for _ in range(6):
        parent, worker = begun(tmp_path, python, "piqe", "lab_l")
        kill_somewhere(parent, worker, dice)
        try:
            parent.wait(300)
        finally:
            parent.kill()
            parent.communicate()
    report = score_all(tmp_path, steps, "piqe", "lab_l", python=python)
    assert report.failed == {}
    assert len({(r.step, r.metric) for r in records(tmp_path) if r.value is not None}) == 80
    assert shared_blocks() <= before


def shared_blocks() -> set[str]:
    folder = Path("/dev/shm")
    return {path.name for path in folder.glob("psm_*")} if folder.is_dir() else set()
