"""What scoring would take, from what was measured before."""

from pathlib import Path

import pytest

from b100tui.model.records import ScoreRecord
from b100tui.scoring.estimate import estimate
from b100tui.scoring.session import default_threads
from b100tui.workspace.parts import PartWriter
from tests.scoring.pictures import drawn_run


def store(root: Path, **fields: object) -> None:
    parts = PartWriter(root / ".b100" / "scores")
    base = {"run": "x", "step": 0, "metric": "lab_l", "metric_version": "v", "value": 1.0}
    parts.append(ScoreRecord(**{**base, **fields}))  # type: ignore[arg-type]
    parts.close()


def test_time_is_the_mean_of_what_was_measured_times_what_is_missing(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 4)
    assert steps[0].picture is not None
    store(tmp_path, path=steps[0].picture.path, pixels=(96, 64), seconds=2.0)
    store(tmp_path, path="elsewhere.png", pixels=(96, 64), seconds=4.0)
    found = estimate(tmp_path, steps, ["lab_l", "lab_a"], {"niqe": "no torch"})
    assert (found.pictures, found.scores, found.there) == (4, 8, 1)
    assert found.seconds == pytest.approx(3 * 3.0 / default_threads())
    assert found.unmeasured == ("lab_a",)
    assert found.unavailable == {"niqe": "no torch"}


def test_without_any_measurement_the_time_is_unknown(tmp_path: Path) -> None:
    assert estimate(tmp_path, drawn_run(tmp_path, 2), ["lab_l"], {}).seconds is None


def test_learned_metrics_take_memory_and_probes_do_not_count(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 1)
    assert estimate(tmp_path, steps, ["lab_l"], {}).memory == 0
    assert estimate(tmp_path, steps, ["niqe"], {}).memory > 10**9
