"""What is wanted, from steps and metrics alone."""

import pytest

from b100tui.metrics import registry
from b100tui.model.errors import MetricError
from b100tui.model.records import PictureRef, Step
from b100tui.model.steps import parse_steps
from b100tui.scoring.plan import choose_metrics, plan_scores


def steps(run: str, *numbers: int) -> list[Step]:
    return [Step(run=run, step=n, picture=PictureRef(f"{run}-{n}.png")) for n in numbers]


def test_probes_are_ready_and_pixel_fidelity_is_asked_for_by_name() -> None:
    ready, unavailable = choose_metrics("probes")
    names = {metric.id for metric in ready}
    assert {"noise_sigma", "colour_cast", "texture_ratio"} <= names
    assert not names & {"psnr", "ssim", "changed_share"}
    assert unavailable == {}


def test_paper_means_the_24_names_each_with_its_reason() -> None:
    ready, unavailable = choose_metrics("paper")
    assert len(ready) + len(unavailable) == 24
    assert all(unavailable.values())


def test_groups_and_names_mix_without_doubling() -> None:
    ready, _ = choose_metrics("probes,noise_sigma,SSIM")
    names = [metric.id for metric in ready]
    assert len(names) == len(set(names))
    assert "ssim" in names


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(MetricError):
        choose_metrics("probes,nonsense_metric")


def test_the_reference_is_step_1_of_the_same_run() -> None:
    tasks = plan_scores([*steps("a", 0, 1, 2), *steps("b", 0, 1)], _against())
    assert [(t.step.run, t.step.step, t.reference.step) for t in tasks if t.reference] == [
        ("a", 0, 1),
        ("a", 1, 1),
        ("a", 2, 1),
        ("b", 0, 1),
        ("b", 1, 1),
    ]
    assert all(t.reference and t.reference.run == t.step.run for t in tasks)


def test_without_a_step_1_the_first_step_is_the_reference() -> None:
    tasks = plan_scores(steps("a", 5, 10), _against())
    assert [t.reference.step for t in tasks if t.reference] == [5, 5]


def test_selected_steps_keep_their_reference_outside_the_selection() -> None:
    tasks = plan_scores(steps("a", 0, 1, 2, 10), _against(), parse_steps("10-"))
    assert [(t.step.step, t.reference.step) for t in tasks if t.reference] == [(10, 1)]


def test_missing_steps_are_not_wanted() -> None:
    gap = Step(run="a", step=1, status="missing")
    tasks = plan_scores([*steps("a", 0), gap, *steps("a", 2)], (registry.metric("lab_l"),))
    assert [task.step.step for task in tasks] == [0, 2]


def _against() -> tuple[registry.Metric, ...]:
    return (registry.metric("colour_cast"),)
