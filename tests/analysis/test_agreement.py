"""Do metrics agree, do annotators agree."""

import pytest

from b100tui.analysis.agreement import agreement
from b100tui.analysis.kappa import cohens_kappa
from b100tui.model.metric import Metric

UP = Metric(id="up", name="Up", backend="x", direction="higher")
DOWN = Metric(id="down", name="Down", backend="x", direction="lower")
GREY = Metric(id="grey", name="Grey", backend="x")


def test_direction_is_turned_before_ranking() -> None:
    scores = {"up": [1.0, 2.0, 3.0, 4.0, 5.0], "down": [5.0, 4.0, 3.0, 2.0, 1.0]}
    assert agreement([UP, DOWN], scores).values[0][1] == pytest.approx(1.0)


def test_spearman_and_kendall_match_known_values() -> None:
    scores = {"up": [1.0, 2.0, 3.0, 4.0, 5.0], "grey": [2.0, 1.0, 4.0, 3.0, 5.0]}
    assert agreement([UP, GREY], scores).values[0][1] == pytest.approx(0.8)
    kendall = agreement([UP, GREY], scores, method="kendall")
    assert kendall.values[0][1] == pytest.approx(0.6) and kendall.unturned == ("grey",)


def test_missing_scores_lower_coverage() -> None:
    nan = float("nan")
    scores = {"up": [1, 2, 3, 4, 5, 6, None, nan], "down": [6, 5, 4, 3, 2, None, 1, 0]}
    found = agreement([UP, DOWN], scores)
    assert found.n[0][1] == 5 and found.coverage[0][1] == pytest.approx(5 / 8)


def test_too_few_or_constant_scores_have_no_correlation() -> None:
    assert agreement([UP, DOWN], {"up": [1.0, 2.0], "down": [1.0, 2.0]}).values[0][1] is None
    assert agreement([UP, DOWN], {"up": [1.0] * 9, "down": [1.0, 2.0] * 4}).values[0][1] is None
    assert agreement([UP, DOWN], {}).n == ((0, 0), (0, 0))


def test_kappa_matches_a_worked_example() -> None:
    # 50 items, both yes 20, both no 15, a yes b no 5, a no b yes 10: kappa 0.4.
    one = {n: n < 25 for n in range(50)}
    other = {n: n < 20 or n >= 40 for n in range(50)}
    assert cohens_kappa(one, other).kappa == pytest.approx(0.4)


def test_kappa_is_not_defined_without_common_items_or_with_one_category() -> None:
    assert cohens_kappa({1: "a"}, {2: "a"}).kappa is None
    alike = cohens_kappa({1: "a", 2: "a"}, {1: "a", 2: "a"})
    assert alike.kappa is None and alike.observed == 1.0 and alike.reason
