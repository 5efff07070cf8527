"""What a wish to score takes."""

import pytest

from b100tui.model.errors import UsageError
from b100tui.tui.scorer import Known, Wish, chosen_steps, count_steps, make_plan
from tests.tui.fake import LAST, make_row

ROW = make_row("dongpo", "rotate-1K", 0)


def test_all_steps_that_are_there_are_meant_without_words():
    row = make_row("dongpo", "rotate-1K", 0, missing=(3, 4))
    assert chosen_steps(row, "") == [0, 1, 2, *range(5, LAST + 1)]


def test_steps_are_read_as_on_the_command_line():
    assert chosen_steps(ROW, "every:10") == [0, 10, 20]
    with pytest.raises(UsageError):
        chosen_steps(ROW, "many")


def test_runs_are_counted_together_each_with_its_own_gaps():
    other = make_row("fog", "rotate-1K", 0, last_step=LAST + 5, missing=(10,))
    counted = count_steps([ROW, ROW, other], "10,20-")
    assert (counted.runs, counted.images) == (3, 2 + 2 + 6)
    assert counted.steps == (10, *range(20, LAST + 6))


def test_a_plan_counts_what_is_missing_and_how_long_it_takes():
    known = Known({"brisque": 11}, {"brisque": 2.0})
    plan = make_plan(
        count_steps([ROW], ""), Wish((ROW.run,), ("brisque", "niqe")), known, 1e9, at_once=2
    )
    assert (plan.images, plan.wanted, plan.there) == (21, 42, 11)
    assert plan.seconds == pytest.approx(10 * 2.0 / 2)
    assert plan.untimed == ("niqe",)


def test_what_is_all_there_takes_nothing():
    known = Known({"brisque": 21}, {})
    plan = make_plan(count_steps([ROW], ""), Wish((), ("brisque",)), known, 0.0)
    assert (plan.wanted - plan.there, plan.seconds, plan.untimed) == (0, 0.0, ())
