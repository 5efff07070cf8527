"""b100 score against a plain loop of pyiqa path calls, in one run on one machine.

Run by hand: B100_SCORE_PYTHON=/env/bin/python python -m tests.bench.bench_scoring [PICTURES].
Both score PIQE, BRISQUE, NIQE, CNNIQA and WaDIQaM (the nets with the same random weights) on the
same PNG files of 1408x752 with all processors; the values must be equal. Starting torch and
loading is left out on both sides: the loop measures itself, b100 counts from its first score to
its last, and the whole command is printed beside it. Then the lane of a GPU with a stand-in device
that takes 50 ms a batch: how much of the time it had work.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from b100tui.metrics import registry
from b100tui.metrics.preflight import environment
from b100tui.model.records import Step
from b100tui.scoring.done import read_records
from b100tui.scoring.run import ScoreReport, Standing, score
from b100tui.scoring.session import Options
from tests.bench.bars import missing, tell
from tests.bench.bench_decode import picture
from tests.scoring.learned import RANDOM_NETS, WEIGHTS
from tests.scoring.pictures import step_of
from tests.shared_data import shared

METRICS = ("piqe", "brisque", "niqe", "cnniqa", "wadiqam_nr")
SIZE = (1408, 752)
PLAIN = """
import json, sys, time
import torch, pyiqa
names, paths = sys.argv[1].split(','), sys.argv[2:]
nets = {name: pyiqa.create_metric(name, device='cpu') for name in names}
started = time.perf_counter()
values = {name: [net(path).item() for path in paths] for name, net in nets.items()}
print(json.dumps([time.perf_counter() - started, torch.get_num_threads(), values]))
"""
DEVICE = """
import sys, time
from b100tui.metrics import pyiqa
def measure_batch(self, metric, pictures, references):
    time.sleep(0.05)
    return [float(len(pictures))] * len(pictures)
pyiqa.Pyiqa.measure_batch = measure_batch
from b100tui.scoring import worker
if __name__ == '__main__':
    sys.exit(worker.main(sys.argv[4:]))
"""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        steps = drawn(root / "root", count)
        stand_in(root, steps)
        python = os.environ.get("B100_SCORE_PYTHON", "")
        if not python:
            missing("pyiqa", "name an interpreter that has it in B100_SCORE_PYTHON")
            return
        weights(root, python)
        against_plain(root / "root", steps, python)


def drawn(root: Path, count: int) -> list[Step]:
    steps = []
    for number in range(count):
        path = root / f"a/b/run-0/step-{number:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture(SIZE, grain=2.0 + number / 8)).save(path, compress_level=1)
        steps.append(step_of(root, path, number))
    return steps


def stand_in(root: Path, steps: list[Step]) -> None:
    """Print how busy a device of 50 ms a batch is kept by reading, decoding and storing."""
    program, python = root / "device.py", root / "python"
    program.write_text(DEVICE)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {program} x "$@"\n')
    python.chmod(0o755)
    many = [
        Step(run=f"a/b/run-{again}", step=step.step, picture=copied(root, step, again))
        for again in range(max(1, 400 // len(steps)))
        for step in steps
    ]
    options = Options(python=str(python), device="cuda:0", prove=False)
    report = score(root / "root", many, [registry.metric("musiq")], options=options)
    assert report.failed == {}, report.failed
    busy = report.device_busy
    note = f"{report.done} pictures in {report.seconds:.1f} s"
    assert busy is not None, "the run was too short to tell"
    tell("device of 50 ms a batch, busy", 100 * busy, "%", 95, at_least=True, note=note)


def copied(root: Path, step: Step, again: int) -> object:
    """Return a picture of other bytes and the same size, so that none is skipped."""
    assert step.picture is not None
    source = root / "root" / step.picture.path
    path = root / "root" / f"copy/b/run-{again}/{source.name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source.read_bytes() + bytes(again + 1))
    return step_of(root / "root", path, step.step).picture


def weights(root: Path, python: str) -> None:
    hub = root / "torch" / "hub" / "pyiqa"
    hub.mkdir(parents=True)
    os.environ["TORCH_HOME"] = str(root / "torch")
    for name in WEIGHTS:
        (hub / name).write_bytes(shared(f"iqa/weights/{name}").read_bytes())
    subprocess.run(
        [python, "-c", RANDOM_NETS], check=True, env=environment(python), capture_output=True
    )


def against_plain(root: Path, steps: list[Step], python: str) -> None:
    paths = [str(root / step.picture.path) for step in steps if step.picture is not None]
    done = subprocess.run(
        [python, "-c", PLAIN, ",".join(METRICS), *paths],
        check=True,
        env=environment(python),
        capture_output=True,
        text=True,
    )
    plain_seconds, threads, plain = json.loads(done.stdout.strip().splitlines()[-1])
    report, seconds = timed(root, steps, python)
    mine = {(r.metric, r.step): r.value for r in read_records(root)}
    worst = {
        name: max(abs(mine[name, n] - value) for n, value in enumerate(plain[name]))  # type: ignore[operator]
        for name in METRICS
    }
    name = f"{len(steps)} pictures x {len(METRICS)} metrics"
    loop = (f"a plain pyiqa loop on {threads} threads", plain_seconds)
    apart = ", ".join(f"{metric} {value:.2g}" for metric, value in worst.items())
    tell(name, seconds, "s", plain_seconds / 1.5, peer=loop, note=f"values apart by {apart}")
    note = "the worker and its processes"
    tell("memory while scoring", report.peak_bytes / 1e9, "GB", note=note)


def timed(root: Path, steps: list[Step], python: str) -> tuple[ScoreReport, float]:
    """Return the report and the seconds from the end of the self-test to the last score."""
    seen: list[float] = []

    def note(standing: Standing) -> None:
        seen.append(time.perf_counter())

    chosen = [registry.metric(name) for name in METRICS]
    report = score(root, steps, chosen, options=Options(python=python), progress=note)
    assert report.failed == {}, report.failed
    return report, seen[-1] - seen[0]


if __name__ == "__main__":
    main()
