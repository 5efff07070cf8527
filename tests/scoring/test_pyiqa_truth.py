"""pyiqa through the whole of b100 score against its published calibration values."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from b100tui.model.records import ScoreRecord
from tests.scoring.learned import run_python, score_python, torch_home
from tests.scoring.pictures import records, score_all, step_of
from tests.shared_data import shared

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
NAMES = ("I03", "I04", "I06", "I08", "I19")


def published(metric: str) -> dict[str, float]:
    with shared("iqa/calib/calibration_summary.csv").open(encoding="utf-8") as file:
        (row,) = [row for row in csv.DictReader(file) if row["Method"] == metric]
    return {name: float(row[f"{name}.bmp"]) for name in NAMES}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], ScoreRecord]:
    """Records by (metric, picture) of the five distorted pictures, each against its reference."""
    python = score_python()
    root = tmp_path_factory.mktemp("calib")
    steps = []
    with pytest.MonkeyPatch.context() as patch:
        for place in ("CACHE", "STATE", "CONFIG", "DATA"):
            patch.setenv(f"B100_{place}_DIR", str(root / place.lower()))
        torch_home(tmp_path_factory.mktemp("torch"), patch)
        for name in NAMES:
            folder = root / f"{name}/s/run-0"
            folder.mkdir(parents=True)
            for number, kind in ((1, "ref"), (2, "dist")):
                file = folder / f"step-{number:03}.bmp"
                shutil.copy(shared(f"iqa/calib/{kind}/{name}.bmp"), file)
                steps.append(step_of(root, file, number, f"{name}/s/run-0"))
        metrics = ("piqe", "niqe", "brisque", "pyiqa_entropy")
        compared = ("pyiqa_psnr", "pyiqa_ssim", "ms_ssim", "gmsd", "nlpd", "vif", "vsi", "fsim")
        report = score_all(root, steps, *metrics, *compared, python=python)
        assert report.failed == {}
        ilniqe = [step for step in steps if step.step == 2]
        assert score_all(root, ilniqe, "ilniqe", python=python).failed == {}
        return {(r.metric, r.run[:3]): r for r in records(root) if r.step == 2}


@pytest.mark.parametrize(
    ("metric", "row", "absolute"),
    [
        ("piqe", "piqe(ours)", 1e-3),
        ("pyiqa_entropy", "entropy(ours)", 1e-3),
        ("niqe", "niqe(ours)", 5e-3),
        ("brisque", "brisque(ours)", 2e-2),
        ("pyiqa_psnr", "psnr(ours)", 1e-2),
        ("pyiqa_ssim", "ssim(ours)", 1e-3),
        ("ms_ssim", "ms_ssim(ours)", 1e-3),
        ("gmsd", "gmsd(ours)", 1e-3),
        ("nlpd", "nlpd(ours)", 1e-3),
        ("vif", "vif(ours)", 1e-3),
        ("vsi", "vsi(ours)", 1e-3),
        ("fsim", "fsim(ours)", 1e-3),
    ],
)
def test_values_are_those_pyiqa_published(
    scored: dict[tuple[str, str], ScoreRecord], metric: str, row: str, absolute: float
) -> None:
    for name, expected in published(row).items():
        assert scored[metric, name].value == pytest.approx(expected, abs=absolute), name


def test_ilniqe_is_what_pyiqa_published_but_for_the_picture_torch_moved(
    scored: dict[tuple[str, str], ScoreRecord],
) -> None:
    """I19 is 0.07 (0.13 %) off the table, in plain calls of pyiqa as well.

    Its last step inverts a covariance whose condition is 2.4e11: features moved at random by
    1e-6 of their spread move the value by up to 0.03, by 1e-5 up to 0.2, so it holds no better
    than the single precision of what made the table. Threads and the stop of the Weibull fit,
    tried on it, move it by less than 1e-4.
    """
    for name, expected in published("ilniqe(ours)").items():
        far = {"abs": 2e-2} if name != "I19" else {"rel": 2e-3}
        assert scored["ilniqe", name].value == pytest.approx(expected, **far), name


PLAIN = """
import json, sys, pyiqa
names, paths = sys.argv[1].split(','), sys.argv[2:]
made = {name: pyiqa.create_metric(name, device='cpu') for name in names}
print(json.dumps({name: [net(path).item() for path in paths] for name, net in made.items()}))
"""


def test_values_equal_plain_calls_of_pyiqa_to_the_last_digit(
    scored: dict[tuple[str, str], ScoreRecord],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch_home(tmp_path, monkeypatch)
    names = ("piqe", "niqe", "brisque")
    paths = [str(shared(f"iqa/calib/dist/{name}.bmp")) for name in NAMES]
    plain = json.loads(run_python(PLAIN, ",".join(names), *paths))
    for metric in names:
        assert [scored[metric, name].value for name in NAMES] == plain[metric]


@pytest.mark.parametrize("metric", ["piqe", "niqe", "brisque", "ilniqe"])
def test_values_are_near_those_of_the_authors_own_code(
    scored: dict[tuple[str, str], ScoreRecord], metric: str
) -> None:
    for name, expected in published(metric).items():
        assert scored[metric, name].value == pytest.approx(expected, rel=0.08, abs=0.25), name


def test_the_record_says_which_weights_torch_and_pyiqa_made_it(
    scored: dict[tuple[str, str], ScoreRecord],
) -> None:
    parts = scored["niqe", "I03"].parts
    assert parts["backend"].startswith("pyiqa 0.")
    assert parts["torch"][0].isdigit()
    assert len(parts["weights"]) == 64
    assert (parts["device"], parts["threads"]) == ("cpu", "1")
