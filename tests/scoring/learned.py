"""What the slow suites share: an interpreter with the score extra, and a torch cache to fill."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from b100tui.metrics.preflight import environment
from tests.shared_data import shared

WEIGHTS = ("niqe_modelparameters.mat", "brisque_svm_weights.pth", "ILNIQE_templateModel.mat")
# Read at import: fixtures may clear it for tests that want this interpreter.
_PYTHON = os.environ.get("B100_SCORE_PYTHON", "")


def score_python() -> str:
    """The interpreter named by B100_SCORE_PYTHON; the test skips by name without it."""
    if not _PYTHON:
        pytest.skip("needs B100_SCORE_PYTHON: an interpreter with the score extra")
    return _PYTHON


def torch_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A torch cache of its own with the weight files of the data folder."""
    monkeypatch.setenv("TORCH_HOME", str(folder))
    monkeypatch.setenv("HF_HOME", str(folder / "hf"))
    hub = folder / "hub" / "pyiqa"
    hub.mkdir(parents=True)
    for name in WEIGHTS:
        shutil.copy(shared(f"iqa/weights/{name}"), hub / name)
    return hub


def run_python(program: str, *arguments: str) -> str:
    """Run `program` in the interpreter with torch and return what it prints last."""
    python = score_python()
    done = subprocess.run(
        [python, "-c", program, *arguments],
        capture_output=True,
        text=True,
        env={**environment(python), "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""


RANDOM_NETS = """
import os, torch, pyiqa
hub = os.environ['TORCH_HOME'] + '/hub/pyiqa/'
torch.manual_seed(7)
net = pyiqa.create_metric('cnniqa', pretrained=None, device='cpu').net
torch.save({'params': net.state_dict()}, hub + 'CNNIQA_koniq10k-e6f14c91.pth')
net = pyiqa.create_metric('wadiqam_nr', pretrained=False, device='cpu').net
torch.save({'params': net.state_dict()}, hub + 'WaDIQaM-NR-koniq-aaffea29.pth')
"""
