"""Scoring on a real local Ray: equal to scoring here, whatever dies."""

import json
import subprocess
from pathlib import Path

import pytest

from b100tui.jobs.on_ray import merged
from b100tui.metrics.preflight import environment
from b100tui.scoring.run import MetricTime, ScoreReport
from tests.scoring.learned import score_python
from tests.scoring.pictures import drawn_run, records, score_all


def report(**changed: object) -> ScoreReport:
    fields = {"wanted": 4, "skipped": 1, "done": 2, "failed": {"m": {"flat": 1}}, "pictures": 2}
    return ScoreReport(**{**fields, **changed})  # type: ignore[arg-type]


def test_reports_of_parts_add_up() -> None:
    one = report(by_metric={"m": MetricTime(2, 1.0)}, seconds=3.0, peak_bytes=5)
    two = report(by_metric={"m": MetricTime(6, 2.0)}, seconds=9.0, failed={"m": {"oom": 1}})
    whole = merged([one, two], {"niqe": "no torch"})
    assert (whole.wanted, whole.skipped, whole.done) == (12, 2, 4)
    assert whole.failed == {"m": {"flat": 1, "oom": 1}, "niqe": {"no torch": 4}}
    assert whole.by_metric == {"m": MetricTime(8, 1.75)}
    assert (whole.seconds, whole.peak_bytes) == (9.0, 5)


DRIVER = """
import os, signal, sys
from pathlib import Path
import msgspec
from b100tui.jobs.on_ray import Work, score_on_ray
from b100tui.scoring.session import Options
from tests.scoring.pictures import step_of
root = Path(sys.argv[1])
files = sorted(root.glob('a/b/run-0/*.png'))
steps = tuple(step_of(root, path, number) for number, path in enumerate(files))
killed = []
def kill_one(standing):
    if not killed:
        part = sorted((root / '.b100/scores').glob('*.jsonl'))[0]  # named by host, pid and time
        killed.append(int(part.stem.split('-')[-2]))
        os.kill(killed[0], signal.SIGKILL)
kill = kill_one if sys.argv[2] == 'kill' else None
work = Work(str(root), steps, ('lab_l', 'noise_sigma'), '', Options(threads=1))
found = score_on_ray('local', work, {}, kill, actors=2)
print(msgspec.json.encode([len(killed), found]).decode())
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", ["leave", "kill"])
def test_two_actors_score_what_one_session_scores_even_if_one_is_killed(
    tmp_path: Path, what: str
) -> None:
    python = score_python()
    here, there = tmp_path / "here", tmp_path / "there"
    score_all(here, drawn_run(here, 40), "lab_l", "noise_sigma")
    drawn_run(there, 40)
    repository = str(Path(__file__).parents[2])
    known = environment(python)
    done = subprocess.run(
        [python, "-c", DRIVER, str(there), what],
        capture_output=True,
        text=True,
        cwd=repository,
        env={**known, "PYTHONPATH": repository, "RAY_USAGE_STATS_ENABLED": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    killed, found = json.loads(done.stdout.strip().splitlines()[-1])
    assert killed == (what == "kill")
    assert found["failed"] == {}
    assert found["done"] + found["skipped"] == found["wanted"] == 80
    values = {(r.step, r.metric): r.value for r in records(here)}
    assert {(r.step, r.metric): r.value for r in records(there)} == values
