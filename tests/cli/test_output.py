import argparse
import json
import math
from pathlib import Path

import pytest

from b100tui.cli import output
from b100tui.model.errors import RootError, UsageError
from b100tui.model.records import Section
from b100tui.workspace.places import remember_root


def args(root: str | None = None) -> argparse.Namespace:
    return argparse.Namespace(root=root)


def test_json_is_one_document_of_plain_json(capsys: pytest.CaptureFixture[str]) -> None:
    output.emit_json([Section("Überblick", "plate")])
    assert json.loads(capsys.readouterr().out) == [{"title": "Überblick", "text": "plate"}]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_lacks_becomes_null(
    value: float, capsys: pytest.CaptureFixture[str]
) -> None:
    output.emit_json({"a": [value, (1.5, value)]})
    assert json.loads(capsys.readouterr().out) == {"a": [None, [1.5, None]]}


def test_json_lines_are_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.emit_jsonl([{"text": "two\nlines"}, {"n": 2}])
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines] == [{"text": "two\nlines"}, {"n": 2}]


def test_narration_goes_to_stderr_cleaned(capsys: pytest.CaptureFixture[str]) -> None:
    output.narrate("read \x1b[2Ja.png")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "read a.png\n")


def test_a_reading_command_takes_the_argument_before_the_option(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert output.reading_root(args(str(two)), str(one)) == one
    assert output.reading_root(args(str(two))) == two


def test_a_reading_command_takes_the_environment_before_the_last_used_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    remember_root(one)
    assert output.reading_root(args()) == one
    monkeypatch.setenv("B100_ROOT", str(two))
    assert output.reading_root(args()) == two


def test_without_any_root_a_reading_command_is_wrong_use() -> None:
    with pytest.raises(UsageError) as caught:
        output.reading_root(args())
    assert "ROOT" in caught.value.hint


def test_a_root_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="gone does not exist"):
        output.reading_root(args(str(tmp_path / "gone")))


def test_a_writing_command_never_takes_the_last_used_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    remember_root(root)
    monkeypatch.chdir(elsewhere)
    with pytest.raises(UsageError, match="needs its folder"):
        output.writing_root(args())


def test_a_writing_command_works_inside_a_known_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "root" / "image" / "run-1"
    inside.mkdir(parents=True)
    remember_root(tmp_path / "root")
    monkeypatch.chdir(inside)
    assert output.writing_root(args()) == tmp_path / "root"


def test_a_folder_with_records_of_b100_is_a_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root" / ".b100").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "root")
    assert output.writing_root(args()) == tmp_path / "root"


def test_a_last_used_root_that_vanished_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    remember_root(gone)
    gone.rmdir()
    with pytest.raises(RootError, match="gone does not exist; it is the folder that was used last"):
        output.reading_root(args())
