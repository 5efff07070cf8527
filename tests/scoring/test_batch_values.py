"""Batches against single pictures, and bf16 against float32, in pyiqa's own nets."""

import json
from pathlib import Path

import pytest

from tests.scoring.learned import RANDOM_NETS, run_python, torch_home

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
# How far a batch may move a value. BRISQUE looks its shape parameters up in a grid; b100 scores the
# classics one picture at a time, so that no stored value depends on its neighbours.
TOLERANCE = {"piqe": 0.0, "niqe": 1e-9, "brisque": 2e-2, "cnniqa": 1e-5, "wadiqam_nr": 1e-5}
PROGRAM = """
import json, sys
import numpy as np
from b100tui.metrics.pyiqa import Pyiqa
from tests.scoring.test_odd_pictures import scene
pictures = [np.roll(scene(256, 192), 9 * n, axis=1) for n in range(5)]
nothing = [None] * 5
found = {}
for name in sys.argv[1].split(','):
    backend = Pyiqa('cpu', sys.argv[2])
    together = backend.measure_batch(name, pictures, nothing)
    single = [backend.measure_batch(name, [one], [None])[0] for one in pictures]
    found[name] = [together, single]
print(json.dumps(found))
"""


@pytest.fixture
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch_home(tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    run_python(RANDOM_NETS)


@pytest.mark.usefixtures("nets")
def test_a_batch_gives_the_values_of_its_pictures() -> None:
    found = json.loads(run_python(PROGRAM, ",".join(TOLERANCE), "float32"))
    for name, (together, single) in found.items():
        assert together == pytest.approx(single, abs=TOLERANCE[name], rel=0), name
        assert len(set(single)) == 5, name


@pytest.mark.usefixtures("nets")
def test_bf16_is_near_and_leaves_the_classics_alone() -> None:
    full = json.loads(run_python(PROGRAM, "niqe,wadiqam_nr", "float32"))
    half = json.loads(run_python(PROGRAM, "niqe,wadiqam_nr", "bf16"))
    assert half["niqe"] == full["niqe"]
    assert half["wadiqam_nr"] != full["wadiqam_nr"]
    assert half["wadiqam_nr"][1] == pytest.approx(full["wadiqam_nr"][1], abs=0.05)
