"""The worker's border to backends and to its parent."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from b100tui.metrics.protocol import Failure
from b100tui.scoring.lanes import ask
from b100tui.scoring.messages import Begin, Failed, Found, Hello, Measure, Read, Result
from b100tui.scoring.process import WorkerProcess, log_file, worker_environment
from b100tui.scoring.worker import checked
from tests.scoring.pictures import draw, step_of


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (None, "no_answer"),
        ("0.5", "wrong_answer"),
        (True, "wrong_answer"),
        (np.ones(2), "wrong_answer"),
        (Failure("flat", "flat"), "flat"),
    ],
)
def test_an_answer_that_is_no_finite_number_is_a_named_failure(answer: object, error: str) -> None:
    outcome = checked(answer)
    assert isinstance(outcome, Failed)
    assert outcome.error == error
    assert outcome.message


@pytest.mark.parametrize("value", [0.0, -9.8, 1e300, 7])
def test_a_finite_answer_is_kept_raw(value: float) -> None:
    assert checked(value) == value


class Raising:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def version_parts(self, metric: str) -> dict[str, str]:
        return {}

    def measure(self, metrics: object, pixels: object, reference: object) -> dict[str, float]:
        raise self.error


@pytest.mark.parametrize(
    ("raised", "error"),
    [(ValueError("odd shape"), "error"), (MemoryError(), "oom"), (IndexError("7"), "error")],
)
def test_what_a_backend_raises_costs_its_cells_only(raised: Exception, error: str) -> None:
    outcomes = ask(Raising(raised), ["a", "b"], np.zeros((1, 1, 3), np.uint8), None)
    for name in ("a", "b"):
        outcome = outcomes[name]
        assert isinstance(outcome, Failure)
        assert outcome.error == error


def start(root: Path) -> WorkerProcess:
    worker = WorkerProcess(Begin(str(root), ("lab_l",), 1))
    assert isinstance(worker.receive(240), Hello)
    return worker


def test_a_job_goes_from_read_to_result(tmp_path: Path) -> None:
    step = step_of(tmp_path, draw(tmp_path / "0.png", 1), 0)
    assert step.picture is not None
    worker = start(tmp_path)
    worker.send(Read(5, step.picture))
    found = worker.receive(240)
    assert isinstance(found, Found)
    assert found.job == 5
    worker.send(Measure(5, ("lab_l",)))
    result = worker.receive(240)
    assert isinstance(result, Result)
    assert list(result.values) == ["lab_l"]
    worker.close()


def test_a_dead_worker_is_told_in_words(tmp_path: Path) -> None:
    worker = start(tmp_path)
    os.kill(worker.pid, signal.SIGKILL)
    assert worker.receive(240) is None
    assert worker.ending() == "the worker was ended by signal 9"
    worker.close()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open")
def test_the_worker_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from b100tui.scoring.messages import Begin\n"
            "from b100tui.scoring.process import WorkerProcess\n"
            "worker = WorkerProcess(Begin(sys.argv[1], ('lab_l',), 1))\n"
            "worker.receive(240)\n"
            "print(worker.pid, flush=True)\n"
            "sys.stdin.read()\n",
            str(tmp_path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    worker = os.pidfd_open(int(parent.stdout.readline()))
    assert select.select([worker], [], [], 0)[0] == []
    parent.kill()
    parent.communicate()
    assert select.select([worker], [], [], 240)[0] == [worker]
    os.close(worker)


def test_what_is_printed_goes_to_the_log_not_among_the_messages(tmp_path: Path) -> None:
    program = (
        "import os, sys\n"
        "from b100tui.metrics import probes\n"
        "from b100tui.scoring import worker\n"
        "measured = probes.Probes.measure\n"
        "def loud(self, *arguments):\n"
        "    print('Loading pretrained model', flush=True)\n"
        "    os.write(1, b'from C too\\n')\n"
        "    return measured(self, *arguments)\n"
        "probes.Probes.measure = loud\n"
        "sys.exit(worker.main(sys.argv[4:]))\n"
    )
    python = tmp_path / "python"
    (tmp_path / "loud.py").write_text(program)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path}/loud.py x "$@"\n')
    python.chmod(0o755)
    step = step_of(tmp_path, draw(tmp_path / "0.png", 1), 0)
    assert step.picture is not None
    worker = WorkerProcess(Begin(str(tmp_path), ("lab_l",), 1), str(python))
    assert isinstance(worker.receive(240), Hello)
    worker.send(Read(0, step.picture))
    assert isinstance(worker.receive(240), Found)
    worker.send(Measure(0, ("lab_l",)))
    assert isinstance(worker.receive(240), Result)
    worker.close()
    text = log_file(tmp_path).read_text()
    assert "Loading pretrained model" in text
    assert "from C too" in text


def test_in_a_job_the_workers_own_words_go_to_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("B100_JOB", str(tmp_path))
    assert log_file(tmp_path / "root") == tmp_path / "log"


def test_heavy_libraries_get_one_thread_a_kept_heap_and_no_network() -> None:
    known = worker_environment("")
    assert {known[name] for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")} == {"1"}
    assert known["HF_HUB_OFFLINE"] == "1"
    assert known["MALLOC_MMAP_MAX_"] == "0"
