"""Which metric noticed first."""

import numpy as np

from b100tui.analysis.notice import Alarm, Broke, alarm, notice, ranked, when_broken
from b100tui.model.metric import Metric
from tests.analysis.planted import change, noise

STEPS = np.arange(1, 41)
UP = Metric(id="up", name="Up", backend="x", direction="higher")


def values(rise: float, seed: int = 1) -> dict[int, float | None]:
    row = rise * change("jump", STEPS, 15) + noise("white", 1, 40, np.random.default_rng(seed))[0]
    return dict(zip(STEPS.tolist(), row.tolist(), strict=True))


def test_marks_come_before_limit_before_onset() -> None:
    assert when_broken([9, 7], 5, 3) == Broke(7, "marks")
    assert when_broken([1], 5, 3) == Broke(5, "limit")
    assert when_broken([], None, 3) == Broke(3, "onset")
    assert when_broken([], None, None) == Broke(None, "onset")


def test_only_a_change_for_the_worse_is_an_alarm() -> None:
    assert alarm(UP, "r", values(-20)).step == 15
    better = alarm(UP, "r", values(20))
    assert better.step is None and better.improved
    assert not alarm(UP, "r", {1: 1.0, 2: 2.0}).usable


def test_delay_false_alarms_and_unusable_runs_are_counted() -> None:
    truth = {"a": Broke(10, "marks"), "b": Broke(10, "limit"), "c": Broke(None, "onset")}
    alarms = [
        Alarm(run="a", step=13),
        Alarm(run="b", step=None),
        Alarm(run="c", step=4),
        Alarm(run="d", step=4),
    ]
    found = notice("m", alarms, truth)
    assert (found.delay, found.caught, found.broken) == (3.0, 1, 2)
    assert (found.false_alarms, found.clean) == (1, 1)
    assert found.truth == {"marks": 1, "limit": 1, "onset": 1}


def test_a_metric_that_cries_wolf_ranks_behind_a_slower_one() -> None:
    truth = {"a": Broke(10, "marks"), "c": Broke(None, "onset")}
    wolf = notice("wolf", [Alarm(run="a", step=10), Alarm(run="c", step=2)], truth)
    slow = notice("slow", [Alarm(run="a", step=14), Alarm(run="c", step=None)], truth)
    blind = notice("blind", [Alarm(run="a", step=None), Alarm(run="c", step=None)], truth)
    assert [one.metric for one in ranked([blind, wolf, slow])] == ["slow", "wolf", "blind"]
