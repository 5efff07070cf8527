"""Scoring through a real worker process."""

import os
import signal
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.decode import decode
from b100tui.metrics import probes
from b100tui.model.errors import MetricError, StoreError
from b100tui.model.records import PictureRef, Step
from b100tui.scoring import session
from b100tui.scoring.messages import Measure, Read, Request
from b100tui.scoring.process import WorkerProcess
from b100tui.scoring.run import Standing, score
from b100tui.scoring.session import Options
from tests.scoring.pictures import draw, drawn_run, metrics, records, score_all, step_of


def test_scores_equal_what_the_probes_measure(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 3)
    report = score_all(tmp_path, steps, "noise_sigma", "lab_a", "colour_cast")
    assert (report.wanted, report.skipped, report.done, report.failed) == (9, 0, 9, {})
    pixels = {s.step: decode(tmp_path / s.picture.path).pixels for s in steps if s.picture}
    for record in records(tmp_path):
        if record.metric == "colour_cast":
            expected = probes.measure(pixels[record.step], ["colour_cast"], pixels[1])[
                "colour_cast"
            ]
        else:
            expected = probes.measure(pixels[record.step])[record.metric]
        assert record.value == expected


def test_a_record_says_everything_about_its_score(tmp_path: Path) -> None:
    (step,) = drawn_run(tmp_path, 1, first=1)
    score_all(tmp_path, [step], "texture_ratio")
    (record,) = records(tmp_path)
    assert step.picture is not None
    assert (record.run, record.step, record.path) == (step.run, 1, step.picture.path)
    assert (record.bytes, record.mtime_ns) == (step.picture.bytes, step.picture.mtime_ns)
    assert record.sha256 is not None
    assert len(record.sha256) == 64
    assert record.pixels == (96, 64)
    assert (record.reference, record.reference_sha256) == (1, record.sha256)
    assert record.value == 1.0
    assert record.parts["decode"]
    assert record.metric_version
    assert record.host
    assert record.time
    assert record.seconds is not None


def test_a_second_run_measures_nothing(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 3)
    score_all(tmp_path, steps)
    again = score_all(tmp_path, steps)
    assert (again.skipped, again.done) == (6, 0)
    assert len(records(tmp_path)) == 6


def test_more_metrics_measure_only_what_is_new(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 3)
    score_all(tmp_path, steps, "lab_l")
    again = score_all(tmp_path, steps, "lab_l", "lab_b")
    assert (again.skipped, again.done) == (3, 3)


def test_equal_bytes_are_measured_once_and_written_for_each_file(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 1)
    data = (tmp_path / "a/b/run-0/step-000.png").read_bytes()
    for number in range(1, 6):
        copy = tmp_path / f"a/b/run-0/step-{number:03}.png"
        copy.write_bytes(data)
        steps.append(step_of(tmp_path, copy, number))
    report = score_all(tmp_path, steps, "lab_l")
    assert (report.done, report.skipped) == (1, 5)
    assert len({record.value for record in records(tmp_path)}) == 1
    assert {record.step for record in records(tmp_path)} == {0, 1, 2, 3, 4, 5}


def test_steps_whose_hash_is_known_to_be_equal_are_not_even_read(tmp_path: Path) -> None:
    (step,) = drawn_run(tmp_path, 1)
    score_all(tmp_path, [step], "lab_l")
    sha256 = records(tmp_path)[0].sha256
    gone = msgspec.structs.replace(
        step, step=7, sha256=sha256, picture=PictureRef("not/there.png", None, 1, 1)
    )
    assert score_all(tmp_path, [gone], "lab_l").skipped == 1


def test_a_touched_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    (step,) = drawn_run(tmp_path, 1)
    score_all(tmp_path, [step], "lab_l")
    assert step.picture is not None
    path = tmp_path / step.picture.path
    os.utime(path, ns=(1, 1))
    again = score_all(tmp_path, [step_of(tmp_path, path, 0)], "lab_l")
    assert (again.done, again.skipped) == (0, 1)
    assert [record.mtime_ns for record in records(tmp_path)][-1] == 1


def test_changed_bytes_are_scored_anew(tmp_path: Path) -> None:
    (step,) = drawn_run(tmp_path, 1)
    score_all(tmp_path, [step], "lab_l")
    changed = draw(tmp_path / "a/b/run-0/step-000.png", 99)
    assert score_all(tmp_path, [step_of(tmp_path, changed, 0)], "lab_l").done == 1
    assert len({record.value for record in records(tmp_path)}) == 2


def test_a_bad_picture_costs_itself_only(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 3)
    bad = tmp_path / "a/b/run-0/step-001.png"
    bad.write_bytes(bad.read_bytes()[:300])
    steps[1] = step_of(tmp_path, bad, 1)
    report = score_all(tmp_path, steps)
    assert report.done == 4
    assert report.failed == {"noise_sigma": {"unreadable": 1}, "lab_l": {"unreadable": 1}}
    (message,) = {record.message for record in records(tmp_path) if record.error}
    assert message is not None
    assert "step-001.png" in message
    assert "truncated" in message


def test_a_vanished_picture_is_a_named_failure(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 2)
    (tmp_path / "a/b/run-0/step-000.png").unlink()
    report = score_all(tmp_path, steps, "lab_l")
    assert (report.done, report.failed) == (1, {"lab_l": {"unreadable": 1}})


def test_too_small_and_flat_pictures_leave_records_with_reasons(tmp_path: Path) -> None:
    tiny = draw(tmp_path / "run/0.png", 1, (1, 1))
    flat = tmp_path / "run/1.png"
    Image.fromarray(np.full((40, 40, 3), 9, np.uint8)).save(flat)
    steps = [step_of(tmp_path, tiny, 0), step_of(tmp_path, flat, 1)]
    report = score_all(tmp_path, steps, "noise_sigma", "spectral_slope")
    assert report.failed == {
        "noise_sigma": {"too_small": 1},
        "spectral_slope": {"too_small": 1, "flat": 1},
    }
    assert all(record.value is None for record in records(tmp_path) if record.error)


def test_failures_stay_until_a_retry_is_asked_for(tmp_path: Path) -> None:
    steps = [step_of(tmp_path, draw(tmp_path / "run/0.png", 1, (2, 2)), 0)]
    score_all(tmp_path, steps, "noise_sigma")
    again = score_all(tmp_path, steps, "noise_sigma")
    assert again.failed == {"noise_sigma": {"too_small": 1}}
    assert len(records(tmp_path)) == 1
    retried = score_all(tmp_path, steps, "noise_sigma", retry_failed=True)
    assert retried.failed == {"noise_sigma": {"too_small": 1}}
    assert len(records(tmp_path)) == 2


def test_an_unreadable_reference_fails_the_comparing_metrics_only(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 3)
    (tmp_path / "a/b/run-0/step-001.png").unlink()
    report = score_all(tmp_path, steps, "lab_l", "colour_cast")
    assert report.failed["colour_cast"]["no_reference"] == 2
    assert report.done == 2


def test_unavailable_metrics_count_as_failed_with_their_reason(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 2)
    report = score(tmp_path, steps, metrics("lab_l"), unavailable={"niqe": "no torch"})
    assert report.wanted == 4
    assert report.failed == {"niqe": {"no torch": 2}}


def test_cancelling_keeps_what_was_done(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 12)
    told: list[int] = []
    report = score(
        tmp_path,
        steps,
        metrics("lab_l"),
        options=Options(threads=1),
        progress=lambda standing: told.append(standing.settled),
        cancelled=lambda: bool(told) and told[-1] >= 3,
    )
    assert 3 <= report.done < 12
    assert len(records(tmp_path)) == report.done


def test_progress_ends_at_the_whole(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    score(
        tmp_path,
        drawn_run(tmp_path, 4),
        metrics("lab_l", "lab_a"),
        progress=lambda standing: told.append((standing.settled, standing.wanted)),
    )
    assert told[-1] == (8, 8)


def test_a_worker_that_cannot_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match="did not start"):
        score_all(tmp_path, drawn_run(tmp_path, 1), python="/bin/false")


def test_an_unwritable_workspace_is_a_named_error_and_ends_the_worker(tmp_path: Path) -> None:
    steps = drawn_run(tmp_path, 1)
    (tmp_path / ".b100").mkdir()
    (tmp_path / ".b100/scores").write_text("in the way")
    with pytest.raises(StoreError):
        score_all(tmp_path, steps)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[WorkerProcess]:
    """Every worker that a session starts, as it starts."""
    started: list[WorkerProcess] = []

    def start(*arguments: object) -> WorkerProcess:
        started.append(WorkerProcess(*arguments))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(session, "WorkerProcess", start)
    return started


@pytest.mark.parametrize("moment", [1, 4, 9])
def test_a_killed_worker_loses_no_acknowledged_score(
    tmp_path: Path, workers: list[WorkerProcess], moment: int
) -> None:
    steps = drawn_run(tmp_path, 12)
    acknowledged: list[int] = []

    def kill_at(standing: Standing) -> None:
        if standing.settled >= moment and len(workers) == 1:
            acknowledged.append(len(records(tmp_path)))
            os.kill(workers[0].pid, signal.SIGKILL)

    report = score(tmp_path, steps, metrics("lab_l"), options=Options(threads=2), progress=kill_at)
    assert len(workers) == 2
    assert acknowledged
    assert (report.done, report.failed) == (12, {})
    assert sorted(record.step for record in records(tmp_path)) == list(range(12))


def test_a_worker_killed_at_any_time_finishes_all_the_same(
    tmp_path: Path, workers: list[WorkerProcess]
) -> None:
    steps = drawn_run(tmp_path, 30)
    over = threading.Event()
    delay = np.random.default_rng().uniform(0.05, 0.4)

    def kill() -> None:
        if not over.wait(delay) and workers:
            os.kill(workers[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        report = score_all(tmp_path, steps, "lab_l", "noise_sigma")
    except MetricError:  # killed before it had said hello: nothing was begun, say so and stop
        report = score_all(tmp_path, steps, "lab_l", "noise_sigma")
    finally:
        over.set()
        killer.join()
    assert report.done + report.skipped == 60
    assert report.failed == {}
    winners = {(record.step, record.metric): record.value for record in records(tmp_path)}
    assert len(winners) == 60


def test_a_picture_that_kills_every_worker_is_marked_and_the_rest_is_scored(
    tmp_path: Path, workers: list[WorkerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = drawn_run(tmp_path, 5)
    asked = WorkerProcess.send
    deadly = steps[2].picture
    jobs: dict[tuple[int, int], PictureRef] = {}

    def send(self: WorkerProcess, request: Request) -> None:
        if isinstance(request, Read):
            jobs[self.pid, request.job] = request.picture
        if isinstance(request, Measure) and jobs[self.pid, request.job] == deadly:
            os.kill(self.pid, signal.SIGKILL)
            return
        asked(self, request)

    monkeypatch.setattr(WorkerProcess, "send", send)
    report = score_all(tmp_path, steps, "lab_l")
    assert report.done == 4
    assert report.failed == {"lab_l": {"crashed": 1}}
    (record,) = [record for record in records(tmp_path) if record.error]
    assert (record.step, record.value) == (2, None)
    assert record.message is not None
    assert "signal 9" in record.message


def test_a_silent_worker_is_ended_and_its_picture_marked(
    tmp_path: Path, workers: list[WorkerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = WorkerProcess.send

    def send(self: WorkerProcess, request: Request) -> None:
        if not isinstance(request, Measure):
            asked(self, request)

    monkeypatch.setattr(WorkerProcess, "send", send)
    report = score_all(tmp_path, drawn_run(tmp_path, 1), "lab_l", patience=0.5)
    assert report.failed == {"lab_l": {"timed_out": 1}}


def test_unreadable_steps_of_the_index_are_tried_and_named(tmp_path: Path) -> None:
    bad = tmp_path / "x.png"
    bad.write_bytes(b"")
    step = msgspec.structs.replace(step_of(tmp_path, bad, 0), status="unreadable")
    report = score_all(tmp_path, [step], "lab_l")
    assert report.failed == {"lab_l": {"unreadable": 1}}


def test_no_steps_are_no_work(tmp_path: Path) -> None:
    steps: list[Step] = []
    report = score_all(tmp_path, steps)
    assert (report.wanted, report.done, report.failed) == (0, 0, {})


def test_progress_knows_metrics_their_means_and_what_cannot_be_scored(tmp_path: Path) -> None:
    told: list[Standing] = []
    score(
        tmp_path,
        drawn_run(tmp_path, 4),
        metrics("lab_l"),
        unavailable={"niqe": "no torch"},
        progress=told.append,
    )
    last = told[-1]
    assert (last.settled, last.wanted, last.failed) == (8, 8, 4)
    assert last.failures == {"niqe": {"no torch": 4}}
    assert (last.by_metric["niqe"].settled, last.by_metric["niqe"].failed) == (4, 4)
    one = last.by_metric["lab_l"]
    assert (one.settled, one.total, one.failed, one.eta_seconds) == (4, 4, 0, 0.0)
    assert one.mean_seconds is not None
    assert one.mean_seconds > 0
