from pathlib import Path

from b100tui.sources import read_step, scan_folder
from tests.sources.layouts.written import jsonl_file, notes, paths, the_run
from tests.sources.made import put

URL = "images/multi-turn/101_attemptB_turn{}.png"
ORIGINAL = "https://example.invalid/photos/00ff.jpg"


def session(turns: int = 3, **more: object) -> dict[str, object]:
    files = [{"id": f"edit_turn{n}", "url": URL.format(n)} for n in range(1, turns)]
    files.append({"id": "final_image", "url": URL.format(turns)})
    files.append({"id": "original_input_image", "url": ORIGINAL})
    prompts = [f"edit {n}" for n in range(1, turns + 1)]
    return {"files": files, "metadata_edit_turn_prompts": prompts, **more}


def folder(root: Path, *rows: object, turns: int = 3) -> Path:
    put(root, *(URL.format(n) for n in range(1, turns + 1)))
    jsonl_file(root / "multi-turn.jsonl", *(rows or (session(turns),)))
    return root


def test_the_final_image_is_numbered_from_its_url(tmp_path: Path) -> None:
    source = the_run(folder(tmp_path))
    assert paths(source)[-1] == (3, URL.format(3))
    assert [step.prompt for step in source.steps[1:]] == ["edit 1", "edit 2", "edit 3"]
    assert source.run.run == "101_attemptB"


def test_the_order_of_files_is_not_trusted(tmp_path: Path) -> None:
    row = session(4)
    row["files"] = list(reversed(row["files"]))  # type: ignore[call-overload]
    source = the_run(folder(tmp_path, row, turns=4))
    assert [step.step for step in source.steps] == [0, 1, 2, 3, 4]


def test_a_remote_original_is_a_missing_step_and_never_fetched(tmp_path: Path) -> None:
    source = the_run(folder(tmp_path))
    step = read_step(tmp_path, source.run, source.steps[0])
    assert (step.step, step.status) == (0, "missing")
    assert step.reason is not None
    assert "line 1: original_input_image" in step.reason
    assert "never fetched unasked" in step.reason


def test_a_local_copy_of_the_original_is_found_by_its_name(tmp_path: Path) -> None:
    put(tmp_path, "originals/00ff.jpg")
    source = the_run(folder(tmp_path))
    assert paths(source)[0] == (0, "originals/00ff.jpg")
    assert source.run.image == "00ff"


def test_a_mapped_original_wins_over_its_url(tmp_path: Path) -> None:
    put(tmp_path, "mapped/a.jpg")
    row = session(original_input_image_file="mapped/a.jpg")
    assert paths(the_run(folder(tmp_path, row)))[0] == (0, "mapped/a.jpg")


def test_turns_told_twice_or_below_one_are_named_with_line_and_field(tmp_path: Path) -> None:
    row = session()
    row["files"] += [  # type: ignore[operator]
        {"id": "edit_turn1", "url": URL.format(2)},
        {"id": "edit_turn-1", "url": URL.format(1)},
        {"id": 7, "url": 5},
        "nonsense",
    ]
    scan = scan_folder(folder(tmp_path, {"files": [], "metadata_edit_turn_prompts": []}, row))
    assert [step.step for step in scan.runs[0].steps] == [0, 1, 2, 3]
    assert notes(scan) == [
        "line 1: files: no picture of it is here",
        "line 2: files[4].url: step 1 is told already by files[0].url",
        "line 2: files[5].id: 'edit_turn-1' is no turn: turns begin with 1",
        "line 2: files[6]: has no id",
        "line 2: files[7]: has no id",
        "line 2: metadata_edit_turn_prompts: 3 prompts for 4 turns",
    ]


def test_a_path_that_leads_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "secret.png")
    row = session()
    row["files"][0]["url"] = "../secret.png"  # type: ignore[index]
    source = the_run(folder(tmp_path / "root", row))
    step = read_step(tmp_path / "root", source.run, source.steps[1])
    assert step.status == "missing"
    assert "leads outside" in str(step.reason)


def test_the_scan_says_by_which_sign_it_knew_the_file(tmp_path: Path) -> None:
    (reading,) = scan_folder(folder(tmp_path)).readings
    assert (reading.layout, reading.path, reading.runs, reading.steps) == (
        "pico-banana",
        "multi-turn.jsonl",
        1,
        4,
    )
    assert "prompts of its turns" in reading.why
