"""From pictures to answers: damage that begins at a known step, one kind at a time."""

import numpy as np
import pytest

from b100tui.analysis.consensus import RunOnset, run_onset
from b100tui.analysis.contradictions import Contradiction, contradictions
from b100tui.analysis.gate import gate_onset
from b100tui.analysis.onset import onset
from b100tui.analysis.signals import SIGNALS
from b100tui.model.metric import Metric
from tests.analysis.pictures import DAMAGE, LAST, Series, probed, trajectory

MARKS = (*range(2, LAST, 3), LAST)  # where alignment is measured: it takes longest


SEEN = tuple(kind for kind in DAMAGE if kind != "grid")  # a lattice is evidence, no onset signal


def as_series(series: Series) -> dict[str, tuple[list[int], list[float | None]]]:
    return {
        name: (sorted(series[name]), [series[name][step] for step in sorted(series[name])])
        for name in SIGNALS
        if name in series
    }


def judged(series: Series) -> RunOnset:
    return run_onset(as_series(series))


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("first", [6, 13])
def test_the_onset_of_damage_in_pictures_is_found(kind: str, first: int) -> None:
    found = judged(probed(trajectory(kind, first, first)))
    assert found.step is not None and abs(found.step - first) <= 1, found.reason


@pytest.mark.parametrize("kind", SEEN)
def test_the_gate_crosses_soon_after_damage_and_not_before(kind: str) -> None:
    found = gate_onset(as_series(probed(trajectory(kind, 9, 4))), LAST)
    assert found.look is not None and 10 <= found.look <= 15, found.why
    assert found.value is not None and abs(found.value - 9) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_clean_pictures_have_no_onset(seed: int) -> None:
    series = probed(trajectory("none", 99, seed + 20))
    assert judged(series).status == "none"
    assert gate_onset(as_series(series), LAST).crossed is False


def test_zoom_is_found_as_drift() -> None:
    series = probed(trajectory("zoom", 10, 3), aligned=range(2, LAST + 1))
    steps = sorted(series["zoom"])
    found = onset(steps, [series["zoom"][step] for step in steps])
    assert found.step is not None and abs(found.step - 10) <= 1
    named = judged(series)
    assert named.step is not None and abs(named.step - 10) <= 1


def test_zoom_alone_is_drift_and_not_damage() -> None:
    """Resampling softens what is read off unwarped pixels; the warped reference is as soft."""
    series = probed(trajectory("zoom", 10, 3), aligned=range(2, LAST + 1))
    gated = {name: one for name, one in as_series(series).items() if name not in ("zoom", "ssim")}
    found = gate_onset(gated, LAST)
    assert found.crossed is False, found.why
    metric = Metric(id="m", name="M", backend="x", direction="higher", low=0.0, high=100.0)
    scores = {
        "m": {step: 50.0 + max(0, step - 9) + 0.1 * (step % 2) for step in range(1, LAST + 1)}
    }
    (answer,) = contradictions([metric], scores, series, sorted(series["ssim"]))
    assert answer.status == "consistent", answer.evidence


def liar(series: Series, first: int) -> Contradiction:
    """What is said of a metric that improves with the damage."""
    rng = np.random.default_rng(first)
    metric = Metric(id="m", name="M", backend="x", direction="higher", low=0.0, high=100.0)
    scores: dict[int, float | None] = {
        step: 50.0 + 2.0 * max(0, step - first + 1) + rng.normal(0, 0.5)
        for step in range(1, LAST + 1)
    }
    (found,) = contradictions([metric], {"m": scores}, series, range(2, LAST + 1))
    return found


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("noise", "noise sigma is"),
        ("tint", "mean colour moved"),
        ("blur", "texture fell"),
        ("halo", "halo is"),
        ("grid", "grid peak rose"),
    ],
)
def test_each_kind_of_damage_contradicts_a_metric_that_likes_it(kind: str, says: str) -> None:
    series = probed(trajectory(kind, 9, 5), aligned=MARKS)
    found = liar(series, 9)
    assert found.status == "contradicts", found.reason
    assert any(says in words for words in found.evidence), found.evidence
    if kind == "halo":
        assert found.halo_ratio is not None and found.halo_ratio > 1.3


def test_without_damage_the_same_metric_is_consistent() -> None:
    series = probed(trajectory("none", 99, 5), aligned=MARKS)
    assert liar(series, 9).status == "consistent"
