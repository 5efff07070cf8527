import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.workspace.places import config_dir


def editor(tmp_path: Path, line: str) -> str:
    """Return a program that appends `line` to the file it is given."""
    program = tmp_path / "editor"
    program.write_text(f"#!/bin/sh\necho '{line}' >> \"$1\"\n")
    program.chmod(0o755)
    return str(program)


def test_path_prints_the_file_that_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{config_dir() / 'config.toml'}\n"


def test_show_tells_the_origin_of_each_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("B100_LINK", "slow")
    assert main(["config", "show", "--json"]) == 0
    shown = {s["key"]: s for s in json.loads(capsys.readouterr().out)["settings"]}
    assert (shown["link"]["value"], shown["link"]["origin"]) == ("slow", "environment B100_LINK")
    assert (shown["reference"]["value"], shown["reference"]["origin"]) == (1, "default")


def test_every_setting_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    main(["config", "show", "--json"])
    assert all(s["about"] for s in json.loads(capsys.readouterr().out)["settings"])


def test_show_for_people_has_one_line_a_setting(capsys: pytest.CaptureFixture[str]) -> None:
    main(["config"])
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("theme ") and "default" in line for line in lines)


def test_edit_makes_the_file_and_opens_the_editor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor(tmp_path, "[editors.gemini]\ndeadline_seconds = 9"))
    assert main(["config", "edit"]) == 0
    assert "theme" in (config_dir() / "config.toml").read_text()
    assert capsys.readouterr().out == ""


def test_edit_says_at_once_which_line_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    config_dir().mkdir()
    (config_dir() / "config.toml").write_text('theme = "dark"\n')
    monkeypatch.setenv("EDITOR", editor(tmp_path, 'thmee = "light"'))
    assert main(["config", "edit"]) == 2
    assert "line 2" in capsys.readouterr().err


def test_edit_without_an_editor_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    assert main(["config", "edit"]) == 1
    assert "set EDITOR" in capsys.readouterr().err


def test_a_wrong_setting_stops_show_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    config_dir().mkdir()
    (config_dir() / "config.toml").write_text("reference = -2\n")
    assert main(["config", "show"]) == 2
    assert "config.toml line 1" in capsys.readouterr().err
