"""Two groups of runs side by side."""

import pytest

from b100tui.analysis.groups import GroupRun, broken, compare
from b100tui.model.metric import Metric

UP = Metric(id="up", name="Up", backend="x", direction="higher", low=0.0, high=10.0)


def run(name: str, gain: float, last: int = 20, **more: object) -> GroupRun:
    scores = {"up": {1: 5.0, 5: 5.0 + gain, 10: 5.0 + 2 * gain}}
    return GroupRun(run=name, last=last, scores=scores, **more)  # type: ignore[arg-type]


def test_gaps_stand_side_by_side_with_welch_intervals() -> None:
    first = [run("a", -0.1), run("b", -0.2), run("c", -0.3)]
    second = [run("d", -1.0), run("e", -1.2), run("f", -1.4)]
    found = compare([UP], first, second, steps=(5, 10))
    assert found.first.metrics["up"][0].mean == pytest.approx(-2.0)
    assert found.second.metrics["up"][1].mean == pytest.approx(-24.0)
    at_five = found.differences[0]
    assert at_five.value == pytest.approx(-10.0) and at_five.clear
    assert at_five.low is not None and at_five.low < -10 < (at_five.high or 0)


def test_steps_that_one_group_does_not_reach_are_left_out_and_said() -> None:
    found = compare([UP], [run("a", 1.0, last=8)], [run("b", 1.0)], steps=(5, 10))
    assert found.steps == (5,) and "step 10" in found.notes[0]


def test_one_run_a_side_has_a_difference_but_no_interval() -> None:
    found = compare([UP], [run("a", 1.0)], [run("b", 0.5)], steps=(5,))
    assert found.differences[0].value == pytest.approx(-5.0) and found.differences[0].clear is None


def test_runs_that_never_broke_count_in_the_median() -> None:
    assert broken([7, 9, None]).median == 9.0 and broken([7, 9, None]).never == 1
    assert broken([7, None, None]).median is None
    assert broken([]).n == 0


def test_a_run_that_could_not_be_judged_is_not_one_that_never_broke() -> None:
    short = run("c", 1.0, onset_known=False, limit_known=False)
    group = [run("a", 1.0, onset=7, limit=9), run("b", 1.0, onset=9), short]
    found = compare([UP], group, [short], steps=(5,))
    onset, limit = found.first.onset, found.first.limit
    assert (onset.median, onset.never, onset.unknown, onset.n) == (8.0, 0, 1, 3)
    assert (limit.median, limit.never, limit.unknown, limit.n) == (None, 1, 1, 3)
    alone = found.second.onset
    assert (alone.median, alone.never, alone.unknown, alone.n) == (None, 0, 1, 1)


def test_cost_adds_up_what_is_known() -> None:
    found = compare([UP], [run("a", 1.0, usd=1.5), run("b", 1.0)], [], steps=(5,))
    assert (found.first.usd, found.first.usd_known) == (1.5, 1)
    assert found.second.usd is None and found.steps == ()
