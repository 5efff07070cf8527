import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.index.folder import add_run

RUN = "dongpo/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    add_run(tmp_path, RUN, 4)
    return tmp_path


def marked(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["mark", *words, "--root", str(root), "--json"]) == 0
    record: dict[str, object] = json.loads(capsys.readouterr().out)
    return record


def test_a_mark_is_printed_stored_and_found_by_the_index(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = marked(
        root, capsys, "dongpo@2", "tint", "--region", "0,0,2,2", "--note", "green", "--by", "ann"
    )
    assert (record["run"], record["step"], record["mode"], record["by"]) == (RUN, 2, "tint", "ann")
    assert (record["region"], record["note"]) == ([0, 0, 2, 2], "green")
    main(["steps", "dongpo", "--root", str(root), "--json"])
    steps = json.loads(capsys.readouterr().out)
    assert [mark["mode"] for mark in steps[2]["marks"]] == ["tint"]


def test_undo_takes_it_back(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = marked(root, capsys, "dongpo@2", "tint")
    assert marked(root, capsys, "--undo", str(record["id"]))["undo"] is True
    assert main(["marks", "--root", str(root), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    "words",
    [
        ("dongpo@2",),
        ("dongpo", "tint"),
        ("dongpo@9", "tint"),
        ("dongpo@2", "zork"),
        ("dongpo@2", "tint", "--region", "3,0,9,9"),
        ("--undo", "a", "dongpo@2"),
    ],
    ids=" ".join,
)
def test_wrong_use_marks_nothing(
    words: tuple[str, ...], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["mark", *words, "--root", str(root)])
    assert code == 2
    assert not list(root.glob(".b100/marks/*"))


def test_a_root_must_be_named(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    main(["runs", str(root)])
    monkeypatch.chdir("/")
    assert main(["mark", "dongpo@2", "tint"]) == 2


def test_the_modes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mark", "--list", "--json"]) == 0
    assert {"counting", "rotation", "tint"} <= {
        one["id"] for one in json.loads(capsys.readouterr().out)
    }
