"""How scores, verdicts and marks meet their steps, and what is derived from them."""

from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.derive import spark_levels
from b100tui.index.store import Index, open_index
from b100tui.metrics.registry import metric
from b100tui.model.metric import normalised
from b100tui.model.records import VerdictRecord
from b100tui.workspace.places import workspace_dir
from tests.index.folder import add_run, add_step, mark, png, record, score

RUN = "fog/replicate-2k/run-0"
OTHER = "fog/replicate-2k/run-1"


def opened(root: Path) -> Index:
    refresh(root)
    return open_index(root)


def test_a_score_belongs_to_every_step_with_the_same_bytes(tmp_path: Path) -> None:
    same = png(77)
    sha256 = add_step(tmp_path, RUN, 0, data=same)
    add_step(tmp_path, OTHER, 0, data=same)
    record(tmp_path, "scores", score(RUN, 0, "brisque", 31.5, sha256=sha256))
    index = opened(tmp_path)
    assert index.series(OTHER)[0].values == (31.5,)


def test_a_score_of_other_bytes_does_not_count(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    record(tmp_path, "scores", score(RUN, 0, "brisque", 31.5, sha256="0" * 64))
    assert opened(tmp_path).series(RUN) == []


def test_a_score_without_a_hash_belongs_to_the_step_it_names(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    record(tmp_path, "scores", score(RUN, 1, "brisque", 12.25))
    series = opened(tmp_path).series(RUN)
    assert (series[0].metric, series[0].steps, series[0].values) == ("brisque", (1,), (12.25,))


def test_a_score_teaches_the_hash_of_the_file_it_read(tmp_path: Path) -> None:
    folder = tmp_path / "chain"
    folder.mkdir()
    for step in range(3):
        (folder / f"fog_step_{step}.png").write_bytes(png(step))
    index = opened(tmp_path)
    (run,) = index.run_ids()
    picture = index.steps(run)[1].picture
    assert picture is not None
    assert index.steps(run)[1].sha256 is None
    read = {"path": picture.path, "bytes": picture.bytes, "mtime_ns": picture.mtime_ns}
    record(tmp_path, "scores", score(run, 1, "niqe", 4.5, sha256="ab" * 32, **read))
    index = opened(tmp_path)
    assert index.steps(run)[1].sha256 == "ab" * 32
    assert index.series(run)[0].values == (4.5,)


def test_a_reference_score_counts_only_with_its_reference(tmp_path: Path) -> None:
    same = png(5)
    first = add_step(tmp_path, RUN, 1)
    add_step(tmp_path, OTHER, 1)
    sha256 = add_step(tmp_path, RUN, 2, data=same)
    add_step(tmp_path, OTHER, 2, data=same)
    record(
        tmp_path,
        "scores",
        score(RUN, 2, "psnr", 33.0, sha256=sha256, reference=1, reference_sha256=first),
    )
    index = opened(tmp_path)
    assert index.series(RUN)[0].values == (33.0,)
    assert index.series(OTHER) == []


def test_the_first_valid_value_wins_and_a_differing_one_is_flagged(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    record(
        tmp_path,
        "scores",
        score(RUN, 1, "brisque", None, error="oom", time="2026-01-01T00:00:00Z"),
        score(RUN, 1, "brisque", 21.0, time="2026-01-02T00:00:00Z"),
        score(RUN, 1, "brisque", 22.0, time="2026-01-03T00:00:00Z"),
    )
    index = opened(tmp_path)
    rows = index.ask("SELECT value, differs, lowest, highest FROM score")
    assert rows == [(21.0, True, 21.0, 22.0)]
    assert "differs" in index.runs()[0].badges


def test_a_failed_score_keeps_its_reason_and_lowers_coverage(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    record(
        tmp_path,
        "scores",
        score(RUN, 0, "brisque", 20.0),
        score(RUN, 1, "brisque", None, error="too_small", message="4x3 pixels"),
    )
    index = opened(tmp_path)
    assert index.ask("SELECT error, message FROM score WHERE step = 1") == [
        ("too_small", "4x3 pixels")
    ]
    assert index.runs()[0].coverage == 0.5
    assert index.step_views(RUN)[1].scores == {"brisque": None}


@pytest.mark.parametrize("name", ["brisque", "topiq_nr"])
def test_norms_and_gaps_follow_the_paper_s_rule(tmp_path: Path, name: str) -> None:
    add_run(tmp_path, RUN, 6)
    known = metric(name)
    record(tmp_path, "scores", score(RUN, 1, name, 0.4), score(RUN, 5, name, 0.1))
    index = opened(tmp_path)
    at_reference, at_step = normalised(known, 0.4), normalised(known, 0.1)
    assert at_reference is not None and at_step is not None
    ((gap, raw, failure),) = index.ask("SELECT gap, raw_gap, failure FROM gap WHERE i = 5")
    assert gap == pytest.approx(at_step - at_reference, rel=1e-12)
    assert raw == pytest.approx(-0.3, rel=1e-12)
    assert failure is (gap > 0)


def test_an_open_range_has_no_gap_but_a_failure(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 6)
    record(tmp_path, "scores", score(RUN, 1, "pi", 6.0), score(RUN, 5, "pi", 4.0))
    index = opened(tmp_path)
    assert index.ask("SELECT gap, raw_gap, failure FROM gap WHERE i = 5") == [(None, -2.0, True)]
    assert (index.runs()[0].worst_metric, index.runs()[0].worst_gap) == ("pi", 2.0)


def test_a_metric_without_direction_never_fails(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 6)
    record(tmp_path, "scores", score(RUN, 1, "lab_l", 6.0), score(RUN, 5, "lab_l", 4.0))
    index = opened(tmp_path)
    assert index.ask("SELECT raw_gap, failure FROM gap WHERE i = 5") == [(-2.0, None)]
    assert index.runs()[0].worst_metric is None


def test_an_absent_step_gives_a_null_gap(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    record(tmp_path, "scores", score(RUN, 1, "brisque", 6.0))
    assert opened(tmp_path).ask("SELECT DISTINCT gap, raw_gap, failure FROM gap") == [
        (None, None, None)
    ]


def test_a_torn_last_line_is_read_once_it_is_whole(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    path = record(tmp_path, "scores", score(RUN, 0, "brisque", 1.0)).path
    assert path is not None
    line = b'{"run":"%b","step":1,"metric":"brisque","metric_version":"1","value":2.0}\n'
    line %= RUN.encode()
    with path.open("ab") as file:
        file.write(line[:40])
    assert opened(tmp_path).series(RUN)[0].values == (1.0,)
    with path.open("ab") as file:
        file.write(line[40:])
    assert opened(tmp_path).series(RUN)[0].values == (1.0, 2.0)


def test_a_broken_line_is_named_and_costs_only_itself(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    path = record(tmp_path, "scores", score(RUN, 0, "brisque", 1.0)).path
    assert path is not None
    with path.open("ab") as file:
        file.write(b'{"run": 7}\n')
    report = refresh(tmp_path)
    assert report.scores == 1
    assert report.bad_records[0].path == str(path)


def test_a_removed_part_takes_its_scores_along(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    path = record(tmp_path, "scores", score(RUN, 0, "brisque", 1.0)).path
    assert path is not None
    refresh(tmp_path)
    path.unlink()
    assert opened(tmp_path).series(RUN) == []


def test_a_mark_that_was_taken_back_is_not_shown(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    record(
        tmp_path,
        "marks",
        mark("a", RUN, 1, "tint"),
        mark("b", RUN, 1, "halo", region=(0, 1, 2, 2)),
        mark("a", RUN, 1, "tint", undo=True),
    )
    (shown,) = opened(tmp_path).marks(RUN)
    assert (shown.id, shown.mode, shown.region) == ("b", "halo", (0, 1, 2, 2))


def test_the_newest_answer_of_a_judge_counts(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)

    def say(verdict: str | None, time: str) -> VerdictRecord:
        return VerdictRecord(
            run=RUN, step=1, verdict=verdict, model="j", content_hash="c", time=time
        )

    record(tmp_path, "verdicts", say("no", "1"), say("yes", "2"), say(None, "3"))
    assert [found.verdict for found in opened(tmp_path).verdicts(RUN)] == ["yes"]


def test_records_beside_a_read_only_root_count_too(
    tmp_path: Path, own_places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, RUN, 2)
    with monkeypatch.context() as patched:
        patched.setattr("os.access", lambda *_: False)
        folder = workspace_dir(tmp_path)
        record(tmp_path, "scores", score(RUN, 1, "brisque", 8.0))
    assert own_places in folder.parents
    assert opened(tmp_path).series(RUN)[0].values == (8.0,)


def test_the_onset_of_a_planted_break_is_shown(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 24)
    rise = [0.01 * (step % 3) + max(0, step - 9) for step in range(24)]
    record(tmp_path, "scores", *(score(RUN, step, "noise_sigma", rise[step]) for step in range(24)))
    assert opened(tmp_path).runs()[0].onset == 10


def test_a_missing_step_is_listed_and_never_shifted(tmp_path: Path) -> None:
    for step in (0, 1, 4):
        add_step(tmp_path, RUN, step)
    index = opened(tmp_path)
    row = index.runs()[0]
    assert (row.steps, row.first_step, row.last_step, row.missing) == (3, 0, 4, (2, 3))
    assert "gaps" in row.badges
    assert [(step.step, step.status) for step in index.steps(RUN)] == [
        (0, "ok"),
        (1, "ok"),
        (2, "missing"),
        (3, "missing"),
        (4, "ok"),
    ]


def test_runs_stand_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 9, 2):
        add_run(tmp_path, f"fog/replicate-2k/run-{number}", 1)
    add_run(tmp_path, "Apple/replicate-2k/run-0", 1)
    assert [(row.image, row.repeat) for row in opened(tmp_path).runs()] == [
        ("Apple", 0),
        ("fog", 2),
        ("fog", 9),
        ("fog", 10),
    ]


def test_spark_levels_span_the_whole_range() -> None:
    assert spark_levels([0, 1, 2, 3], [1.0, 2.0, 3.0, 8.0]) == (0, 1, 2, 7)


def test_spark_levels_leave_absent_steps_open() -> None:
    assert spark_levels([0, 3], [0.0, 7.0]) == (0, -1, -1, 7)


def test_spark_levels_of_many_steps_fit_24_cells() -> None:
    levels = spark_levels(list(range(100)), [float(step) for step in range(100)])
    assert len(levels) == 24
    assert list(levels) == sorted(levels)


def test_spark_levels_of_a_flat_signal_stay_low() -> None:
    assert spark_levels([0, 1], [3.0, 3.0]) == (0, 0)
