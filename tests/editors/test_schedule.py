"""Planted schedules and seed policies."""

import pytest

from b100tui.editors.schedule import draw_schedule, profiles, step_seed


@pytest.mark.parametrize("name", sorted(profiles()))
def test_the_onset_lies_in_the_range_of_its_profile(name: str) -> None:
    allowed = profiles()[name].onset
    for seed in range(40):
        onset = draw_schedule(name, seed, "a/b/run-0", 30).onset
        assert onset is None if not allowed else allowed[0] <= onset <= allowed[1]


def test_a_schedule_hangs_on_its_arguments_alone() -> None:
    assert draw_schedule("sim-pro", 1, "r", 30) == draw_schedule("sim-pro", 1, "r", 30)
    assert draw_schedule("sim-pro", 1, "r", 30) != draw_schedule("sim-pro", 2, "r", 30)


def test_noise_is_admitted_long_after_it_began() -> None:
    for seed in range(40):
        planted = draw_schedule("sim-pro", seed, "r", 100)
        assert planted.onset is not None
        assert min(planted.noticed) >= planted.onset + 8


def test_turned_and_mirrored_runs_only_zoom() -> None:
    planted = draw_schedule("sim-pro", 4, "r", 60, plain_copy=False)
    assert planted.shifts
    assert all((shift.dx, shift.dy) == (0.0, 0.0) for shift in planted.shifts)


def test_seed_policies() -> None:
    assert step_seed("none", 7, "r", 3) is None
    assert step_seed("fixed", 7, "r", 3) == step_seed("fixed", 7, "r", 4) == 7
    each = {step_seed("per-step", 7, "r", step) for step in range(1, 101)}
    assert len(each) == 100
    assert all(seed is not None and 0 <= seed < 2**31 for seed in each)
    with pytest.raises(ValueError, match="none, fixed, per-step"):
        step_seed("often", 7, "r", 3)


def test_the_picture_never_slips_before_the_onset() -> None:
    for seed in range(40):
        planted = draw_schedule("sim-local", seed, "r", 40)
        assert planted.onset is not None
        assert min(shift.step for shift in planted.shifts) >= planted.onset
