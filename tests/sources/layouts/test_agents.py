from pathlib import Path
from typing import Any

from b100tui.sources import scan_folder
from tests.sources.layouts.written import json_file, notes, paths, steps_of, the_run
from tests.sources.made import put


def step(index: object, image: object, **more: object) -> dict[str, Any]:
    return {"step_index": index, "action": "EDIT", "prompt": f"p{index}", "image": image, **more}


def trajectory(*steps: object) -> dict[str, object]:
    return {"trajectory_id": "t-1", "output_dir": "/lab/out", "steps": list(steps)}


def test_paths_of_another_machine_are_found_by_their_end(tmp_path: Path) -> None:
    put(tmp_path, "out/a/0.png", "out/a/1.png", "out/b/0.png")
    steps = [step(0, "/lab/out/a/0.png"), step(1, r"C:\lab\out\a\1.png")]
    json_file(tmp_path / "trajectory.json", trajectory(*steps))
    scan = scan_folder(tmp_path)
    assert paths(scan.runs[0]) == [(0, "out/a/0.png"), (1, "out/a/1.png")]
    assert scan.runs[0].run.run == "t-1"


def test_a_dangling_path_makes_its_step_missing_with_words_kept(tmp_path: Path) -> None:
    put(tmp_path, "0.png")
    json_file(tmp_path / "t.json", trajectory(step(0, "0.png"), step(1, "/lab/out/9.png")))
    read = steps_of(tmp_path, the_run(tmp_path))
    assert [(one.status, one.prompt) for one in read] == [("ok", "p0"), ("missing", "p1")]
    assert read[1].reason == "steps[1].image: /lab/out/9.png is not there"


def test_a_repeated_picture_is_no_new_step_and_its_critic_speaks_of_the_old_one(
    tmp_path: Path,
) -> None:
    put(tmp_path, "0.png", "1.png")
    good = step(2, "1.png", raw_critic_response="fine", verifier_scores=[["sharp?", 0.5]])
    good["action"] = "LOOKS_GOOD"
    edit = step(1, "1.png", verifier_scores=[["Same cat?", 1], ["red?", None], "x"])
    json_file(tmp_path / "t.json", trajectory(step(0, "0.png"), edit, good))
    scan = scan_folder(tmp_path)
    (source,) = scan.runs
    assert paths(source) == [(0, "0.png"), (1, "1.png")]
    assert source.steps[1].scores == {"same_cat": 1.0, "red": None, "sharp": 0.5}
    assert [(s.title, s.text) for s in source.steps[1].sections] == [("LOOKS_GOOD", "fine")]
    assert notes(scan) == ["steps[1].verifier_scores[2]: is no [question, value]"]


def test_the_source_of_the_first_edit_is_the_step_before_it(tmp_path: Path) -> None:
    put(tmp_path, "in.png", "1.png")
    json_file(tmp_path / "t.json", trajectory(step(1, "1.png", source_image="in.png")))
    assert paths(the_run(tmp_path)) == [(0, "in.png"), (1, "1.png")]


def test_wrong_types_and_negative_steps_are_named_by_field(tmp_path: Path) -> None:
    put(tmp_path, "0.png")
    steps = [step(0, "0.png"), step(-1, "1.png"), step("x", "1.png"), 5, step(1, 7, prompt=8)]
    json_file(tmp_path / "t.json", trajectory(*steps))
    scan = scan_folder(tmp_path)
    assert notes(scan)[:4] == [
        "steps[1].step_index: '-1' is no step number",
        "steps[2].step_index: 'x' is no step number",
        "steps[3]: is no object",
        "steps[4].prompt: is no text but int",
    ]


def test_a_video_is_no_picture(tmp_path: Path) -> None:
    put(tmp_path, "0.png", "1.mp4")
    clip = {"step_index": 1, "video_path": "1.mp4"}
    json_file(tmp_path / "t.json", trajectory(step(0, "0.png"), clip))
    assert steps_of(tmp_path, the_run(tmp_path))[1].reason == (
        "steps[1].video_path: a video, not a picture"
    )


def test_a_trajectory_without_any_picture_here_is_listed(tmp_path: Path) -> None:
    json_file(tmp_path / "t.json", trajectory(step(0, "/gone/0.png")))
    scan = scan_folder(tmp_path)
    assert scan.runs == ()
    assert notes(scan) == ["steps: not one of its pictures is here"]
