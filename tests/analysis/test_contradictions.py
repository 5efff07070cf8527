"""Metrics that said "better" while the picture got worse, on planted truth."""

import numpy as np
import pytest

from b100tui.analysis.contradictions import benjamini_hochberg, contradictions, improved_at
from b100tui.model.metric import Metric
from tests.analysis.planted import change, noise

STEPS = np.arange(1, 41)
COMPARABLE = range(2, 41)
Values = dict[int, float | None]


def metric(name: str, direction: str = "higher") -> Metric:
    return Metric(id=name, name=name, backend="x", direction=direction, low=0.0, high=100.0)  # type: ignore[arg-type]


def series(row: object, first: int = 1) -> Values:
    return {first + place: float(value) for place, value in enumerate(np.asarray(row))}


def probes(first: int, rng: np.random.Generator, damaged: bool = True) -> dict[str, Values]:
    grain = noise("ar0.3", 4, 40, rng)
    curve = change("ramp_plateau", STEPS, first) * (1.0 if damaged else 0.0)
    out = {
        "noise_sigma": series(2.0 + 3.0 * curve + 0.05 * grain[0]),
        "colour_cast": series(0.4 + 4.0 * curve[1:] + 0.08 * grain[1][1:], 2),
        "ssim": series(0.92 - 0.3 * curve[1:] + 0.005 * grain[2][1:], 2),
        "texture_ratio": series(1.0 + 0.02 * grain[3][1:], 2),
    }
    return out


def planted_run(
    seed: int, damaged: bool = True
) -> tuple[list[Metric], dict[str, Values], set[str]]:
    """Twelve metrics: four rise with the damage, four fall, four only wander."""
    rng = np.random.default_rng(seed)
    kinds = ("white", "ar0.3", "ar0.7", "walk")
    metrics, scores, liars = [], {}, set()
    for number in range(12):
        direction = "lower" if number % 3 == 0 else "higher"
        sign = -1 if direction == "lower" else 1
        row = noise(kinds[number % 4], 1, 40, rng)[0] * (0.3 if number % 4 == 3 else 1.0)
        if number < 8:
            rise = 25 if number < 4 else -25
            row = row + sign * rise * change("ramp_plateau", STEPS, 8)
        name = f"m{number}"
        metrics.append(metric(name, direction))
        scores[name] = series(50 + row)
        if number < 4 and damaged:
            liars.add(name)
    return metrics, scores, liars


def test_planted_contradictions_have_precision_and_recall_of_nine_tenths() -> None:
    right = wrong = missed = 0
    for seed in range(12):
        metrics, scores, liars = planted_run(seed)
        signals = probes(8, np.random.default_rng(100 + seed))
        found = contradictions(metrics, scores, signals, COMPARABLE)
        named = {one.metric for one in found if one.status == "contradicts"}
        right += len(named & liars)
        wrong += len(named - liars)
        missed += len(liars - named)
    print(f"precision {right / (right + wrong):.3f} recall {right / (right + missed):.3f}")
    assert right / (right + wrong) >= 0.9
    assert right / (right + missed) >= 0.9


def test_improvement_without_damage_is_no_contradiction() -> None:
    for seed in range(6):
        metrics, scores, _ = planted_run(seed)
        signals = probes(8, np.random.default_rng(seed), damaged=False)
        found = contradictions(metrics, scores, signals, COMPARABLE)
        assert not [one for one in found if one.status == "contradicts"]


def test_drift_without_damage_is_no_contradiction() -> None:
    """Aligned fidelity hardly moves when content only zooms, whatever a metric says."""
    rng = np.random.default_rng(1)
    signals = probes(8, rng, damaged=False)
    scores = {"m": series(50 + 20 * change("jump", STEPS, 8) + noise("white", 1, 40, rng)[0])}
    (found,) = contradictions([metric("m")], scores, signals, COMPARABLE)
    assert found.status == "consistent" and "fidelity did not fall" in found.reason


def one_liar(signals: dict[str, Values], marked: tuple[int, ...] = ()) -> object:
    rng = np.random.default_rng(2)
    scores = {
        "m": series(50 + 25 * change("ramp_plateau", STEPS, 8) + noise("white", 1, 40, rng)[0])
    }
    (found,) = contradictions([metric("m")], scores, signals, COMPARABLE, marked=marked)
    return found


@pytest.mark.parametrize("absurd", [1e305, 1e50, float("inf"), float("-inf")])
def test_an_absurd_score_is_no_improvement_and_hides_none(absurd: float) -> None:
    """Five steps of it would be the plainest improvement of all; one in a lie changes little."""
    rng = np.random.default_rng(2)
    signals = probes(8, np.random.default_rng(3))
    flat = series(50 + noise("white", 1, 40, rng)[0])
    rises = series(50 + 25 * change("ramp_plateau", STEPS, 8) + noise("white", 1, 40, rng)[0])
    scores = {
        "flat": {**flat, **dict.fromkeys(range(20, 25), absurd)},
        "rises": {**rises, 30: absurd},
    }
    asked = [metric("flat"), metric("rises")]
    found, lie = contradictions(asked, scores, signals, COMPARABLE)
    assert found.status == "consistent" and found.gap is None
    assert found.reason.endswith("5 absurd scores left out (steps 20, 21, 22, ...)")
    assert lie.status == "contradicts" and lie.gap == pytest.approx(25, abs=6)
    assert lie.reason == "1 absurd score left out (step 30)"
    assert improved_at(asked, scores, COMPARABLE).keys() == {"rises"}


def test_an_absurd_reference_score_is_said() -> None:
    scores = {"m": {**series(np.arange(40.0)), 1: -1e305}}
    signals = probes(8, np.random.default_rng(4))
    (found,) = contradictions([metric("m")], scores, signals, COMPARABLE)
    assert found.status == "not_applicable"
    assert found.reason == "no score at reference step 1; 1 absurd score left out (step 1)"


def test_absurd_probes_are_no_evidence() -> None:
    grain = {step: 1e305 for step in range(8, 41)} | dict.fromkeys(range(1, 8), 2.0)
    signals = probes(8, np.random.default_rng(3), damaged=False)
    signals["ssim"] = probes(8, np.random.default_rng(3))["ssim"]
    found = one_liar({**signals, "noise_sigma": grain})
    assert found.status == "consistent" and "no kind of damage" in found.reason  # type: ignore[attr-defined]


def test_the_word_lie_needs_two_kinds_of_evidence_or_a_mark() -> None:
    both = probes(8, np.random.default_rng(3))
    single = {name: row for name, row in both.items() if name != "colour_cast"}
    assert one_liar(both).word == "lie"  # type: ignore[attr-defined]
    assert one_liar(single).word == "contradicts the probes"  # type: ignore[attr-defined]
    assert one_liar(single, marked=(12,)).word == "lie"  # type: ignore[attr-defined]
    assert one_liar(single, marked=(1,)).word == "contradicts the probes"  # type: ignore[attr-defined]


def test_each_comes_with_the_step_to_show_and_sentences() -> None:
    found = one_liar(probes(8, np.random.default_rng(3)))
    assert found.step >= 10 and found.reference == 1  # type: ignore[attr-defined]
    assert found.gap == pytest.approx(25, abs=6)  # type: ignore[attr-defined]
    assert found.noise_ratio == pytest.approx(2.5, abs=0.2)  # type: ignore[attr-defined]
    text = " ".join(found.evidence)  # type: ignore[attr-defined]
    assert "better" in text and "SSIM fell" in text and "CIELAB" in text
    assert 0.9 < found.confidence <= 1.0  # type: ignore[attr-defined]


def test_not_applicable_says_why() -> None:
    signals = probes(8, np.random.default_rng(4))
    scores = {"m": series(np.arange(40.0)), "u": series(np.arange(40.0)), "n": {2: 1.0}}
    grey = Metric(id="u", name="u", backend="x")
    found = contradictions([metric("m"), grey, metric("n")], scores, signals, (3, 5, 7))
    assert [one.status for one in found] == ["not_applicable"] * 3
    assert "comparable steps" in found[0].reason and "direction" in found[1].reason
    assert "no score at reference" in found[2].reason
    (blind,) = contradictions([metric("m")], scores, {}, COMPARABLE)
    assert blind.status == "not_applicable" and "fidelity" in blind.reason


def test_mirror_runs_are_judged_within_their_phase() -> None:
    """Every other step is a mirror image with another score: that alternation is no change."""
    rng = np.random.default_rng(5)
    signals = probes(8, rng, damaged=False)
    row = 50 + 30 * (STEPS % 2 == 0) + noise("white", 1, 40, rng)[0]
    (found,) = contradictions([metric("m")], {"m": series(row)}, signals, range(3, 41, 2))
    assert found.status == "consistent"


def test_benjamini_hochberg_matches_the_closed_form() -> None:
    adjusted = benjamini_hochberg({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert adjusted == pytest.approx({"d": 0.02, "a": 0.02, "c": 0.04, "b": 0.04})
    assert benjamini_hochberg({}) == {}
