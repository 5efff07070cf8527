"""The point estimate of the run list."""

import numpy as np

from b100tui.analysis.onset import quick_onset


def test_a_clear_ramp_is_found_at_its_first_changed_step() -> None:
    steps = list(range(1, 41))
    noise = np.random.default_rng(1).normal(0, 0.2, 40)
    values = [float(max(0, step - 12) + noise[step - 1]) for step in steps]
    found = quick_onset(steps, values)
    assert found is not None and abs(found - 13) <= 1


def test_white_noise_and_random_walks_stay_silent() -> None:
    rng = np.random.default_rng(2)
    white = rng.normal(size=(100, 60))
    walks = np.cumsum(rng.normal(size=(100, 60)), axis=1)
    alarms = sum(quick_onset(range(60), row.tolist()) is not None for row in (*white, *walks))
    assert alarms <= 4


def test_missing_absurd_and_equal_values_never_raise_an_onset() -> None:
    assert quick_onset([], []) is None
    assert quick_onset(range(5), [1.0, 2.0, 3.0, 4.0, 5.0]) is None
    assert quick_onset(range(20), [3.5] * 20) is None
    assert quick_onset(range(20), [None, float("nan"), float("inf")] * 6 + [1.0, 2.0]) is None


def test_missing_steps_keep_their_numbers() -> None:
    steps = [step for step in range(1, 60) if step not in (5, 21)]
    noise = np.random.default_rng(3).normal(0, 0.05, 60)
    values = [float((step >= 30) * 3.0 + noise[step]) for step in steps]
    assert quick_onset(steps, values) == 30
