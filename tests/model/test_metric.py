import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from b100tui.model.metric import Metric, corrected_gap, normalised

NUMBERS = st.floats(-1e6, 1e6)
# Paper, Table 2: BRISQUE typically lies in 0..150 and less is better, MUSIQ in 0..100.
BRISQUE = Metric(
    id="brisque", name="BRISQUE", backend="pyiqa", direction="lower", low=0.0, high=150.0
)
MUSIQ = Metric(id="musiq", name="MUSIQ", backend="pyiqa", direction="higher", low=0.0, high=100.0)
PI = Metric(id="pi", name="PI", backend="pyiqa", direction="lower", low=0.0, high=None)
HUE = Metric(id="hue", name="Hue", backend="probes", low=0.0, high=1.0)


def test_the_ends_of_the_range_are_0_and_100() -> None:
    assert (normalised(MUSIQ, 0.0), normalised(MUSIQ, 100.0)) == (0.0, 100.0)


def test_where_lower_is_better_the_scale_is_reversed() -> None:
    assert (normalised(BRISQUE, 0.0), normalised(BRISQUE, 150.0)) == (100.0, 0.0)


def test_a_value_outside_the_range_is_not_clipped() -> None:
    assert normalised(BRISQUE, -15.0) == pytest.approx(110.0)
    assert normalised(MUSIQ, 120.0) == pytest.approx(120.0)


def test_an_open_range_has_no_normalised_score() -> None:
    assert normalised(PI, 3.0) is None


def test_an_empty_range_has_no_normalised_score() -> None:
    empty = Metric(id="e", name="E", backend="x", direction="higher", low=1.0, high=1.0)
    assert normalised(empty, 1.0) is None
    assert corrected_gap(empty, 1.0, 2.0) == 1.0


def test_an_unknown_direction_has_neither_score_nor_gap() -> None:
    assert normalised(HUE, 0.5) is None
    assert corrected_gap(HUE, 0.1, 0.9) is None


def test_an_open_range_still_has_a_failure() -> None:
    assert corrected_gap(PI, 5.0, 3.0) == 2.0


@given(NUMBERS, NUMBERS)
def test_the_two_signs_of_improvement_agree(reference: float, value: float) -> None:
    assume(abs(reference - value) > 1e-3)
    for metric in (BRISQUE, MUSIQ):
        gap = corrected_gap(metric, reference, value)
        one, other = normalised(metric, reference), normalised(metric, value)
        assert gap is not None and one is not None and other is not None
        assert (gap > 0) == (other > one)


@given(NUMBERS)
def test_a_step_has_no_gap_to_itself(value: float) -> None:
    assert corrected_gap(BRISQUE, value, value) == 0.0
