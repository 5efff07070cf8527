"""`b100 jobs`."""

import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.model.text import duration
from tests.jobs.made import Waiting


def test_lists_follows_and_steers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = Waiting(tmp_path, "greet()\nprint('hello from the job')\nwait()\nsys.exit(0)\n")
    made.greeted()
    assert main(["jobs", "--root", str(tmp_path), "--json"]) == 0
    (job,) = json.loads(capfd.readouterr().out)
    assert (job["id"], job["state"], job["title"]) == (made.id, "running", "a title")
    made.tell()
    made.ended()
    assert main(["jobs", "log", made.id, "--root", str(tmp_path)]) == 0
    assert "hello from the job" in capfd.readouterr().out
    assert main(["jobs", "pause", made.id, "--root", str(tmp_path)]) == 2
    assert "is done, not running" in capfd.readouterr().err


def test_no_jobs_is_an_empty_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jobs", "--root", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_an_action_without_an_id_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["jobs", "log", "--root", str(tmp_path)]) == 2
    assert "needs the id" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3.4, "3 s"), (700, "12 min"), (12000, "3 h 20 min"), (187200, "2 d 4 h")],
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
