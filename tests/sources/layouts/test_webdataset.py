import json
from pathlib import Path

import pytest

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources import open_picture, scan_folder, walk
from tests.sources.layouts.written import jpeg, notes, steps_of, tar_of, the_run
from tests.sources.made import numbers, put


def test_steps_are_told_by_whole_names_not_by_the_key_up_to_the_first_dot(tmp_path: Path) -> None:
    members = {f"eiffel.png_step_{n}.png": jpeg(n) for n in (0, 1, 2, 10)}
    tar_of(tmp_path / "set.tar", {**members, "eiffel.json": b'{"prompt": "of the key"}'})
    source = the_run(tmp_path)
    assert numbers(source) == [0, 1, 2, 10]
    assert [step.prompt for step in source.steps] == [None] * 4
    assert open_picture(tmp_path, source.steps[3].picture) == jpeg(10)


def test_shards_of_one_set_are_one_and_nothing_is_unpacked(tmp_path: Path) -> None:
    for shard in range(2):
        members = {f"cat/step_{n}.jpg": jpeg(n) for n in (2 * shard, 2 * shard + 1)}
        tar_of(tmp_path / f"pets-{shard:06}.tar", members)
    before = walk(tmp_path)
    source = the_run(tmp_path)
    assert numbers(source) == [0, 1, 2, 3]
    assert [step.status for step in steps_of(tmp_path, source)] == ["ok"] * 4
    assert {step.picture.path for step in source.steps} == {"pets-000000.tar", "pets-000001.tar"}
    assert walk(tmp_path) == before


def test_json_of_a_sample_tells_run_step_words_and_scores(tmp_path: Path) -> None:
    members: dict[str, bytes] = {}
    for key, step in (("aa", 1), ("bb", 0), ("cc", 2)):
        members[f"{key}.jpg"] = jpeg(step)
        told = {"session": "s1", "turn": step, "prompt": f"p{step}", "brisque": step / 2}
        members[f"{key}.json"] = json.dumps(told).encode()
    tar_of(tmp_path / "x.tar", members)
    source = the_run(tmp_path)
    assert [(step.step, step.prompt, step.scores) for step in source.steps] == [
        (0, "p0", {"brisque": 0.0}),
        (1, "p1", {"brisque": 0.5}),
        (2, "p2", {"brisque": 1.0}),
    ]
    assert source.run.run == "s1"


def test_folders_inside_whose_json_names_no_run_are_runs_apart(tmp_path: Path) -> None:
    members: dict[str, bytes] = {}
    for folder in ("a", "b"):
        for step in range(3):
            members[f"{folder}/{step:04}.jpg"] = jpeg(step)
            members[f"{folder}/{step:04}.json"] = json.dumps({"step": step}).encode()
    tar_of(tmp_path / "x.tar", members)
    scan = scan_folder(tmp_path)
    assert [numbers(source) for source in scan.runs] == [[0, 1, 2]] * 2
    assert not any(source.duplicates for source in scan.runs)


def test_a_text_of_the_same_stem_is_the_prompt(tmp_path: Path) -> None:
    members = {f"a/step_{n}.png": jpeg(n) for n in range(3)}
    tar_of(tmp_path / "x.tar", {**members, "a/step_1.txt": b"make it red"})
    assert [step.prompt for step in the_run(tmp_path).steps] == [None, "make it red", None]


def test_broken_and_compressed_archives_cost_themselves(tmp_path: Path) -> None:
    put(tmp_path, "bad.tar", data=b"no archive at all" * 99)
    put(tmp_path, "packed.tar.gz", data=b"\x1f\x8b")
    tar_of(tmp_path / "ok.tar", {f"s/step_{n}.png": jpeg(n) for n in range(3)})
    scan = scan_folder(tmp_path)
    assert len(scan.runs) == 1
    reasons = {left.path: left.reason for left in scan.unreadable}
    assert "cannot be read as a tar archive" in reasons["bad.tar"]
    assert "unpack it" in reasons["packed.tar.gz"]


def test_an_archive_cut_short_costs_the_steps_behind_the_cut(tmp_path: Path) -> None:
    whole = tar_of(tmp_path / "x.tar", {f"s/step_{n}.jpg": jpeg(n) for n in range(4)})
    whole.write_bytes(whole.read_bytes()[: 512 * 8 + 600])
    scan = scan_folder(tmp_path)
    statuses = [step.status for step in steps_of(tmp_path, scan.runs[0])]
    assert statuses[0] == "ok"
    assert len(statuses) < 5


def test_members_whose_names_lead_out_are_named(tmp_path: Path) -> None:
    members = {f"../../etc/step_{n}.png": jpeg(n) for n in range(3)}
    tar_of(tmp_path / "x.tar", {**members, **{f"s/step_{n}.png": jpeg(n) for n in range(3)}})
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1, 2]
    assert notes(scan) == ["its name leads out of the archive"] * 3


def test_a_member_that_is_gone_is_a_picture_error(tmp_path: Path) -> None:
    tar_of(tmp_path / "x.tar", {"a.png": jpeg(1)})
    with pytest.raises(PictureError, match=r"holds no b\.png"):
        open_picture(tmp_path, PictureRef("x.tar", "b.png"))


def test_pictures_without_a_step_inside_are_named(tmp_path: Path) -> None:
    tar_of(tmp_path / "x.tar", {"cat.png": jpeg(1), "dog.png": jpeg(2)})
    assert notes(scan_folder(tmp_path)) == ["no number in its name tells a step"] * 2
