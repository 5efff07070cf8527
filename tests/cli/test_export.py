import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.cli.calls import b100
from tests.sources.made import put


def folder(root: Path) -> Path:
    put(root, *(f"cat/step_{n}.png" for n in range(5)))
    put(root, *(f"dog/step_{n}.png" for n in range(4)))
    return root


def answer(capsys: pytest.CaptureFixture[str], root: Path, *words: str, code: int = 0) -> object:
    assert main(["export", "--root", str(root), *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--format", "jsonl", "--out", str(tmp_path / "out"), "--until", "2")
    found = answer(capsys, folder(tmp_path / "in"), *words, "--filter", "image:cat")
    # Three pictures, steps.jsonl and export.json.
    assert found == {"rows": 3, "files": 5, "skipped": []}


def test_steps_that_stay_back_make_it_partly_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path / "in")
    put(root, "cat/step_5.png", data=b"")
    words = ("--format", "files", "--out", str(tmp_path / "out"))
    assert main(["export", "--root", str(root), *words, "--json"]) == 4
    told = capsys.readouterr()
    reason = "the file is empty (0 bytes)"
    assert json.loads(told.out)["skipped"] == [{"run": "cat", "step": 5, "reason": reason}]
    assert f"stays back: cat@5: {reason}" in told.err


def test_steps_of_one_run_with_one_reason_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path / "in")
    put(root, *(f"cat/step_{n}.png" for n in (5, 6, 7)), data=b"")
    assert (
        main(["export", "--root", str(root), "--format", "hf", "--out", str(tmp_path / "o")]) == 4
    )
    told = capsys.readouterr().err
    assert told == "stays back: cat@5-7 (3 steps): the file is empty (0 bytes)\n"


def test_without_scores_nothing_goes_out_up_to_the_onset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--format", "hf", "--out", str(tmp_path / "out"), "--until", "onset")
    found = answer(capsys, folder(tmp_path / "in"), *words, code=4)
    assert found["rows"] == 0  # type: ignore[index]
    assert [one["run"] for one in found["skipped"]] == ["cat", "dog"]  # type: ignore[index]
    assert [one["step"] for one in found["skipped"]] == [None, None]  # type: ignore[index]


@pytest.mark.parametrize(
    "words",
    [
        ("--format", "zip", "--out", "x"),
        ("--format", "hf"),
        ("--out", "x"),
        ("--format", "hf", "--out", "x", "--until", "later"),
        ("--format", "hf", "--out", "x", "--filter", "nofield:1"),
    ],
)
def test_wrong_use_leaves_with_2_and_writes_nothing(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = folder(tmp_path / "in")
    monkeypatch.chdir(tmp_path)
    assert b100("export", "--root", str(root), *words).returncode == 2
    assert not (tmp_path / "x").exists()


def test_an_export_into_its_own_root_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path / "in")
    words = ["--format", "files", "--out", str(root / "out")]
    assert main(["export", "--root", str(root), *words]) == 2
    assert "exported from" in capsys.readouterr().err


def test_words_say_how_much_went_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    root = folder(tmp_path / "in")
    assert main(["export", "--root", str(root), "--format", "jsonl", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert told.out == f"9 steps, 11 files in {out}\n"
    assert told.err == ""
    assert main(["scan", str(out)]) == 0
    assert "read as b100-jsonl: 2 runs, 9 steps, 0 not used, 0 unreadable" in (
        capsys.readouterr().out
    )
