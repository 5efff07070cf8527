"""What several signals agree on."""

import numpy as np

from b100tui.analysis.consensus import agree, run_onset
from b100tui.analysis.onset import Onset
from tests.analysis.planted import Floats, change, noise

STEPS = np.arange(1, 41)


def answer(step: int, low: int, high: int, over: float = 50.0) -> Onset:
    return Onset(
        status="onset", step=step, low=low, high=high, statistic=over + 20, threshold=20, n=40
    )


NONE = Onset(status="none", statistic=5, threshold=20, n=40, reason="no change")


def test_two_signals_in_each_others_intervals_agree() -> None:
    found = agree({"noise": answer(7, 6, 8), "cast": answer(8, 7, 9), "sharp": NONE})
    assert found.consensus == ("noise", "cast") and not found.single
    assert (found.step, found.low, found.high) == (7, 7, 8)


def test_one_sided_overlap_is_no_agreement() -> None:
    found = agree({"noise": answer(7, 7, 7, 90), "cast": answer(9, 5, 12)})
    assert found.single and found.consensus == ("noise",)


def test_a_single_signal_is_named_as_single() -> None:
    found = agree({"noise": answer(7, 6, 8), "cast": NONE})
    assert found.single and found.step == 7 and "single" in found.reason


def test_a_single_signal_just_over_its_threshold_is_not_enough() -> None:
    found = agree({"noise": answer(7, 6, 8, 1.0), "a": NONE, "b": NONE, "c": NONE})
    assert found.status == "none" and found.step is None and "noise" in found.reason


def test_no_signals_is_too_short() -> None:
    assert agree({}).status == "too_short"


def test_planted_run_is_found_by_several_signals() -> None:
    rng = np.random.default_rng(1)
    rows = noise("ar0.3", 4, 40, rng)
    signals: dict[str, tuple[list[int], list[float | None]]] = {}
    for name, row, height in zip("abcd", rows, (25, -30, 40, 0), strict=True):
        curve: Floats = height * change("ramp_plateau", STEPS, 12)
        signals[name] = (STEPS.tolist(), (curve + row).tolist())
    found = run_onset(signals)
    assert found.step is not None and abs(found.step - 12) <= 1
    assert set(found.consensus) == {"a", "b", "c"}


def test_runs_of_clean_signals_rarely_alarm() -> None:
    rng = np.random.default_rng(2)
    bad = 0
    for _ in range(60):
        rows = noise("walk", 8, 40, rng)
        found = run_onset({str(n): (STEPS.tolist(), row.tolist()) for n, row in enumerate(rows)})
        bad += found.step is not None
    assert bad / 60 <= 0.05


def test_a_signal_that_changed_alone_before_the_others_is_named() -> None:
    found = agree({"cast": answer(5, 5, 6), "a": answer(17, 16, 18), "b": answer(17, 16, 18)})
    assert found.consensus == ("a", "b") and "cast changed alone before, at step 5" in found.reason


def test_energies_are_fitted_as_logarithms() -> None:
    """Noise that grows evenly makes an energy bend upwards; its onset must not come late."""
    rng = np.random.default_rng(6)
    grain = 2.0 + 0.5 * np.clip(STEPS - 9, 0, None)
    energy = (grain + rng.normal(0, 0.05, 40)) ** 2
    found = run_onset({"laplacian_variance": (STEPS.tolist(), energy.tolist())})
    assert found.step is not None and abs(found.step - 10) <= 1
