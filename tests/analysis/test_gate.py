"""The gate: decided on what was known, never taken back."""

from collections.abc import Sequence

import numpy as np
import pytest

from b100tui.analysis import looks, ramp
from b100tui.analysis.consensus import Series
from b100tui.analysis.gate import gate_limit, gate_onset
from tests.analysis.planted import change, noise

STEPS = np.arange(1, 61)


def broken(first: int, seed: int = 1, height: float = 25.0) -> dict[str, Series]:
    rows = noise("ar0.3", 4, len(STEPS), np.random.default_rng(seed))
    shapes = ("ramp_plateau", "jump", "saturating")
    curves = [height * change(shape, STEPS, first) for shape in shapes] + [0.0 * STEPS]
    return {
        name: (STEPS.tolist(), (row + curve).tolist())
        for name, row, curve in zip("abcd", rows, curves, strict=True)
    }


@pytest.mark.parametrize("steps", [range(1, 41), range(3, 83, 2), [*range(1, 30), *range(41, 52)]])
def test_running_looks_equal_fits_on_what_was_known(steps: Sequence[int]) -> None:
    """Evenly spaced steps share one table in units of their distance."""
    at = tuple(steps)
    even = tuple(range(40)) if at[-1] - at[0] == 39 * (at[1] - at[0]) else at
    series, _ = ramp.scaled(noise("level1", 1, 40, np.random.default_rng(2))[0])
    (statistic,) = looks.statistics([(at, series)])
    for count in (6, 13, 40):
        rows, starts, ramps = ramp.shapes(even[:count], looks.RAMPS)
        family = tuple(ramp.of_shapes(rows, starts, ramps, noise) for noise in looks.NOISES)
        alone = ramp.fit(family, series[np.newaxis, :count])
        assert statistic[count - 1] == pytest.approx(alone.statistic[0], abs=1e-6)
        assert looks.fitted(at[:count], series[:count]).statistic == pytest.approx(
            alone.statistic[0], abs=1e-6
        )


def test_signals_of_several_lengths_are_looked_at_together() -> None:
    rows = noise("ar0.5", 2, 40, np.random.default_rng(3))
    many = [(tuple(range(1, 41)), rows[0]), (tuple(range(2, 33)), rows[1][:31])]
    both = looks.statistics(many)
    for one, found in zip(many, both, strict=True):
        assert found == pytest.approx(looks.statistics([one])[0])


@pytest.mark.parametrize("seed", range(8))
def test_what_hindsight_puts_in_line_is_told_apart(seed: int) -> None:
    """`stirred` may be over-careful, but calm means that nothing was put in line differently."""
    rng = np.random.default_rng(seed)
    row = rng.standard_normal(40) if seed % 2 else np.cumsum(rng.standard_normal(40))
    row[rng.integers(5, 40, size=2)] += rng.normal(0, 15, size=2)
    clean = ramp.despiked(row)
    stirred = ramp.stirred(row, clean)
    for count in range(4, 41):
        same = np.array_equal(ramp.despiked(row[:count]), clean[:count])
        assert stirred[count - 1] or same


def test_a_planted_break_is_seen_soon_after_it() -> None:
    found = gate_onset(broken(20), 60)
    assert found.crossed and found.value is not None and found.look is not None
    assert abs(found.value - 20) <= 1 and 20 <= found.look <= 24
    assert found.low is not None and found.return_to == max(1, found.low - 1)


def test_before_the_break_the_gate_is_open() -> None:
    assert gate_onset(broken(20), 19).crossed is False


def test_a_change_too_small_to_matter_does_not_cross() -> None:
    """A drift of 1 % of noise is certain, and nothing to stop for; a doubling crosses at once."""
    rng = np.random.default_rng(8)

    def run(rise: float) -> dict[str, Series]:
        grain = 1.0 + rise * change("jump", STEPS, 20) + 0.0005 * rng.standard_normal(60)
        return {name: (STEPS.tolist(), (2 * grain).tolist()) for name in ("noise_sigma", "lab_a")}

    assert gate_onset(run(0.01), 60).crossed is False
    found = gate_onset(run(1.0), 60)
    assert (found.crossed, found.value, found.look) == (True, 20, 21)


def softened(aligned: bool) -> dict[str, Series]:
    """A zoom at step 15 that softens what is measured on unwarped pixels by 60 %."""
    rng = np.random.default_rng(9)
    drop = np.where(STEPS >= 15, 0.4, 1.0)
    out: dict[str, Series] = {
        name: (STEPS.tolist(), (drop * (1 + 0.01 * rng.standard_normal(60))).tolist())
        for name in ("laplacian_variance", "high_frequency", "texture_ratio")
    }
    if aligned:
        out["texture_aligned"] = (
            STEPS.tolist()[1:],
            (1 + 0.01 * rng.standard_normal(59)).tolist(),
        )
    return out


def test_softening_by_a_zoom_is_held_against_the_warped_reference() -> None:
    assert gate_onset(softened(aligned=False), 60).crossed is True
    assert gate_onset(softened(aligned=True), 60).crossed is False


def test_a_lone_value_is_no_crossing_and_hides_none() -> None:
    signals = broken(20)
    odd = {name: (at, [*values[:9], 1e6, *values[10:]]) for name, (at, values) in signals.items()}
    assert gate_onset(odd, 19).crossed is False
    found = gate_onset(odd, 60)
    assert found.value is not None and abs(found.value - 20) <= 1


def apart(height: float, seed: int, *, moved: str = "ab") -> dict[str, Series]:
    """Six signals in white noise; `a` jumps at step 12, `b` at step 35, the others never."""
    rows = noise("white", 6, len(STEPS), np.random.default_rng(seed))
    jumps = {"a": 12, "b": 35}
    return {
        name: (
            STEPS.tolist(),
            (50 + row + height * change("jump", STEPS, jumps[name]) * (name in moved)).tolist()
            if name in jumps
            else (50 + row).tolist(),
        )
        for name, row in zip("abcdef", rows, strict=True)
    }


@pytest.mark.parametrize(
    ("height", "seed", "surest", "at"), [(4.0, 10, "b", 35), (4.5, 0, "a", 12)]
)
def test_two_that_changed_at_steps_of_their_own_cross_and_the_surest_is_named(
    height: float, seed: int, surest: str, at: int
) -> None:
    """Neither would do alone: of six signals one must be clearer than either is."""
    found = gate_onset(apart(height, seed), 60)
    assert found.crossed and found.look is not None
    assert (found.signals, found.value) == ((surest,), at)
    assert found.low is not None and found.high is not None and found.low <= at <= found.high
    assert found.return_to == max(1, found.low - 1)
    assert found.why.startswith(f"{surest}: change began at step {at} ")
    for one in "ab":
        assert gate_onset(apart(height, seed, moved=one), found.look).crossed is False


def test_later_values_change_nothing() -> None:
    signals = broken(20)
    cut = {name: (at[:30], values[:30]) for name, (at, values) in signals.items()}
    absurd: dict[str, Series] = {
        name: (at, [*values[:30], *[9e9 * (-1) ** n for n in range(30)]])
        for name, (at, values) in signals.items()
    }
    assert gate_onset(cut, 30) == gate_onset(signals, 30) == gate_onset(absurd, 30)


def test_once_crossed_stays_crossed() -> None:
    signals = broken(20)
    # From step 40 on every signal is back where it was.
    back: dict[str, Series] = {
        name: (at, [*values[:39], *values[:21]]) for name, (at, values) in signals.items()
    }
    decisions = [gate_onset(back, step) for step in range(22, 61)]
    crossed = [one.crossed for one in decisions]
    assert crossed == sorted(crossed, key=bool) and crossed[-1]
    assert len({(one.value, one.look) for one in decisions if one.crossed}) == 1


def test_return_never_lies_before_the_reference() -> None:
    found = gate_onset(broken(2, height=60), 60)
    assert found.crossed and found.return_to == 1


def test_too_short_or_unscored_is_undecided() -> None:
    assert gate_onset(broken(20), 4).crossed is None
    assert gate_onset({}, 30).crossed is None
    unscored: dict[str, Series] = {"a": (STEPS.tolist(), [None] * 60)}
    assert gate_onset(unscored, 60).crossed is None


@pytest.mark.parametrize("kind", ["ar0.5", "ar0.9", "walk"])
def test_repeated_looks_at_clean_runs_rarely_cross(kind: str) -> None:
    rng = np.random.default_rng(3)
    bad = 0
    for _ in range(60):
        rows = noise(kind, 4, 60, rng)
        signals = {str(n): (STEPS.tolist(), row.tolist()) for n, row in enumerate(rows)}
        bad += bool(gate_onset(signals, 60).crossed)
    assert bad / 60 <= 0.05


def test_limit_gate_needs_the_second_step_beyond() -> None:
    signals = {"noise_sigma": {step: 1.0 if step < 9 else 3.0 for step in range(1, 30)}}
    comparable = range(2, 30)
    assert gate_limit(signals, comparable, 9).crossed is False
    found = gate_limit(signals, comparable, 10)
    assert found.crossed and found.value == 9 and found.return_to == 8


def test_limit_gate_without_values_is_undecided() -> None:
    assert gate_limit({}, range(2, 30), 20).crossed is None


def test_a_few_values_that_toggle_between_two_levels_do_not_cross() -> None:
    signals: dict[str, Series] = {"a": (list(range(1, 9)), [2, 2, 1, 1, 1, 2, 1, 2])}
    assert gate_onset(signals, 8).crossed is False
