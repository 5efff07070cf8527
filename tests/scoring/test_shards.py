"""Sharing the work: every picture in exactly one part, and parts add up to the whole."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.errors import UsageError
from b100tui.model.records import PictureRef, Step
from b100tui.scoring.plan import Task
from b100tui.scoring.shards import Shard, parse_shard
from tests.scoring.pictures import drawn_run, records, score_all

SLURM = {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "3"}


@given(count=st.integers(1, 9), steps=st.integers(0, 60))
def test_every_task_is_in_exactly_one_part(count: int, steps: int) -> None:
    tasks = [
        Task(Step(run="a/b/run-0", step=n, picture=PictureRef(f"{n}.png")), ("lab_l",))
        for n in range(steps)
    ]
    parts = [Shard(number, count).part(tasks) for number in range(count)]
    assert sorted(task.step.step for part in parts for task in part) == list(range(steps))


@pytest.mark.parametrize(("text", "shard"), [("0/1", Shard(0, 1)), ("7/8", Shard(7, 8))])
def test_a_part_is_named_from_zero(text: str, shard: Shard) -> None:
    assert parse_shard(text) == shard


@pytest.mark.parametrize("text", ["8/8", "1", "-1/4", "1/0", "a/b", ""])
def test_a_wrong_part_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        parse_shard(text)


def test_auto_reads_the_variables_of_a_slurm_array() -> None:
    assert parse_shard("auto", SLURM) == Shard(2, 4)
    assert parse_shard("auto", {**SLURM, "SLURM_ARRAY_TASK_STEP": "2"}) == Shard(1, 4)


@pytest.mark.parametrize(
    "environment", [{}, {**SLURM, "SLURM_ARRAY_TASK_ID": "9"}, {**SLURM, "SLURM_ARRAY_TASK_ID": ""}]
)
def test_auto_without_a_sound_array_is_wrong_use(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="auto"):
        parse_shard("auto", environment)


def test_parts_side_by_side_give_the_values_of_the_whole(tmp_path: Path) -> None:
    whole, apart = tmp_path / "whole", tmp_path / "apart"
    score_all(whole, drawn_run(whole, 12), "lab_l", "noise_sigma")
    steps = drawn_run(apart, 12)
    for number in (2, 0, 1):
        score_all(apart, steps, "lab_l", "noise_sigma", shard=Shard(number, 3))
    values = {(r.step, r.metric): r.value for r in records(whole)}
    assert {(r.step, r.metric): r.value for r in records(apart)} == values
    assert len(records(apart)) == len(values) == 24
    assert score_all(apart, steps, "lab_l", "noise_sigma").skipped == 24


def test_several_devices_have_a_worker_each_and_share_one_ledger(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 9)
    report = score_all(tmp_path, steps, "lab_l", "colour_cast", device="cpu,cpu")
    assert (report.done, report.failed) == (18, {})
    assert len(records(tmp_path)) == 18
