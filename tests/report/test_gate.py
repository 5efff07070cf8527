"""The gate on real folders: no look-ahead, latched, measures what is missing, reads one run."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.report.chosen import runs_of
from b100tui.report.gate import GateAnswer, OneRun, gate, own_run
from b100tui.report.onsets import onset_table
from b100tui.workspace.parts import part_files
from b100tui.workspace.places import workspace_dirs
from tests.index.folder import add_step, record, score
from tests.report.test_onsets import planted

RUN = "dongpo/replicate-2k/run-0"


def decided(root: Path, step: int | None = None, **more: object) -> GateAnswer:
    one = own_run(root, RUN)
    assert one is not None
    return gate(root, one, step=step, **more)  # type: ignore[arg-type]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A run whose grain and tint grow from step 9 on."""
    for name, seed in (("noise_sigma", 1), ("lab_b", 2)):
        values = planted(9, seed)
        record(tmp_path, "scores", *(score(RUN, at, name, v) for at, v in values.items()))
    for step in range(1, 31):
        add_step(tmp_path, RUN, step)
    return tmp_path


def test_it_crosses_soon_after_the_planted_onset_and_stays_crossed(broken: Path) -> None:
    answers = {n: decided(broken, n, probes=False) for n in range(1, 31)}
    crossed = [n for n, answer in answers.items() if answer.crossed]
    assert 9 <= crossed[0] <= 13
    assert crossed == list(range(crossed[0], 31))
    assert all(answers[n].value == answers[30].value for n in crossed)
    first = answers[crossed[0]]
    assert first.low is not None and first.return_to == max(1, first.low - 1)


def test_later_steps_change_nothing(broken: Path) -> None:
    before = decided(broken, 14, probes=False)
    wild = [score(RUN, step, "noise_sigma", 999.0) for step in range(31, 60)]
    for step in range(31, 60):
        add_step(broken, RUN, step)
    record(broken, "scores", *wild)
    assert decided(broken, 14, probes=False) == before


def test_the_limit_is_another_question(broken: Path) -> None:
    answer = decided(broken, on="limit", probes=False)
    assert (answer.crossed, answer.value, answer.return_to) == (True, 13, 12)
    assert decided(broken, 12, on="limit", probes=False).crossed is False


def test_too_short_is_no_decision(broken: Path) -> None:
    answer = decided(broken, 4, probes=False)
    assert answer.crossed is None and "too short" in answer.why


def test_no_index_is_needed_and_one_changes_nothing(broken: Path) -> None:
    bare = decided(broken, probes=False)
    refresh(broken)
    assert decided(broken, probes=False) == bare


def test_records_newer_than_the_index_count(broken: Path) -> None:
    for step in range(1, 31):
        add_step(broken, "fog/replicate-2k/run-0", step)
    refresh(broken)
    values = planted(5, 3)
    name = "fog/replicate-2k/run-0"
    for metric in ("noise_sigma", "lab_b"):
        record(broken, "scores", *(score(name, at, metric, v) for at, v in values.items()))
    one = own_run(broken, name)
    assert one is not None
    answer = gate(broken, one, probes=False)
    assert answer.crossed and answer.value is not None and abs(answer.value - 5) <= 1


def pictures(root: Path, first: int, last: int) -> None:
    """Write a run of real pictures whose grain grows from `first` on."""
    rng = np.random.default_rng(5)
    base = cv2.GaussianBlur(rng.integers(0, 256, (96, 128, 3)).astype(np.float32), (0, 0), 3)
    base = (base - base.mean()) * 6 + 128
    for step in range(1, last + 1):
        sigma = 1.0 + 1.5 * max(0, step - first + 1)
        noisy = np.clip(base + rng.normal(0, sigma, base.shape), 0, 255).astype(np.uint8)
        data = cv2.imencode(".png", noisy)[1].tobytes()
        add_step(root, RUN, step, data=data, size=(128, 96))


def test_missing_probes_are_measured_kept_and_not_measured_again(tmp_path: Path) -> None:
    pictures(tmp_path, 8, 16)
    answer = decided(tmp_path)
    assert answer.crossed and answer.value is not None and abs(answer.value - 8) <= 1
    assert answer.measured == 16 and "kept" in answer.stored
    assert len(part_files(workspace_dirs(tmp_path), "scores")) == 1
    again = decided(tmp_path)
    assert (again.measured, again.stored) == (0, "")
    assert (again.crossed, again.value) == (answer.crossed, answer.value)


def test_a_step_that_is_not_there_yet_is_no_all_clear(broken: Path) -> None:
    early = own_run(broken, RUN)
    assert early is not None
    short = OneRun(early.run, tuple(step for step in early.steps if step.step <= 8))
    assert gate(broken, short, step=8, probes=False).crossed is False
    answer = gate(broken, short, step=9, probes=False)
    assert (answer.crossed, answer.why) == (
        None,
        "step 9 is not there yet: the last picture is step 8",
    )


def test_only_pictures_up_to_the_asked_step_are_measured(tmp_path: Path) -> None:
    pictures(tmp_path, 8, 12)
    assert decided(tmp_path, 7).measured == 7


def test_the_kept_values_serve_the_index_too(tmp_path: Path) -> None:
    pictures(tmp_path, 8, 16)
    answer = decided(tmp_path)
    refresh(tmp_path)
    index = open_index(tmp_path)
    try:
        (row,) = onset_table(index, runs_of(index))
    finally:
        index.close()
    assert row.step is not None and answer.value is not None
    assert abs(row.step - answer.value) <= 1


def test_a_picture_that_cannot_be_read_costs_itself_only(tmp_path: Path) -> None:
    pictures(tmp_path, 8, 16)
    (tmp_path / RUN / "step-004.png").write_bytes(b"no picture")
    answer = decided(tmp_path)
    assert answer.crossed and answer.value is not None and abs(answer.value - 8) <= 1


def test_a_name_that_leads_outside_is_no_run(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    root.mkdir()
    add_step(tmp_path, "other/replicate-2k/run-0", 1)
    assert own_run(root, "../other/replicate-2k/run-0") is None
