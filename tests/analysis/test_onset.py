"""Onset on planted truth: where change begins, and silence where there is none."""

import numpy as np
import pytest
from scipy import stats

from b100tui.analysis import ramp
from b100tui.analysis.onset import onset
from tests.analysis.planted import NULLS, SHAPES, Floats, change, noise

STEPS = np.arange(1, 51)


def upper(bad: int, count: int) -> float:
    return float(stats.beta.ppf(0.95, bad + 1, count - bad))


def alarms(rows: Floats) -> int:
    steps = range(1, rows.shape[1] + 1)
    return sum(onset(steps, row.tolist()).status in ("onset", "from_start") for row in rows)


@pytest.mark.parametrize("kind", NULLS)
@pytest.mark.parametrize("length", [25, 100])
def test_series_without_change_rarely_alarm(kind: str, length: int) -> None:
    count = 200
    bad = alarms(noise(kind, count, length, np.random.default_rng([5, length])))
    print(f"{kind} n={length}: {bad}/{count}, upper 95 % bound {upper(bad, count):.3f}")
    assert bad / count <= 0.05


@pytest.mark.parametrize("kind", ["level1", "level2", "level4"])
def test_a_walk_under_noise_rarely_alarms(kind: str) -> None:
    """Real chains wander by themselves under measurement noise of their own."""
    bad = alarms(noise(kind, 200, 100, np.random.default_rng([5, 100])))
    assert bad / 200 <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*NULLS, "ar0.95", "level0.5", "level1", "level2", "level4"])
@pytest.mark.parametrize("length", [8, 10, 20, 25, 50, 100])
def test_false_alarms_of_many_clean_series_stay_below_five_percent(kind: str, length: int) -> None:
    count = 1000
    bad = alarms(noise(kind, count, length, np.random.default_rng([6, length])))
    print(f"{kind} n={length}: {bad}/{count}, upper 95 % bound {upper(bad, count):.3f}")
    assert bad / count <= 0.05


def planted(
    shape: str, kind: str, height: float, count: int, seed: int
) -> list[tuple[int, Floats]]:
    rng = np.random.default_rng(seed)
    out = []
    for number, row in enumerate(noise(kind, count, len(STEPS), rng)):
        first = 5 + number % 25
        out.append((first, height * change(shape, STEPS, first) + row))
    return out


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["white", "ar0.6"])
def test_planted_changes_are_found_within_a_step(shape: str, kind: str) -> None:
    errors, covered, count = [], 0, 60
    for number, (first, row) in enumerate(planted(shape, kind, 25, count, 8)):
        found = onset(STEPS.tolist(), row.tolist(), seed=number)
        if found.step is None or found.low is None or found.high is None:
            continue
        errors.append(abs(found.step - first))
        covered += found.low <= first <= found.high
    assert np.median(errors) <= 1
    assert 1 - len(errors) / count <= 0.10
    assert covered / len(errors) >= 0.80


def test_intervals_cover_about_as_often_as_they_say() -> None:
    covered = seen = 0
    for shape in SHAPES:
        for kind in ("white", "ar0.3", "ar0.6"):
            for number, (first, row) in enumerate(planted(shape, kind, 12, 40, 9)):
                found = onset(STEPS.tolist(), row.tolist(), seed=number)
                if found.low is not None and found.high is not None:
                    seen += 1
                    covered += found.low <= first <= found.high
    assert 0.90 <= covered / seen <= 0.99


def test_a_ramp_from_the_reference_on_is_from_start() -> None:
    row = (STEPS - 1) * 1.0 + noise("white", 1, 50, np.random.default_rng(1))[0]
    found = onset(STEPS.tolist(), row.tolist())
    assert found.status == "from_start" and found.step == 2


def test_an_exact_curve_is_found_exactly() -> None:
    row = 3.0 + 0.25 * np.clip(STEPS - 17, 0, 10)
    found = onset(STEPS.tolist(), row.tolist())
    assert (found.status, found.step, found.low, found.high) == ("onset", 18, 18, 18)
    assert found.rise == pytest.approx(2.5)


def test_steps_before_the_reference_do_not_count() -> None:
    row = np.where(STEPS > 2, 10.0, 0.0) + noise("white", 1, 50, np.random.default_rng(2))[0]
    assert onset(STEPS.tolist(), row.tolist(), reference=1).step == 3
    assert onset(STEPS.tolist(), row.tolist(), reference=5).status == "none"


def test_a_single_odd_last_step_is_no_onset() -> None:
    row = noise("white", 1, 50, np.random.default_rng(3))[0]
    row[-1] = 60.0
    assert onset(STEPS.tolist(), row.tolist()).status == "none"


@pytest.mark.parametrize("place", [10, 30, 47, 48])
@pytest.mark.parametrize("value", [60.0, -1e300])
def test_a_single_absurd_value_is_no_onset(place: int, value: float) -> None:
    row = noise("white", 1, 50, np.random.default_rng(3))[0]
    row[place] = value
    assert onset(STEPS.tolist(), row.tolist()).status == "none"


def test_a_single_absurd_value_hides_no_onset() -> None:
    row = noise("white", 1, 50, np.random.default_rng(3))[0] + 20.0 * (STEPS >= 12)
    row[30] = 1e300
    assert onset(STEPS.tolist(), row.tolist()).step == 12


def test_between_two_steps_that_were_looked_at_nobody_knows() -> None:
    """Every fourth step: the change at 15 is first seen at 17, and may be as old as 14."""
    mine = STEPS[(STEPS - 1) % 4 == 0]
    found = onset(mine.tolist(), (10.0 * (mine >= 15)).tolist())
    assert (found.step, found.low, found.high) == (17, 14, 17)


def test_a_change_smaller_than_the_least_is_none_that_counts() -> None:
    row = (0.5 * (STEPS >= 20) + 0.001 * (STEPS % 2)).tolist()
    small = onset(STEPS.tolist(), row, least=(0.6, 0.1))
    assert small.status == "none" and "too little" in small.reason
    assert onset(STEPS.tolist(), row, least=(0.4, 9.0)).step == 20
    assert onset(STEPS.tolist(), [-value for value in row], least=(0.6, 0.1)).step == 20


@pytest.mark.parametrize("level", [1.0, 4.0])
def test_a_level_is_whitened_to_independent_noise(level: float) -> None:
    """The Kalman filter's innovations are the Cholesky factor's, by another road."""
    place = np.arange(30)
    covariance = np.minimum(place[:, None], place) + level**2 * np.eye(30)
    root = np.linalg.cholesky(covariance)
    row = np.random.default_rng(1).standard_normal(30)
    mine = ramp.whiten(row, ramp.Noise(level=level))
    assert mine == pytest.approx(np.linalg.solve(root, row))
    half = -np.sum(np.log(np.diag(root)))
    assert ramp.bonus(ramp.Noise(level=level), 30)[-1] == pytest.approx(half)


def test_missing_steps_keep_their_numbers() -> None:
    keep = [step for step in STEPS.tolist() if step % 3]
    row = [10.0 * (step >= 20) + 0.1 * (step % 2) for step in keep]
    assert onset(keep, row).step == 20


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ([], "too_short"),
        ([1.0, 2.0, 9.0, 9.0, 9.0], "too_short"),
        ([7.25] * 20, "none"),
        ([None, float("nan"), float("inf"), -float("inf")] * 5, "too_short"),
        ([1e308 * (-1) ** n for n in range(20)], "none"),
    ],
)
def test_bad_input_is_answered_honestly(values: list[float | None], status: str) -> None:
    found = onset(range(1, len(values) + 1), values)
    assert found.status == status and found.step is None and found.reason


def test_long_series_are_answered() -> None:
    steps = range(1, 2001)
    row = noise("white", 1, 2000, np.random.default_rng(4))[0]
    row += 20 * change("jump", np.arange(1, 2001), 1000)
    found = onset(steps, row.tolist())
    assert found.step is not None and abs(found.step - 1000) <= 8
    assert found.low is not None and found.high is not None
    assert found.low <= 1000 <= found.high


@pytest.mark.parametrize("cycle", [2, 3, 4])
def test_runs_that_cycle_are_judged_on_their_comparable_steps(cycle: int) -> None:
    """Phases differ wildly; within one phase the change at step 41 stands out."""
    steps = np.arange(1, 101)
    row = 30.0 * (steps % cycle) + 25 * change("ramp_plateau", steps, 41)
    row = row + noise("ar0.3", 1, 100, np.random.default_rng(7))[0]
    mine = steps[(steps - 1) % cycle == 0]
    found = onset(mine.tolist(), row[mine - 1].tolist())
    assert found.step is not None and 0 <= found.step - 41 <= cycle


def test_the_same_seed_gives_the_same_interval() -> None:
    _, row = planted("ramp", "ar0.3", 12, 1, 5)[0]
    assert onset(STEPS.tolist(), row.tolist(), seed=4) == onset(
        STEPS.tolist(), row.tolist(), seed=4
    )
