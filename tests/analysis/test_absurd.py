"""What cannot be a score: far beyond the metric's own range, infinite, beyond all numbers."""

import math

import pytest

from b100tui.analysis.absurd import absurd_words, believed, is_absurd
from b100tui.model.metric import Metric

RANGED = Metric(id="r", name="R", backend="x", direction="lower", low=0.0, high=150.0)
OPEN = Metric(id="o", name="O", backend="x", direction="lower", low=0.0)


@pytest.mark.parametrize("value", [-9.8, 0.0, 151.0, 4000.0, -149_000.0])
def test_a_score_out_of_its_range_is_still_a_score(value: float) -> None:
    assert not is_absurd(RANGED, value)


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e305, -1e305, 1e7, -1e7])
def test_a_thousand_ranges_away_is_absurd(value: float) -> None:
    assert is_absurd(RANGED, value)


@pytest.mark.parametrize("metric", [OPEN, None])
def test_without_a_range_only_what_no_metric_gives_is_absurd(metric: Metric | None) -> None:
    assert not is_absurd(metric, 1e12) and not is_absurd(metric, -1e12)
    assert is_absurd(metric, 1e16) and is_absurd(metric, -math.inf)


def test_a_range_as_wide_as_the_numbers_themselves_lets_no_infinity_in() -> None:
    endless = Metric(id="e", name="E", backend="x", direction="higher", low=-1e308, high=1e308)
    assert is_absurd(endless, 1e300) and is_absurd(endless, math.inf)


def test_missing_is_not_absurd() -> None:
    kept, wrong = believed(RANGED, {1: None, 2: math.nan, 3: 1e300, 4: 70.0})
    assert wrong == (3,) and list(kept) == [1, 2, 4] and kept[4] == 70.0


def test_the_words_name_the_first_steps() -> None:
    assert absurd_words(()) == ""
    assert absurd_words((7,)) == "1 absurd score left out (step 7)"
    assert absurd_words((2, 3, 4, 9)) == "4 absurd scores left out (steps 2, 3, 4, ...)"
