"""Gaps, worst metric, quick onset and limit of the index rest on comparable steps only."""

from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.rows import RunRow
from b100tui.index.store import Index, open_index
from tests.index.folder import add_step, record, score


def built(root: Path) -> Index:
    refresh(root)
    return open_index(root)


def write(root: Path, run: str, values: dict[int, float], metric: str = "brisque") -> None:
    for step in values:
        add_step(root, run, step)
    record(root, "scores", *(score(run, step, metric, value) for step, value in values.items()))


def gaps(index: Index, run: str) -> dict[int, float | None]:
    return dict(index.ask("SELECT i, raw_gap FROM gap WHERE run = ? ORDER BY i", [run]))


def row(index: Index) -> RunRow:
    (found,) = index.runs()
    return found


def test_another_phase_of_a_mirror_run_has_a_score_but_no_gap(tmp_path: Path) -> None:
    run = "dongpo/mirror-2k/run-0"
    write(tmp_path, run, {1: 30.0, 5: 20.0, 10: 10.0, 20: 5.0})
    index = built(tmp_path)
    assert gaps(index, run) == {5: -10.0, 10: None, 20: None}
    assert row(index).worst_gap == pytest.approx(10.0 / 1.5)
    assert index.matching_steps(run, "brisque.gap>0") == [5]
    assert index.matching_steps(run, "brisque<11") == [10, 20]


def test_another_pixel_size_has_no_gap(tmp_path: Path) -> None:
    run = "dongpo/replicate-2k/run-0"
    write(tmp_path, run, {1: 30.0})
    add_step(tmp_path, run, 5, size=(8, 6))
    record(tmp_path, "scores", score(run, 5, "brisque", 2.0))
    assert gaps(built(tmp_path), run) == {5: None, 10: None, 20: None}


def test_runs_that_add_objects_have_no_worst_metric(tmp_path: Path) -> None:
    write(tmp_path, "table/add-apples-2k/run-0", {1: 30.0, 5: 20.0})
    assert row(built(tmp_path)).worst_metric is None


def test_the_limit_is_the_first_step_that_stays_beyond_a_tolerance(tmp_path: Path) -> None:
    values = {step: 2.0 if step < 7 else 4.5 for step in range(1, 12)} | {4: 9.0}
    write(tmp_path, "dongpo/replicate-2k/run-0", values, metric="noise_sigma")
    index = built(tmp_path)
    assert row(index).limit == 7  # step 4 alone is an outlier
    assert index.ask("SELECT limit_step FROM run_summary") == [(7,)]


def test_a_signal_against_step_1_has_no_value_of_its_own_there(tmp_path: Path) -> None:
    values = {step: 5.0 for step in range(1, 12)}
    values[1] = 0.0
    write(tmp_path, "dongpo/replicate-2k/run-0", values, metric="colour_cast")
    assert row(built(tmp_path)).onset is None


def test_the_tail_follows_the_same_rules(tmp_path: Path) -> None:
    run = "dongpo/mirror-2k/run-0"
    write(tmp_path, run, {1: 30.0, 5: 20.0})
    index = built(tmp_path)
    add_step(tmp_path, run, 10)
    record(tmp_path, "scores", score(run, 10, "brisque", 1.0))
    index.poll()
    assert gaps(index, run)[10] is None


def test_absurd_scores_break_no_run_row(tmp_path: Path) -> None:
    write(tmp_path, "a/replicate-2k/run-0", {n: 1e-320 * n for n in range(1, 12)}, "noise_sigma")
    write(tmp_path, "b/replicate-2k/run-0", {n: 1e308 * (-1) ** n for n in range(12)}, "brisque")
    tiny, huge = built(tmp_path).runs()
    assert (tiny.spark[0], tiny.spark[-1]) == (0, 7)
    assert set(huge.spark) <= set(range(8))
