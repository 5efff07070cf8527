"""The gate: decided on what was known, never taken back."""

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


def test_running_looks_equal_fits_on_what_was_known() -> None:
    series, _ = ramp.scaled(noise("ar0.7", 1, 40, np.random.default_rng(2))[0])
    steps = tuple(range(1, 41))
    statistic, chosen = looks.statistics(steps, series)
    for count in (6, 13, 40):
        rows, starts, ramps = ramp.shapes(steps[:count], looks.RAMPS)
        family = tuple(ramp.of_shapes(rows, starts, ramps, phi) for phi in ramp.PHI)
        alone = ramp.fit(family, series[np.newaxis, :count])
        assert statistic[count - 1] == pytest.approx(alone.statistic[0], abs=1e-6)
        assert chosen[count - 1] == alone.phi[0]


def test_a_planted_break_is_seen_soon_after_it() -> None:
    found = gate_onset(broken(20), 60)
    assert found.crossed and found.value is not None and found.look is not None
    assert abs(found.value - 20) <= 1 and 20 <= found.look <= 26
    assert found.low is not None and found.return_to == max(1, found.low - 1)


def test_before_the_break_the_gate_is_open() -> None:
    assert gate_onset(broken(20), 19).crossed is False


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
