"""The first step that is bad and stays bad."""

import pytest

from b100tui.analysis.limit import Tolerance, defaults, limit, tolerances
from b100tui.model.errors import UsageError

NOISE = (Tolerance(name="noise_ratio", signal="noise_ratio", value=2.0, beyond="above"),)


def test_a_step_counts_when_the_next_comparable_one_is_beyond_too() -> None:
    values = {2: 1.0, 3: 2.5, 4: 1.1, 5: 2.2, 6: 2.4, 7: 3.0}
    found = limit({"noise_ratio": values}, range(2, 8), using=NOISE)
    assert (found.step, found.name, found.value) == (5, "noise_ratio", 2.2)


def test_only_comparable_steps_are_read() -> None:
    values = {step: 9.0 if step % 2 == 0 else 1.0 for step in range(2, 20)}
    assert limit({"noise_ratio": values}, range(3, 20, 2), using=NOISE).step is None


def test_the_last_step_alone_is_not_enough() -> None:
    values = {2: 1.0, 3: 1.0, 4: 5.0}
    assert limit({"noise_ratio": values}, (2, 3, 4), using=NOISE).step is None


def test_missing_values_neither_confirm_nor_break() -> None:
    values = {2: 1.0, 3: 2.5, 4: None, 5: float("nan"), 6: 2.6}
    assert limit({"noise_ratio": values}, range(2, 7), using=NOISE).step == 3


@pytest.mark.parametrize("absurd", [float("inf"), 1e300])
def test_absurd_values_are_beyond_nothing(absurd: float) -> None:
    values = {2: 1.0, 3: absurd, 4: absurd, 5: 1.0, 6: 2.5, 7: absurd, 8: 2.6}
    assert limit({"noise_ratio": values}, range(2, 9), using=NOISE).step == 6
    base = {1: absurd, **{step: 9.0 for step in range(2, 9)}}
    assert "noise_ratio" in limit({"noise_sigma": base}, range(2, 9)).unchecked


def test_the_earliest_tolerance_is_named() -> None:
    signals = {
        "ssim": {step: 0.9 if step < 6 else 0.5 for step in range(2, 12)},
        "colour_cast": {step: 0.0 if step < 9 else 8.0 for step in range(2, 12)},
    }
    found = limit(signals, range(2, 12))
    assert (found.step, found.name) == (6, "ssim")
    assert found.each["cast"] == 9 and "noise_ratio" in found.unchecked


def test_noise_is_held_against_the_reference_step() -> None:
    values = {1: 0.5, **{step: 0.6 if step < 8 else 1.2 for step in range(2, 20)}}
    found = limit({"noise_sigma": values}, range(2, 20))
    assert (found.step, found.name) == (8, "noise_ratio") and found.value == pytest.approx(2.4)
    unmeasured = limit({"noise_sigma": {**values, 1: None}}, range(2, 20))
    assert unmeasured.step is None and "noise_ratio" in unmeasured.unchecked


def test_every_default_says_why() -> None:
    assert {one.name for one in defaults()} >= {"noise_ratio", "cast", "texture_ratio", "ssim"}
    assert all(one.why for one in defaults())


def test_tolerances_can_be_set_and_unknown_ones_are_refused() -> None:
    assert {one.name: one.value for one in tolerances({"cast": 5.0})}["cast"] == 5.0
    with pytest.raises(UsageError):
        tolerances({"nois": 2.0})
    with pytest.raises(UsageError):
        tolerances({"cast": float("inf")})
