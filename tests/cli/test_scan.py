import json
import tomllib
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.shared_data import shared
from tests.sources.made import own_run, picture, put


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["scan", *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def folder(root: Path) -> Path:
    put(root, *(f"cat/step_{n}.png" for n in (0, 1, 4)))
    put(root, "cat/step_1.webp", data=picture("webp"))
    put(root, "cat/step_5.png", data=picture("png", (16, 6)))
    put(root, "cat/step_6.png", data=b"")
    put(root, "stray.png")
    return root


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(capsys, str(folder(tmp_path)))
    assert found["layout"] == "guess"
    (run,) = found["runs"]  # type: ignore[misc]
    wanted = {
        "run": "cat",
        "image": "cat",
        "setting": "",
        "editor": "",
        "repeat": 0,
        "steps": 5,
        "first_step": 0,
        "last_step": 6,
        "missing": [2, 3],
        "duplicates": [{"step": 1, "chosen": "cat/step_1.png", "others": ["cat/step_1.webp"]}],
        "sizes": [[8, 6, 3], [16, 6, 1]],
        "aspect_changes": [{"step": 5, "before": [8, 6], "after": [16, 6]}],
    }
    assert {key: run[key] for key in wanted} == wanted
    assert {"recipe", "labels"} <= run.keys()
    assert [left["path"] for left in found["unused"]] == ["stray.png"]  # type: ignore[attr-defined]
    assert found["unreadable"] == [
        {"path": "cat/step_6.png", "reason": "the file is empty (0 bytes)"}
    ]


def test_words_name_gaps_duplicates_sizes_and_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scan", str(folder(tmp_path))]) == 0
    told = capsys.readouterr()
    for words in (
        "1 run, 5 steps, 1 not used, 1 unreadable",
        "missing steps 2-3",
        "step 1 found twice: cat/step_1.png, not cat/step_1.webp",
        "8x6 (3), 16x6 (1)",
        "aspect changes at step 5",
        "guessed from cat/step_#",
        "stray.png",
        "the file is empty",
    ):
        assert words in told.out
    assert told.err == ""


def test_reasons_of_a_large_manifest_are_shortened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = []
    for n in range(50):
        put(tmp_path, f"{n}.png", data=picture())
        told = {"run": f"r{n}", "step": 1, "path": f"{n}.png"}
        rows += [told, {**told, "step": 0, "path": f"https://x.invalid/{n}.jpg"}]
    (tmp_path / "steps.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["scan", str(tmp_path)]) == 0
    told_words = capsys.readouterr().out
    assert "  and 20 more reasons (-v shows all)" in told_words
    assert told_words.count("never fetched unasked") == 30
    assert main(["scan", str(tmp_path), "-v"]) == 0
    assert capsys.readouterr().out.count("never fetched unasked") == 50


def test_names_with_escape_sequences_print_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, *(f"\x1b[31mred[/b]/step_{n}.png" for n in range(3)), "\u202eevil\x07.png")
    assert main(["scan", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "red[/b]" in told
    assert not {"\x1b", "\x07", "\u202e"} & set(told)


def test_names_that_are_no_utf8_print_and_encode(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for number in range(3):
        with open(bytes(tmp_path) + b"/\xff\xfe_step_%d.png" % number, "wb") as file:
            file.write(picture())
    assert main(["scan", str(tmp_path), "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["runs"][0]["steps"] == 3


def test_mapping_is_written_once_and_then_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = answer(capsys, str(folder(tmp_path)))
    after = answer(capsys, str(tmp_path), "--write-mapping")
    path = tmp_path / ".b100" / "mapping.toml"
    assert after["layout"] == "mapping"
    (old,), (new,) = before["runs"], after["runs"]  # type: ignore[misc]
    assert {**new, "labels": {}} == {**old, "labels": {}}
    text = path.read_text()
    assert tomllib.loads(text)
    assert main(["scan", str(tmp_path), "--write-mapping"]) == 1
    assert "is there already" in capsys.readouterr().err
    assert path.read_text() == text


def test_mapping_for_a_read_only_root_goes_to_the_data_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != 2)
    answer(capsys, str(folder(tmp_path)), "--write-mapping")
    assert not (tmp_path / ".b100").exists()
    assert answer(capsys, str(tmp_path))["layout"] == "mapping"


def test_given_mapping_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mapping = tmp_path / "m.toml"
    mapping.write_text(r"image = 'cat/step_(?P<step>[01])\.png'")
    found = answer(capsys, str(folder(tmp_path / "root")), "--mapping", str(mapping))
    assert found["runs"][0]["steps"] == 2  # type: ignore[index]


def test_wrong_mapping_names_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mapping = tmp_path / "m.toml"
    mapping.write_text("\nimag = 'x'")
    assert main(["scan", str(tmp_path), "--mapping", str(mapping)]) == 1
    told = capsys.readouterr()
    assert "m.toml line 2: unknown key 'imag'" in told.err
    assert "did you mean image?" in told.err
    assert told.out == ""


def test_mapping_and_write_mapping_exclude_each_other(tmp_path: Path) -> None:
    assert main(["scan", str(tmp_path), "--mapping", "x", "--write-mapping"]) == 2


def test_missing_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", str(tmp_path / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err


def test_run_that_b100_made_says_why_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = own_run(tmp_path, "moss/plain/run-1", 2)
    (made / "stopped.json").write_text('{"reason": "budget spent"}')
    assert main(["scan", str(tmp_path)]) == 0
    assert "stopped: budget spent" in capsys.readouterr().out


def test_real_folder_of_everything_is_sorted_out(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, str(shared("real")))
    runs = {run["run"]: run for run in found["runs"]}  # type: ignore[attr-defined]
    assert runs.keys() == {"reed-vae-steps/eiffel_reed", "reed-vae-steps/eiffel_vanilla"}
    assert all(run["sizes"] == [[512, 512, 25]] for run in runs.values())
    unused = {left["path"] for left in found["unused"]}  # type: ignore[attr-defined]
    assert {"rommel.jpg", "kodim03.png", "awkward/truncated_jpeg.jpg"} <= unused


def test_columns_taken_for_scores_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder(tmp_path), "s.csv", data=b"run,step,brisque,my metric\ncat,1,2,3\n")
    assert main(["scan", str(tmp_path)]) == 0
    assert "with 2 scores: brisque, my_metric" in capsys.readouterr().out


def test_scan_says_what_it_recognised_and_by_which_sign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(capsys, str(folder(tmp_path)))
    why = "one number in each file name is the step"
    assert found["readings"] == [{"layout": "guess", "path": "", "why": why, "runs": 1, "steps": 5}]
    assert main(["scan", str(tmp_path)]) == 0
    assert f"guess: 1 run, 5 steps: {why}" in capsys.readouterr().out


def test_given_mapping_shows_what_it_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mapping = tmp_path / "m.toml"
    mapping.write_text(r"image = '(?P<image>cat)/step_(?P<step>[014])\.png'")
    root = folder(tmp_path / "root")
    put(root, *(f"dog/step_{n}.png" for n in range(3)))
    found = answer(capsys, str(root), "--mapping", str(mapping))
    assert found["difference"] == {
        "before": "guess",
        "after": "mapping",
        "added": [],
        "removed": ["dog"],
        "changed": [
            {"run": "cat", "was": "cat", "changes": ["2 steps fewer, the first is 5"]},
        ],
        "newly_used": [],
        "no_longer_used": [
            *("cat/step_5.png", "cat/step_6.png"),
            *(f"dog/step_{n}.png" for n in range(3)),
        ],
    }
    assert main(["scan", str(root), "--mapping", str(mapping)]) == 0
    told = capsys.readouterr().out
    assert "  - dog\n  ~ cat: 2 steps fewer, the first is 5\n" in told
    assert "5 pictures no longer used: cat/step_5.png" in told


def test_given_mapping_that_changes_nothing_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(capsys, str(folder(tmp_path)), "--write-mapping")
    mapping = tmp_path / ".b100" / "mapping.toml"
    assert main(["scan", str(tmp_path), "--mapping", str(mapping)]) == 0
    assert "nothing changes" in capsys.readouterr().out


def test_given_mapping_that_renames_a_run_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mapping = tmp_path / "m.toml"
    mapping.write_text("[[runs]]\nfiles = 'cat/step_(?P<step>[0-9])\\.png'\nrun = 'moss'\n")
    found = answer(capsys, str(folder(tmp_path / "root")), "--mapping", str(mapping))
    (change,) = found["difference"]["changed"]  # type: ignore[index]
    assert change["was"] == "cat"
    assert change["changes"][0] == "run cat -> moss"
