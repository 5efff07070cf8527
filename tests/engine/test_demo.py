"""The demo folder: a normal root with planted truth, whole, resumable, never over other files."""

import os
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from b100tui.engine import demo_run
from b100tui.engine.demo import ensure_demo
from b100tui.engine.demo_plan import demo_jobs
from b100tui.engine.scenes import draw_scene, scenes
from b100tui.imaging.header import header
from b100tui.model.errors import UsageError
from b100tui.model.records import RunPlan, ScoreRecord, Sidecar, VerdictRecord
from b100tui.workspace.parts import part_files, read_part

ONLY = ("sand", "holi")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "d"
    ensure_demo(folder, only=ONLY, workers=1)
    return folder


def sidecars(run: Path) -> list[Sidecar]:
    paths = sorted(run.glob("step-*.json"))
    return [msgspec.json.decode(path.read_bytes(), type=Sidecar) for path in paths]


def truth(root: Path) -> dict[str, dict[str, object]]:
    runs: dict[str, dict[str, object]] = msgspec.json.decode((root / "truth.json").read_bytes())[
        "runs"
    ]
    return runs


def records(root: Path, kind: str, record: type) -> list:
    files = part_files([root / ".b100"], kind)
    return [found for path in files for found, _ in read_part(path, record)]


def test_small_has_thirteen_images_two_settings_three_repeats_thirty_steps() -> None:
    jobs = demo_jobs("small", 1)
    assert len({job.image for job in jobs}) == 13
    assert len(jobs) == 13 * 2 * 3
    assert {job.steps for job in jobs} == {30}
    for image in {job.image for job in jobs}:
        assert len({job.setting for job in jobs if job.image == image}) == 2


def test_paper_has_280_runs_of_100_steps_in_56_settings() -> None:
    jobs = demo_jobs("paper", 1)
    assert (len(jobs), {job.steps for job in jobs}) == (280, {100})
    assert len({(job.image, job.setting) for job in jobs}) == 56


@pytest.mark.parametrize("name", sorted(scenes()))
def test_each_initial_image_is_drawn_in_its_size_with_detail(name: str) -> None:
    found = header(draw_scene(name, 1))
    assert (found.width, found.height) == scenes()[name].size
    assert found.format == scenes()[name].store
    assert len(draw_scene(name, 1)) > 15_000


def test_runs_are_in_the_layout_and_every_chain_holds(demo: Path) -> None:
    runs = sorted(demo.glob("*/*/run-*"))
    assert len(runs) == 12
    for run in runs:
        plan = msgspec.json.decode((run / "run.json").read_bytes(), type=RunPlan)
        assert plan.run == run.relative_to(demo).as_posix()
        assert plan.simulated
        steps = sidecars(run)
        assert [record.step for record in steps] == list(range(len(steps)))
        for before, after in pairwise(steps):
            assert after.input is not None
            assert after.input.sha256 == before.output.sha256
        assert all(record.simulated and "SIMULATED" in record.warnings for record in steps)
        assert (run / steps[3].output.file).stat().st_size == steps[3].output.bytes


def test_the_refused_run_stops_with_its_reason(demo: Path) -> None:
    run = demo / "holi/replicate-2k-sim-fast/run-1"
    assert [record.step for record in sidecars(run)] == list(range(18))
    stopped = msgspec.json.decode((run / "stopped.json").read_bytes())
    assert (stopped["step"], stopped["failure"]) == (18, "refused")
    lines = (run / "attempts.jsonl").read_bytes().splitlines()
    last = msgspec.json.decode(lines[-1])
    assert (last["step"], last["outcome"], last["finish_reason"]) == (18, "refused", "IMAGE_SAFETY")


def test_verdicts_first_say_yes_at_the_planted_step(demo: Path) -> None:
    verdicts = records(demo, "verdicts", VerdictRecord)
    assert all(found.simulated for found in verdicts)
    for run, planted in truth(demo).items():
        yes = [found.step for found in verdicts if found.run == run and found.verdict == "yes"]
        assert (min(yes) if yes else None) == planted["first_yes"]


def test_four_metrics_are_simulated_and_say_so_and_probes_are_not(demo: Path) -> None:
    scores = records(demo, "scores", ScoreRecord)
    invented = {found.metric for found in scores if found.simulated}
    assert invented == {"brisque", "clipiqa", "musiq", "niqe"}
    assert all((found.metric_version == "simulated") == found.simulated for found in scores)
    assert {found.metric for found in scores} >= {"noise_sigma", "colour_cast", "texture_ratio"}


def test_equal_pictures_have_equal_simulated_scores(demo: Path) -> None:
    values: dict[tuple[str | None, str], set[float | None]] = {}
    places: dict[str | None, set[tuple[str, int]]] = {}
    for found in records(demo, "scores", ScoreRecord):
        if found.simulated:
            values.setdefault((found.sha256, found.metric), set()).add(found.value)
            places.setdefault(found.sha256, set()).add((found.run, found.step))
    assert max(len(steps) for steps in places.values()) > 1  # each initial image, at least
    assert {len(found) for found in values.values()} == {1}


def test_the_planted_liar_improves_while_measured_noise_grows(demo: Path) -> None:
    scores = records(demo, "scores", ScoreRecord)
    run = "sand/replicate-2k-sim-pro/run-0"
    value = {(found.metric, found.step): found.value for found in scores if found.run == run}
    assert truth(demo)[run]["liar"] == "brisque"
    assert value["brisque", 30] < value["brisque", 1] - 20  # lower is better
    assert value["niqe", 30] > value["niqe", 1] + 1
    assert value["noise_sigma", 30] > 4 * value["noise_sigma", 1]


def test_a_probe_score_is_what_measuring_the_file_gives(demo: Path) -> None:
    from b100tui.imaging.decode import decode
    from b100tui.metrics import probes

    found = next(
        found
        for found in records(demo, "scores", ScoreRecord)
        if found.metric == "noise_sigma" and found.step == 20
    )
    assert found.path is not None
    assert found.value == probes.measure(decode(demo / found.path).pixels)["noise_sigma"]


def test_a_whole_demo_is_kept_as_it_is(demo: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in demo.rglob("*") if path.is_file()}
    report = ensure_demo(demo, only=ONLY, workers=1)
    assert (report.kept, report.made, report.runs) == (True, 0, 12)
    after = {path: path.stat().st_mtime_ns for path in demo.rglob("*") if path.is_file()}
    assert {path for path in before if before[path] != after.get(path)} <= {
        demo / ".b100" / "demo.lock"
    }


def test_an_interrupted_demo_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = demo_run.make_run
    made: list[str] = []

    def stopping(root: Path, job: object) -> None:
        if len(made) == 2:
            raise KeyboardInterrupt
        real(root, job)  # type: ignore[arg-type]
        made.append(job.run)  # type: ignore[attr-defined]

    monkeypatch.setattr(demo_run, "make_run", stopping)
    with pytest.raises(KeyboardInterrupt):
        ensure_demo(tmp_path / "d", only=("sand",), workers=1)
    assert not (tmp_path / "d" / "truth.json").exists()
    assert len(list((tmp_path / "d").glob("*/*/run-*"))) == 2
    monkeypatch.setattr(demo_run, "make_run", real)
    report = ensure_demo(tmp_path / "d", only=("sand",), workers=1)
    assert (report.runs, report.made) == (6, 4)
    assert not (tmp_path / "d" / ".b100" / "building").exists()


def test_the_same_seed_gives_the_same_pictures(demo: Path, tmp_path: Path) -> None:
    ensure_demo(tmp_path / "again", only=("sand",), workers=2)
    for run in sorted((demo / "sand").glob("*/run-*")):
        again = tmp_path / "again" / run.relative_to(demo)
        assert [record.output for record in sidecars(run)] == [
            record.output for record in sidecars(again)
        ]


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match=r"thesis\.tex"):
        ensure_demo(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_demo_of_another_seed_is_not_mixed(demo: Path) -> None:
    with pytest.raises(UsageError, match="seed 100"):
        ensure_demo(demo, seed=7, only=ONLY)
