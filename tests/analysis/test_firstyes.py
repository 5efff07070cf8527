"""First-yes steps with runs that never say yes."""

import pytest

from b100tui.analysis.firstyes import first_yes, kaplan_meier, restricted_mean, run_yes


def verdicts(text: str, start: int = 1) -> dict[int, str | None]:
    said = {"y": "yes", "n": "no", "?": "unparsed", "-": None, "s": "no_summary"}
    return {start + place: said[letter] for place, letter in enumerate(text)}


def test_isolated_and_sustained_yes_are_told_apart() -> None:
    found = run_yes("r", verdicts("nnynnyyy"))
    assert (found.first, found.sustained, found.isolated) == (3, 6, True)


def test_unparsed_and_failed_answers_are_missing_not_no() -> None:
    found = run_yes("r", verdicts("nn?y-sy"))
    assert (found.first, found.sustained, found.isolated) == (4, 4, False)
    assert found.coverage == pytest.approx(4 / 7)


def test_kaplan_meier_matches_the_closed_form() -> None:
    # 3 yes at 2, 4, 6 and two censored at 3 and 8: 4/5, then 4/5 * 2/3, then that * 1/2.
    curve = kaplan_meier([(2, True), (3, False), (4, True), (6, True), (8, False)])
    assert [step for step, _ in curve] == [2, 4, 6]
    assert [share for _, share in curve] == pytest.approx([0.8, 0.8 * 2 / 3, 0.8 / 3])
    assert restricted_mean(curve, 8) == pytest.approx(2 + 0.8 * 2 + 1.6 / 3 * 2 + 0.8 / 3 * 2)


def test_mean_and_sd_only_where_none_is_censored() -> None:
    full = first_yes([run_yes(str(n), verdicts("n" * n + "yy")) for n in (3, 5, 7)])
    assert full.mean == pytest.approx(6.0) and full.sd == pytest.approx(2.0)
    assert full.median == 6.0 and full.censored == 0
    cut = first_yes([*full.runs, run_yes("never", verdicts("n" * 20))])
    assert cut.mean is None and cut.sd is None and cut.censored == 1
    assert cut.median == 7.0 and cut.restricted_mean == pytest.approx((4 + 6 + 8 + 20) / 4)


def test_a_judge_that_never_says_yes_has_no_median() -> None:
    found = first_yes([run_yes(str(n), verdicts("n" * 10)) for n in range(5)])
    assert found.median is None and found.mean is None
    assert found.censored == 5 and found.restricted_mean == 10.0


def test_runs_without_an_answer_are_counted_apart() -> None:
    found = first_yes([run_yes("a", verdicts("??-")), run_yes("b", verdicts("ny"))])
    assert (found.n, found.unanswered) == (1, 1)
    assert first_yes([]).n == 0


def test_sustained_groups_use_the_first_yes_that_held() -> None:
    runs = [run_yes("a", verdicts("ynnyy")), run_yes("b", verdicts("nnnyy"))]
    assert first_yes(runs).median == 2.5
    assert first_yes(runs, sustained=True).median == 4.0
