"""Files that change, a parent that dies, backends that misbehave: through real processes."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from b100tui.model.errors import MetricError
from b100tui.scoring import reading
from tests.scoring.pictures import draw, drawn_run, records, score_all, step_of


def patched_python(folder: Path, lines: str) -> str:
    """An interpreter for the worker that runs `lines` before it serves."""
    program, python = folder / "patched.py", folder / "python"
    program.write_text(
        f"import sys\nfrom b100tui.scoring import worker\n{lines}\n"
        "sys.exit(worker.main(sys.argv[4:]))\n"
    )
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {program} x "$@"\n')
    python.chmod(0o755)
    return str(python)


CHANGING = """
from b100tui.scoring.reading import ChangedError
right, left = worker.read_bytes, [{times}]
def read(root, ref):
    if left[0]:
        left[0] -= 1
        raise ChangedError(ref.path + ' changes while it is read')
    return right(root, ref)
worker.read_bytes = read
"""


def test_a_file_that_changed_while_it_was_scored_is_tried_once_more(tmp_path: Path) -> None:
    python = patched_python(tmp_path, CHANGING.format(times=1))
    report = score_all(tmp_path, drawn_run(tmp_path, 1), "lab_l", python=python)
    assert (report.done, report.failed) == (1, {})


def test_a_file_that_keeps_changing_is_a_named_failure(tmp_path: Path) -> None:
    python = patched_python(tmp_path, CHANGING.format(times=9))
    report = score_all(tmp_path, drawn_run(tmp_path, 1), "lab_l", python=python)
    assert report.failed == {"lab_l": {"changed": 1}}
    assert len(records(tmp_path)) == 1


def test_bytes_read_while_the_stamp_moves_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (step,) = drawn_run(tmp_path, 1)
    assert step.picture is not None
    stamps = iter(range(100))
    monkeypatch.setattr(reading, "_stamp", lambda facts: (next(stamps), 0))
    with pytest.raises(reading.ChangedError, match="changes while it is read"):
        reading.read_bytes(tmp_path, step.picture)


MISBEHAVING = """
from b100tui.metrics import probes
def measure(self, metrics, pixels, reference):
    return {answer}
probes.Probes.measure = measure
"""


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("{name: float('nan') for name in metrics}", "nan"),
        ("{}", "no_answer"),
        ("{name: pixels for name in metrics}", "wrong_answer"),
        ("{name: 1 / 0 for name in metrics}", "error"),
    ],
)
def test_a_misbehaving_backend_leaves_named_failures(
    tmp_path: Path, answer: str, error: str
) -> None:
    python = patched_python(tmp_path, MISBEHAVING.format(answer=answer))
    report = score_all(tmp_path, drawn_run(tmp_path, 2), "lab_l", python=python)
    assert report.failed == {"lab_l": {error: 2}}
    assert {record.value for record in records(tmp_path)} == {None}


def test_a_fault_of_the_worker_itself_costs_the_picture_only(tmp_path: Path) -> None:
    lines = (
        "right = worker.decode\n"
        f"bad = {str(tmp_path / 'a/b/run-0/step-001.png')!r}\n"
        "def decode(data):\n"
        "    if data == open(bad, 'rb').read():\n"
        "        raise RuntimeError('a fault of its own')\n"
        "    return right(data)\n"
        "worker.decode = decode\n"
    )
    steps = drawn_run(tmp_path, 3)
    report = score_all(tmp_path, steps, "lab_l", python=patched_python(tmp_path, lines))
    assert (report.done, report.failed) == (2, {"lab_l": {"crashed": 1}})


PARENT = """
import sys
from pathlib import Path
from tests.scoring.pictures import drawn_run, score_all, step_of
root = Path(sys.argv[1])
files = sorted(root.glob('a/b/run-0/*.png'))
print('begun', flush=True)
score_all(root, [step_of(root, path, number) for number, path in enumerate(files)])
"""


@pytest.mark.parametrize("attempt", range(3))
def test_killing_the_parent_at_any_time_loses_no_acknowledged_score(
    tmp_path: Path, attempt: int
) -> None:
    steps = drawn_run(tmp_path, 40)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert parent.stdout is not None
    parent.stdout.readline()
    try:
        parent.wait(float(np.random.default_rng(attempt).uniform(0.1, 1.0)))
    except subprocess.TimeoutExpired:
        os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    kept = {(record.step, record.metric): record.value for record in records(tmp_path)}
    report = score_all(tmp_path, steps)
    assert (report.skipped, report.done, report.failed) == (len(kept), 80 - len(kept), {})
    after = {(record.step, record.metric): record.value for record in records(tmp_path)}
    assert kept.items() <= after.items()
    assert len(after) == len(records(tmp_path)) == 80


HANGING = """
import time
from types import SimpleNamespace
from b100tui.metrics import probes
from b100tui.scoring import lanes
ahead = [0.0]
lanes.time = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0])
measured = probes.Probes.measure
def measure(self, metrics, pixels, reference):
    if 'lab_a' in metrics and pixels.shape[0] == 40:
        {what}
    return measured(self, metrics, pixels, reference)
probes.Probes.measure = measure
"""


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("ahead[0] += 3600; time.sleep(1800)", "timed_out"),
        ("import ctypes; ctypes.string_at(0)", "crashed"),
    ],
)
def test_a_metric_that_hangs_or_dies_costs_its_own_cell_only(
    tmp_path: Path, what: str, error: str
) -> None:
    steps = drawn_run(tmp_path, 4)
    path = draw(tmp_path / "a/b/run-0/step-002.png", 9, (64, 40))
    steps[2] = step_of(tmp_path, path, 2)
    python = patched_python(tmp_path, HANGING.format(what=what))
    names = ("lab_l", "lab_a", "lab_b")
    report = score_all(tmp_path, steps, *names, python=python, timeout=1800.0)
    assert report.failed == {"lab_a": {error: 1}}
    assert report.done == 11
    (record,) = [record for record in records(tmp_path) if record.error]
    assert (record.step, record.metric, record.value) == (2, "lab_a", None)
    assert record.message


def test_two_jobs_on_the_same_cells_leave_one_winning_value_each(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 8)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(score_all, tmp_path, steps, "lab_l", "noise_sigma") for _ in range(2)]
        reports = [each.result() for each in both]
    assert all(not report.failed for report in reports)
    values: dict[tuple[int, str], set[float | None]] = {}
    for record in records(tmp_path):
        values.setdefault((record.step, record.metric), set()).add(record.value)
    assert len(values) == 16
    assert all(len(found) == 1 for found in values.values())


def test_a_worker_that_lacks_a_module_is_named(tmp_path: Path) -> None:
    python = patched_python(tmp_path, "raise ImportError('no module named msgspec')")
    with pytest.raises(MetricError, match="did not start"):
        score_all(tmp_path, drawn_run(tmp_path, 1), "lab_l", python=python)
