"""The script in real shells, and what the unfinished last word may become."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from b100tui.cli.candidates import candidates
from b100tui.cli.completion import split
from b100tui.cli.registry import COMMANDS
from b100tui.index.build import refresh
from tests.cli.calls import b100
from tests.e2e.pty_terminal import Pty
from tests.index.folder import add_run

START = {
    "bash": ("--norc", "--noprofile", "-i"),
    "zsh": ("-f", "-i"),
    "fish": ("--no-config", "--interactive"),
}
SETUP = {
    "bash": 'PS1="> "; eval "$(b100 completion bash)"',
    "zsh": 'PS1="> "; autoload -U compinit; compinit -u -D; eval "$(b100 completion zsh)"',
    "fish": "b100 completion fish | source",
}


def words(*typed: str) -> list[str]:
    return [word for word, _ in candidates(typed)]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runs"
    add_run(folder, "plate/replicate-2k/run-0", 2)
    add_run(folder, "moss/replicate-2k/run-0", 2)
    add_run(folder, "moss/replicate-2k/run-1", 2)
    refresh(folder)
    monkeypatch.setenv("B100_ROOT", str(folder))
    return folder


def shell(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def typed(name: str, line: str, wanted: str, folder: Path) -> None:
    """Type `line` and a tabulator in a real shell, and wait until `wanted` stands on the screen."""
    tty = Pty(START[name], program=shell(name), folder=folder)
    try:
        tty.type(SETUP[name].encode() + b"; printf 'scr%s\\n' ipt\r")
        tty.until(lambda: "script\n" in tty.tail() + "\n", "the shell's own script")
        tty.type(line.encode() + b"\t")
        tty.until(lambda: wanted in tty.tail(), wanted)
    finally:
        tty.close()


@pytest.fixture
def b100_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", here)


@pytest.mark.parametrize("name", START)
@pytest.mark.usefixtures("b100_on_the_path")
def test_a_shell_completes_a_command(name: str, root: Path, tmp_path: Path) -> None:
    typed(name, "b100 recip", "b100 recipes", tmp_path)


@pytest.mark.parametrize("name", START)
@pytest.mark.usefixtures("b100_on_the_path")
def test_a_shell_completes_the_name_of_a_run(name: str, root: Path, tmp_path: Path) -> None:
    typed(name, "b100 show pla", "b100 show plate/replicate-2k/run-0", tmp_path)


@pytest.mark.usefixtures("b100_on_the_path")
def test_bash_completes_behind_its_own_break_characters(root: Path, tmp_path: Path) -> None:
    typed("bash", "b100 export --format=js", "--format=jsonl", tmp_path)


@pytest.mark.usefixtures("b100_on_the_path")
def test_bash_offers_files_where_b100_has_no_words(root: Path, tmp_path: Path) -> None:
    (tmp_path / "folder-of-runs").mkdir()
    typed("bash", "b100 scan folder", "b100 scan folder-of-runs", tmp_path)


@pytest.mark.parametrize("name", START)
def test_the_script_is_one_that_its_shell_can_read(name: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(b100("completion", name).stdout)
    subprocess.run([shell(name), "-n", str(script)], check=True)


def test_every_command_is_offered() -> None:
    assert words("") == list(COMMANDS)


def test_options_of_a_command_are_offered_and_hidden_ones_are_not() -> None:
    assert "--no-refresh" in words("runs", "--")
    assert "--line" not in words("completion", "--")


def test_global_options_may_stand_before_the_command() -> None:
    assert words("--root", "folder", "sea") == ["search"]


def test_the_value_of_an_option_is_offered_and_not_another_option() -> None:
    assert words("explore", "--graphics", "k") == ["kitty"]
    assert words("explore", "--graphics=k") == ["--graphics=kitty"]


def test_the_actions_of_edit_have_options_of_their_own() -> None:
    assert words("edit", "f") == ["fork"]
    assert "--retry-failed" in words("edit", "resume", "--")
    assert "--retry-failed" not in words("edit", "new", "--")


def test_runs_are_those_of_the_root_on_the_line(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("B100_ROOT")
    moss = ["moss/replicate-2k/run-0", "moss/replicate-2k/run-1"]
    assert words("onset", "--root", str(root), "moss") == moss


def test_more_than_one_run_is_completed_where_more_are_taken(root: Path) -> None:
    assert words("strip", "moss/replicate-2k/run-0", "plate") == ["plate/replicate-2k/run-0"]
    assert words("drift", "moss/replicate-2k/run-0", "plate") == []


def test_the_last_name_of_a_list_is_completed() -> None:
    assert words("gaps", "--metrics", "brisque,niq") == ["brisque,niqe"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (("edit", "new", "a.png", "--editor", "sim-p"), "sim-pro"),
        (("edit", "new", "a.png", "--recipe", "mir"), "mirror"),
        (("edit", "plan", "ban"), "banana100"),
        (("query", "runs"), "runs-by-onset"),
        (("explore", "--theme", "colour"), "colour-blind"),
        (("help", "lay"), "layouts"),
        (("metrics", "fetch", "brisq"), "brisque"),
    ],
)
def test_names_that_b100_knows_are_offered(line: tuple[str, ...], found: str) -> None:
    assert found in words(*line)


def test_a_root_that_cannot_be_read_offers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("B100_ROOT", str(tmp_path / "gone"))
    assert words("show", "") == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("b100 show ", ["b100", "show", ""]),
        ("b100 show pl", ["b100", "show", "pl"]),
        ("b100 search 'final ch", ["b100", "search", "final ch"]),
        ("b100 show a\\ b", ["b100", "show", "a b"]),
    ],
)
def test_a_line_is_split_as_a_shell_does(line: str, expected: list[str]) -> None:
    assert split(line) == expected


def test_an_unknown_shell_is_wrong_use() -> None:
    done = b100("completion", "tcsh")
    assert done.returncode == 2
    assert done.stdout == ""
