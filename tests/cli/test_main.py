import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from b100tui import __version__
from b100tui.cli import main as entry
from b100tui.cli.main import main
from b100tui.cli.registry import COMMANDS, Command, find_command
from b100tui.model.errors import B100Error, UsageError
from b100tui.workspace.places import state_dir
from tests.cli.calls import b100, command, environment
from tests.index.folder import add_run


def fake(monkeypatch: pytest.MonkeyPatch, run: Callable[..., int]) -> None:
    """Let every command word lead to `run`."""

    def found(words: list[str]) -> tuple[Command, list[str]]:
        parser = find_command(["help"])[0].parser
        return Command("fake", parser, run), []

    monkeypatch.setattr(entry, "find_command", found)


def raising(error: BaseException) -> Callable[..., int]:
    def run(args: object) -> int:
        raise error

    return run


def test_help_lists_every_working_command_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out, err = capsys.readouterr()
    listed = {line.split()[0] for line in out.splitlines() if line.startswith("  ")}
    assert listed == set(COMMANDS)
    assert err == ""


def test_no_words_at_all_is_wrong_use_and_leaves_stdout_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "b100 COMMAND --help" in err


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"b100 {__version__}\n"


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serch"]) == 2
    assert "search" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["config", "edi"], "config: argument action: invalid choice: 'edi'"),
        (["editors", "extra"], "editors: unrecognized arguments: extra"),
        (["edit", "new"], "edit new: the following arguments are required"),
    ],
)
def test_wrong_words_are_told_as_every_failure_is(
    words: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"b100: {what}")
    assert "--help" in err.splitlines()[-1]


def test_a_known_failure_prints_what_and_the_fix_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, raising(B100Error("the folder is full", "free space")))
    assert main(["help"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "b100: the folder is full\n  fix: free space\n"


def test_wrong_use_leaves_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, raising(UsageError("no such step", "")))
    assert main(["help"]) == 2
    assert capsys.readouterr().err == "b100: no such step\n"


def test_foreign_text_in_a_failure_cannot_drive_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, raising(B100Error("cannot read \x1b]0;owned\x07a\x1b[31mb.png")))
    main(["help"])
    assert capsys.readouterr().err == "b100: cannot read ab.png\n"


def test_an_interrupt_leaves_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, raising(KeyboardInterrupt()))
    assert main(["help"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_an_interrupt_amid_an_import_leaves_with_130_and_no_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ImportError("initializing the extension")
    error.__cause__ = KeyboardInterrupt()
    fake(monkeypatch, raising(error))
    assert main(["help"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not list((state_dir() / "log").glob("*.log"))


def test_an_interrupt_that_duckdb_hears_of_leaves_with_130_and_no_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, raising(RuntimeError("Query interrupted")))  # DuckDB 2.0's words on SIGINT
    assert main(["help"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not list((state_dir() / "log").glob("*.log"))


def test_an_unexpected_exception_shows_where_its_log_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, raising(ZeroDivisionError("division by zero")))
    assert main(["help"]) == 1
    out, err = capsys.readouterr()
    (log,) = (state_dir() / "log").glob("*.log")
    assert out == ""
    assert "Traceback" not in err
    assert "unexpected ZeroDivisionError: division by zero" in err
    assert str(log) in err
    assert "Traceback" in log.read_text()


def test_an_unexpected_exception_never_shows_a_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-real-key-0123")
    fake(monkeypatch, raising(ValueError("refused not-a-real-key-0123")))
    main(["help"])
    (log,) = (state_dir() / "log").glob("*.log")
    assert "not-a-real-key" not in capsys.readouterr().err
    assert "not-a-real-key" not in log.read_text()


def test_a_state_folder_that_cannot_be_written_does_not_hide_the_exception(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("B100_STATE_DIR", str(tmp_path / "file"))
    fake(monkeypatch, raising(ValueError("odd")))
    assert main(["help"]) == 1
    assert "unexpected ValueError: odd" in capsys.readouterr().err


def test_a_reader_that_leaves_early_is_no_failure() -> None:
    with subprocess.Popen(
        command(["help", "scripting"]),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_ctrl_c_in_a_real_process_leaves_with_130(tmp_path: Path) -> None:
    """The editor of `config edit` stands in for any long work: it signals when it runs."""
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho running\nexec sleep 60\n")
    editor.chmod(0o755)
    with subprocess.Popen(
        command(["config", "edit"]),
        env=environment({"EDITOR": str(editor)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"running\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 130


@pytest.mark.parametrize("option", ["--root=/nowhere", "--no-color", "-v"])
def test_global_options_may_stand_before_the_command(option: str) -> None:
    command_found, arguments = find_command([option, "help", "layouts"])
    assert command_found.name == "help"
    assert arguments == [option, "layouts"]


def test_root_and_its_value_may_stand_before_the_command() -> None:
    assert find_command(["--root", "/r", "help", "x"])[1] == ["--root", "/r", "x"]


def test_no_color_reaches_every_room() -> None:
    code = (
        "import os, sys; from b100tui.cli.main import main;"
        "main(['--no-color', 'help']); sys.exit(os.environ['NO_COLOR'] != '1')"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), check=False)
    assert done.returncode == 0


def test_wrong_options_leave_with_2_and_nothing_on_stdout() -> None:
    done = b100("help", "--nonsense")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--nonsense" in done.stderr


def test_options_may_not_be_shortened() -> None:
    assert b100("help", "--js").returncode == 2


def test_a_settings_file_that_is_not_there_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", str(tmp_path), "--config", str(tmp_path / "mine.toml")]) == 2
    assert "mine.toml" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["help", "layouts"], ["help", "--json"]])
def test_a_full_disk_behind_stdout_is_named(words: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            command(words),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "output could not be written: No space left" in done.stderr
    assert "unexpected" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_closed_stdout_is_no_failure() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command(["help"])],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_locale_without_the_letters_stops_no_command(tmp_path: Path) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    add_run(tmp_path, "日本/replicate-2k/run-0", 2)
    table = b100("runs", str(tmp_path), env=ascii_only)
    assert (table.returncode, table.stderr) == (0, "")
    assert "??/replicate-2k/run-0" in table.stdout
    listed = b100("runs", str(tmp_path), "--json", env=ascii_only)
    assert [run["image"] for run in json.loads(listed.stdout)] == ["日本"]
