"""A run ready to be shown: gaps with the paper's sign, the order of metrics, positions."""

import pytest
from msgspec import structs

from b100tui.index.rows import Series
from b100tui.model.metric import Metric
from b100tui.model.records import Step
from b100tui.tui.position import Position
from b100tui.tui.trajectory import Gap, make_trajectory
from b100tui.tui.widgets.metric_panel import gap_words
from tests.tui.fake import make_row

LOWER = Metric(id="brisque", name="BRISQUE", backend="x", direction="lower", low=0, high=100)
HIGHER = Metric(id="clip", name="CLIP", backend="x", direction="higher", low=0, high=1)
OPEN = Metric(id="open", name="Open", backend="x", direction="higher")
BLIND = Metric(id="blind", name="Blind", backend="x")
METRICS = {metric.id: metric for metric in (LOWER, HIGHER, OPEN, BLIND)}


def trajectory(last: int = 10, statuses: dict[int, str] | None = None, **values: list[float]):
    steps = [
        Step(run="r", step=n, status=(statuses or {}).get(n, "ok"))  # type: ignore[arg-type]
        for n in range(last + 1)
    ]
    series = [
        Series(run="r", metric=name, steps=tuple(range(len(v))), values=tuple(v))
        for name, v in values.items()
    ]
    return make_trajectory(make_row("a", "b", 0), steps, series, METRICS)


def only(**values: list[float]):
    return trajectory(**values).series[0]


def test_a_falling_value_of_a_lower_is_better_metric_is_a_failure():
    gap = only(brisque=[0, 34.1, -9.8]).gap(1, 2)
    assert gap.value == pytest.approx(43.9) and gap.failure and gap.normal


def test_a_falling_value_of_a_higher_is_better_metric_is_none():
    gap = only(clip=[0, 0.71, 0.44]).gap(1, 2)
    assert gap.value == pytest.approx(-27.0) and gap.failure is False


def test_without_a_range_the_gap_is_in_raw_units():
    gap = only(open=[0, 2.0, 5.0]).gap(1, 2)
    assert (gap.value, gap.normal, gap.failure) == (3.0, False, True)


def test_without_a_direction_there_is_a_difference_but_no_judgement():
    gap = only(blind=[0, 2.0, 5.0]).gap(1, 2)
    assert (gap.value, gap.failure) == (3.0, None)


def test_a_step_without_a_value_has_no_gap():
    assert only(clip=[0, 0.5]).gap(1, 7).value is None


def of_recipe(recipe: str, sizes: dict[int, int] | None = None):
    steps = [Step(run="r", step=n, width=(sizes or {}).get(n, 100), height=100) for n in range(8)]
    values = (0.5, 0.5, 0.9, 0.6, 0.9, 0.7, 0.9, 0.8)
    series = [Series(run="r", metric="clip", steps=tuple(range(8)), values=values)]
    row = structs.replace(make_row("a", "b", 0), recipe=recipe)
    return make_trajectory(row, steps, series, METRICS)


@pytest.mark.parametrize(
    ("recipe", "compared"),
    [("replicate", {2, 3, 4, 5, 6, 7}), ("mirror", {3, 5, 7}), ("rotate", {5}), ("add-cat", set())],
)
def test_a_gap_is_shown_only_between_steps_that_may_be_compared(recipe: str, compared: set[int]):
    series = of_recipe(recipe).series[0]
    assert {n for n in range(2, 8) if series.gap(1, n).value is not None} == compared


def test_steps_of_another_phase_or_size_say_so_instead_of_a_gap():
    assert of_recipe("mirror").series[0].gap(1, 2).apart == "phase"
    assert of_recipe("replicate", {4: 50}).series[0].gap(1, 4).apart == "size"
    assert of_recipe("add-cat").series[0].gap(1, 4).apart == "edit"
    assert gap_words(Gap(None, apart="phase")) == ("  ≠ phase", " ", "metric--dim")


def test_the_metric_that_fails_most_stands_first():
    shown = trajectory(clip=[0, 0.5, 0.4], brisque=[0, 30, 20], blind=[0, 1, 2]).ordered(1)
    assert [series.metric.id for series in shown] == ["brisque", "clip", "blind"]


def test_an_unregistered_metric_keeps_its_id():
    assert only(mine=[1.0, 2.0]).metric.name == "mine"


def test_a_typed_number_is_read_once():
    position = Position()
    for digit in "042":
        position.type_digit(digit)
    assert (position.take_typed(), position.take_typed()) == (42, None)


def test_going_past_the_end_stops_there_and_follows():
    position = Position(step=3)
    assert position.go(trajectory(), 99)
    assert (position.step, position.following) == (10, True)


def test_a_growing_run_takes_a_follower_along():
    position = Position()
    position.go(trajectory(), 10)
    assert position.grow(trajectory(last=12)) and position.step == 12


def test_a_growing_run_leaves_others_where_they_are():
    position = Position()
    position.go(trajectory(), 4)
    assert not position.grow(trajectory(last=12)) and position.step == 4


def test_a_reference_without_a_picture_moves_to_the_nearest_step_that_has_one():
    position = Position(reference=1)
    assert position.usable_reference(trajectory(statuses={1: "missing"})) == 0
