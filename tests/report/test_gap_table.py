"""Gap tables out of a real index: the paper's numbers, grouping, what is left out and said."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from b100tui.analysis.gaps import RunScores, score_gap
from b100tui.index.build import refresh
from b100tui.index.store import Index, open_index
from b100tui.metrics.registry import metric
from b100tui.model.errors import MetricError, UsageError
from b100tui.report.evidence import gap_table, parse_bounds
from tests.index.folder import add_step, record, score
from tests.report.paper import PI_BOUND, positives, printed, write_runs

Opened = Callable[[Path], Index]


@pytest.fixture
def opened() -> Iterator[Opened]:
    made: list[Index] = []

    def open_(root: Path) -> Index:
        refresh(root)
        made.append(open_index(root))
        return made[-1]

    yield open_
    for index in made:
        index.close()


def scored(root: Path, run: str, values: dict[int, float], metric: str = "brisque") -> None:
    for step in values:
        add_step(root, run, step)
    record(root, "scores", *(score(run, step, metric, value) for step, value in values.items()))


def test_figures_5_and_6_come_out_of_the_index(tmp_path: Path, opened: Opened) -> None:
    write_runs(tmp_path)
    table = gap_table(opened(tmp_path), metrics="paper", bounds={"pi": (None, PI_BOUND)})
    wanted = printed()
    assert len(table.cells) == len(wanted) == 756
    for (image, name, step), gap in wanted.items():
        cell = table.cell(image, name, step)
        assert cell.gap is not None
        assert abs(cell.gap - (gap or -0.01)) < 1e-9
        assert cell.failure is (gap > 0)
    assert {
        (image, metric.id): table.failures(image, metric.id)
        for image in table.groups
        for metric in table.metrics
    } == positives()


def test_an_open_range_has_failures_without_a_bound(tmp_path: Path, opened: Opened) -> None:
    write_runs(tmp_path)
    table = gap_table(opened(tmp_path), metrics="pi")
    for (image, name), count in positives().items():
        if name == "pi":
            assert table.failures(image, "pi") == count
            assert table.cell(image, "pi", 5).gap is None


def test_repeats_are_averaged_with_their_sd(tmp_path: Path, opened: Opened) -> None:
    for repeat, later in enumerate((20.0, 14.0, 11.0)):
        scored(tmp_path, f"dongpo/replicate-2k/run-{repeat}", {1: 30.0, 5: later})
    table = gap_table(opened(tmp_path), steps=(5,))
    cell = table.cell("dongpo", "brisque", 5)
    assert (cell.n, cell.coverage) == (3, 1.0)
    assert cell.gap == pytest.approx((10 + 16 + 19) / 3 / 1.5)
    assert cell.sd == pytest.approx(21**0.5 / 1.5)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("image", ("dongpo", "fog")),
        ("setting", ("dongpo/replicate-2k", "fog/replicate-4k")),
        ("recipe", ("replicate",)),
        ("editor", ("pro",)),
        ("run", ("dongpo/replicate-2k/run-0", "fog/replicate-4k/run-1")),
    ],
)
def test_groups(by: str, groups: tuple[str, ...], tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 30.0, 5: 20.0})
    scored(tmp_path, "fog/replicate-4k/run-1", {1: 30.0, 5: 20.0})
    assert gap_table(opened(tmp_path), by=by).groups == groups


def test_an_unknown_grouping_is_wrong_use(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 30.0, 5: 20.0})
    with pytest.raises(UsageError, match="colour"):
        gap_table(opened(tmp_path), by="colour")


def test_runs_that_do_not_replicate_are_left_out_and_named(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 30.0, 5: 20.0})
    scored(tmp_path, "dongpo/mirror-2k/run-0", {1: 30.0, 5: 10.0})
    index = opened(tmp_path)
    table = gap_table(index, steps=(5,))
    assert [one.run for one in table.left_out] == ["dongpo/mirror-2k/run-0"]
    assert table.cell("dongpo", "brisque", 5).n == 1
    assert gap_table(index, steps=(5,), all_recipes=True).cell("dongpo", "brisque", 5).n == 2


def test_another_phase_of_a_mirror_recipe_is_never_compared(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/mirror-2k/run-0", {1: 30.0, 5: 10.0, 10: 1.0})
    table = gap_table(opened(tmp_path), steps=(5, 10), all_recipes=True)
    assert table.cell("dongpo", "brisque", 5).failure is True
    other = table.cell("dongpo", "brisque", 10)
    assert (other.gap, other.failure, other.coverage) == (None, None, 0.0)
    assert "another phase" in other.note


def test_another_pixel_size_is_never_compared(tmp_path: Path, opened: Opened) -> None:
    run = "dongpo/replicate-2k/run-0"
    add_step(tmp_path, run, 1)
    add_step(tmp_path, run, 5, size=(8, 6))
    record(tmp_path, "scores", score(run, 1, "brisque", 30.0), score(run, 5, "brisque", 3.0))
    cell = gap_table(opened(tmp_path), steps=(5,)).cell("dongpo", "brisque", 5)
    assert cell.failure is None and "another pixel size" in cell.note


def test_runs_averaged_over_different_seed_policies_say_so(tmp_path: Path, opened: Opened) -> None:
    import msgspec

    from b100tui.model.records import RunPlan

    for repeat, policy in enumerate(("none", "fixed")):
        run = f"dongpo/replicate-2k/run-{repeat}"
        scored(tmp_path, run, {1: 30.0, 5: 20.0})
        path = tmp_path / run / "run.json"
        plan = msgspec.json.decode(path.read_bytes(), type=RunPlan)
        path.write_bytes(msgspec.json.encode(msgspec.structs.replace(plan, seed_policy=policy)))
    cell = gap_table(opened(tmp_path), steps=(5,)).cell("dongpo", "brisque", 5)
    assert "seed policy" in cell.note


def test_two_versions_of_a_metric_in_one_group_are_said(tmp_path: Path, opened: Opened) -> None:
    import msgspec

    for repeat in (0, 1):
        run = f"dongpo/replicate-2k/run-{repeat}"
        for step in (1, 5):
            add_step(tmp_path, run, step)
            one = score(run, step, "brisque", 30.0 - step)
            record(tmp_path, "scores", msgspec.structs.replace(one, metric_version=str(repeat)))
    cell = gap_table(opened(tmp_path), steps=(5,)).cell("dongpo", "brisque", 5)
    assert "2 versions" in cell.note


def test_a_lone_run_gets_its_spread_from_its_whole_series(tmp_path: Path, opened: Opened) -> None:
    values = {step: 30.0 + (0.0, 0.9, -0.7, 0.4, -0.5)[step % 5] for step in range(1, 21)}
    scored(tmp_path, "dongpo/replicate-2k/run-0", values)
    cell = gap_table(opened(tmp_path), steps=(6,)).cell("dongpo", "brisque", 6)
    assert (cell.sd, cell.spread.kind, cell.within_noise) == (None, "estimate", True)


def test_the_noise_of_a_lone_run_is_that_of_its_own_phase(tmp_path: Path, opened: Opened) -> None:
    wobble = (0.0, 0.9, -0.7, 0.4, -0.5, 0.2, 0.8)
    values = {step: 30.0 + wobble[step % 7] for step in range(1, 22)}
    index_values = {step: values[step] + 50.0 * (step % 2 == 0) for step in values}
    scored(tmp_path, "dongpo/mirror-2k/run-0", index_values)
    table = gap_table(opened(tmp_path), steps=(5,), all_recipes=True)
    own = RunScores(run="r", values={s: v for s, v in values.items() if s % 2})
    wanted = score_gap(metric("brisque"), [own], 5).spread.estimate
    assert table.cell("dongpo", "brisque", 5).spread.estimate == pytest.approx(wanted)


def test_a_missing_reference_step_is_an_answer_without_numbers(
    tmp_path: Path, opened: Opened
) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {2: 30.0, 5: 20.0})
    cell = gap_table(opened(tmp_path), steps=(5,)).cell("dongpo", "brisque", 5)
    assert (cell.gap, cell.raw_gap, cell.failure, cell.n) == (None, None, None, 0)
    assert "reference step 1" in cell.note


def test_an_unknown_direction_is_left_out_unless_asked_for(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 30.0, 5: 20.0})
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 1.0, 5: 2.0}, metric="noise_sigma")
    index = opened(tmp_path)
    table = gap_table(index, steps=(5,))
    assert [metric.id for metric in table.metrics] == ["brisque"]
    assert "1 without a direction" in table.notes[0]
    everything = gap_table(index, steps=(5,), metrics="all")
    assert everything.cell("dongpo", "noise_sigma", 5).failure is None
    assert everything.cell("dongpo", "noise_sigma", 5).raw_gap == 1.0


def test_fidelity_to_the_reference_is_no_metric_with_a_gap(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 30.0, 5: 20.0})
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 1.0, 5: 0.7}, metric="ssim")
    table = gap_table(opened(tmp_path), steps=(5,))
    assert [metric.id for metric in table.metrics] == ["brisque"]
    assert "1 measured against the reference" in table.notes[0]


def test_a_metric_nobody_scored_is_named(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/replicate-2k/run-0", {1: 30.0, 5: 20.0})
    index = opened(tmp_path)
    with pytest.raises(MetricError, match="zork"):
        gap_table(index, metrics="zork")
    table = gap_table(index, metrics="niqe")
    assert table.cell("dongpo", "niqe", 5).coverage == 0.0 and "niqe" in table.notes[0]


def test_no_run_at_all_is_said(tmp_path: Path, opened: Opened) -> None:
    scored(tmp_path, "dongpo/mirror-2k/run-0", {1: 30.0, 5: 10.0})
    table = gap_table(opened(tmp_path))
    assert table.cells == {} and "no run is left to compare" in table.notes


@pytest.mark.parametrize("text", ["pi", "pi=", "=20", "pi=high", "pi=nan", "pi=0:inf"])
def test_a_bound_that_cannot_be_read_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError):
        parse_bounds([text])


def test_bounds_close_one_end_or_both() -> None:
    assert parse_bounds(["PI=20", "noise_sigma=0:50"]) == {
        "pi": (None, 20.0),
        "noise_sigma": (0.0, 50.0),
    }


def test_a_bound_without_scores_is_said_to_be_unused(tmp_path: Path, opened: Opened) -> None:
    add_step(tmp_path, "a/b/run-0", 1)
    record(tmp_path, "scores", score("a/b/run-0", 1, "brisque", 30.0))
    notes = gap_table(opened(tmp_path), bounds={"foo": (None, 20.0)}).notes
    assert "bound of foo not used: no such scores here" in notes


def test_a_folder_without_scores_says_so(tmp_path: Path, opened: Opened) -> None:
    add_step(tmp_path, "a/b/run-0", 1)
    (note,) = gap_table(opened(tmp_path)).notes
    assert note.startswith("nothing is scored here yet")
