import json
from pathlib import Path

from b100tui.sources import open_picture, read_step, scan_folder
from tests.sources.made import commit, numbers, own_run, picture, put, reasons

RUN = "moss/replicate-2k/run-3"


def test_run_and_plan_are_read(tmp_path: Path) -> None:
    own_run(tmp_path, RUN, 4, parent="moss/replicate-2k/run-1", simulated=True)
    scan = scan_folder(tmp_path)
    (source,) = scan.runs
    assert scan.layout == "b100"
    assert numbers(source) == [0, 1, 2, 3, 4]
    run = source.run
    assert (run.run, run.image, run.setting, run.repeat) == (RUN, "moss", "replicate-2k", 3)
    assert (run.parent, run.simulated, run.steps_planned) == ("moss/replicate-2k/run-1", True, 4)
    assert not scan.unused
    assert not scan.unreadable


def test_step_takes_words_and_hash_from_its_sidecar(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    commit(
        folder,
        RUN,
        2,
        prompt="replicate\x1b[2J it",
        model="gemini",
        seed=7,
        cost_usd=0.13,
        thoughts=["**Look**\n\nat it", {"text": "**Check**\nfine"}, {"inline_data": "x"}],
    )
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[2])
    assert (step.status, step.width, step.height, step.format) == ("ok", 8, 6, "jpeg")
    assert (step.prompt, step.model, step.seed, step.cost_usd) == (
        "replicate it",
        "gemini",
        7,
        0.13,
    )
    assert [(s.title, s.text) for s in step.sections] == [("Look", "at it"), ("Check", "fine")]
    assert step.sha256 is not None
    assert step.warnings == ()


def test_image_without_sidecar_is_no_step(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 2)
    (folder / "step-003.jpg").write_bytes(picture("jpeg"))
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1, 2]
    assert "no sidecar" in reasons(scan)[f"{RUN}/step-003.jpg"]


def test_sidecar_without_image_is_a_gap(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 3)
    (folder / "step-002.jpg").unlink()
    scan = scan_folder(tmp_path)
    assert scan.runs[0].missing == (2,)
    assert "gone" in reasons(scan)[f"{RUN}/step-002.json"]


def test_broken_sidecar_costs_its_step_only(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 2)
    (folder / "step-001.json").write_bytes(b'{"schema": 1, "run": ')
    (source,) = scan_folder(tmp_path).runs
    steps = [read_step(tmp_path, source.run, step) for step in source.steps]
    assert [step.status for step in steps] == ["ok", "unreadable", "ok"]
    assert "step-001.json" in (steps[1].reason or "")


def test_sidecar_of_wrong_types_is_unreadable(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    (folder / "step-001.json").write_text('{"schema": 1, "run": 5, "step": "one", "output": []}')
    (source,) = scan_folder(tmp_path).runs
    assert read_step(tmp_path, source.run, source.steps[1]).status == "unreadable"


def test_drafts_and_orphans_are_no_steps(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    put(folder, "drafts/step-001-1.png", "orphans/step-002.png")
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1]
    assert "thought" in reasons(scan)[f"{RUN}/drafts/step-001-1.png"]
    assert "crash" in reasons(scan)[f"{RUN}/orphans/step-002.png"]


def test_reason_of_a_stopped_run_is_told(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    (folder / "stopped.json").write_text(json.dumps({"reason": "budget\x07 spent", "step": 1}))
    assert scan_folder(tmp_path).runs[0].run.stopped == "budget spent"


def test_refused_step_is_shown_with_its_reason(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    lines = [
        {"step": 1, "outcome": "ok"},
        {"step": 2, "intent": True},
        {"step": 2, "outcome": "refused", "finish_reason": "IMAGE_SAFETY"},
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n{"step": 3, "outc'
    (folder / "attempts.jsonl").write_text(text)
    (source,) = scan_folder(tmp_path).runs
    last = read_step(tmp_path, source.run, source.steps[-1])
    assert (last.step, last.status, last.picture) == (2, "refused", None)
    assert "IMAGE_SAFETY" in (last.reason or "")


def test_changed_image_is_warned_of_and_loses_its_hash(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    (folder / "step-001.jpg").write_bytes(picture("jpeg", (16, 16)))
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[1])
    assert step.sha256 is None
    assert any("changed" in warning for warning in step.warnings)


def test_sidecar_of_another_run_is_warned_of(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    commit(folder, "moss/other/run-1", 1)
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[1])
    assert any("moss/other/run-1" in warning for warning in step.warnings)


def test_of_two_images_the_named_one_is_used(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 1)
    (folder / "step-001.png").write_bytes(picture())
    (source,) = scan_folder(tmp_path).runs
    assert source.steps[1].picture.path.endswith("step-001.jpg")
    assert source.duplicates[0].others == (f"{RUN}/step-001.png",)


def test_broken_plan_leaves_the_folder_to_the_guess(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 3)
    (folder / "run.json").write_text("{}")
    scan = scan_folder(tmp_path)
    assert scan.layout == "guess"
    assert numbers(scan.runs[0]) == [0, 1, 2, 3]
    assert f"{RUN}/run.json" in reasons(scan)


def test_own_and_foreign_runs_live_in_one_root(tmp_path: Path) -> None:
    own_run(tmp_path, RUN, 1)
    put(tmp_path, *(f"theirs/step_{n}.png" for n in range(3)))
    scan = scan_folder(tmp_path)
    assert scan.layout == "b100+guess"
    assert [source.run.run for source in scan.runs] == [RUN, "theirs"]


def test_picture_of_a_step_opens_as_a_path(tmp_path: Path) -> None:
    own_run(tmp_path, RUN, 1)
    (source,) = scan_folder(tmp_path).runs
    path = open_picture(tmp_path, source.steps[1].picture)
    assert path == tmp_path / RUN / "step-001.jpg"


def test_run_folder_given_as_the_root_is_one_run(tmp_path: Path) -> None:
    folder = own_run(tmp_path, RUN, 2)
    (source,) = scan_folder(folder).runs
    assert (source.run.run, numbers(source)) == (RUN, [0, 1, 2])
    assert read_step(folder, source.run, source.steps[1]).status == "ok"
