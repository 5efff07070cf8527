"""The processes beside the screen: the indexer's words, and which probes are started."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from b100tui.index.text import newest_text
from b100tui.tui import indexer, processes
from b100tui.tui.processes import Indexer, ProbeRunner
from b100tui.tui.screens.run_data import _message
from b100tui.workspace.places import cache_dir


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "plate"
    folder.mkdir()
    for step in range(3):
        Image.new("RGB", (8, 8), (step * 60, 0, 0)).save(folder / f"plate_step_{step}.png")
    return tmp_path


def test_the_indexer_tells_the_runs_before_the_index_is_built(root: Path):
    child = Indexer(root)
    reports = []
    for report in child.reports():
        reports.append(report)
        if "generation" in report or "error" in report:
            break
    child.close()
    assert [row["run"] for row in reports[0]["rows"]] and reports[-1]["generation"] == 1


def test_a_refresh_makes_the_words_searchable_too(root: Path, capsysbinary):
    indexer._refresh(root)
    assert b'"generation":1' in capsysbinary.readouterr().out
    assert newest_text(cache_dir(root)) is not None


def test_the_indexer_ends_when_nobody_listens(root: Path):
    process = subprocess.Popen(
        [sys.executable, "-m", "b100tui.tui.indexer", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=240) == 0
    assert process.stdout is not None
    process.stdout.close()


def test_leaving_waits_for_no_word_of_a_silent_indexer(tmp_path: Path, monkeypatch):
    start = subprocess.Popen
    silent = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('{}', flush=True); time.sleep(3600)"
    )
    started: list[subprocess.Popen[bytes]] = []

    def popen(_: list[str], **more: Any) -> subprocess.Popen[bytes]:
        started.append(start([sys.executable, "-c", silent], **more))
        return started[0]

    monkeypatch.setattr(processes.subprocess, "Popen", popen)
    child, heard = Indexer(tmp_path), threading.Event()
    reader = threading.Thread(target=lambda: [heard.set() for _ in child.reports()])
    reader.start()
    try:
        assert heard.wait(240)
        leaving = threading.Thread(target=child.close, daemon=True)
        leaving.start()
        leaving.join(60)
        assert not leaving.is_alive() and reader.is_alive()
    finally:
        started[0].kill()
        reader.join()


def test_a_folder_that_is_gone_is_told_as_an_error(tmp_path: Path):
    child = Indexer(tmp_path / "gone")
    first = next(child.reports())
    child.close()
    assert "gone" in first["error"]
    assert type(_message(first)).__name__ == "Failed"


class FakeProcess:
    """Stands in for a started program."""

    started: list[list[str]] = []  # noqa: RUF012 - shared on purpose, reset by the fixture
    running = True

    def __init__(self, command: list[str], **_: object) -> None:
        self.started.append(command)

    def poll(self) -> int | None:
        return None if self.running else 0


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    FakeProcess.started, FakeProcess.running = [], True
    monkeypatch.setattr(processes.subprocess, "Popen", FakeProcess)
    return FakeProcess.started


def test_probes_are_started_niced_for_the_opened_run(started, tmp_path):
    runner = ProbeRunner(tmp_path, "run")
    assert runner.want("a/b/run-0", 2) and runner.advance()
    words = started[0][started[0].index("score") :]
    assert words == ["score", "a/b/run-0", "--metrics", "probes", "--root", str(tmp_path)]
    assert started[0][1:3] == ["-n", "15"]


def test_one_run_is_measured_at_a_time_and_the_newest_wanted_is_next(started, tmp_path):
    runner = ProbeRunner(tmp_path, "run")
    for run in ("one", "two", "three"):
        runner.want(run, 2)
        runner.advance()
    FakeProcess.running = False
    runner.advance()
    assert [command[command.index("score") + 1] for command in started] == ["one", "three"]


def test_a_run_is_measured_once(started, tmp_path):
    runner = ProbeRunner(tmp_path, "run")
    runner.want("one", 2)
    runner.advance()
    assert not runner.want("one", 2)


def test_a_run_that_grew_is_measured_again(started, tmp_path):
    runner = ProbeRunner(tmp_path, "run")
    runner.want("one", 2)
    runner.advance()
    FakeProcess.running = False
    assert runner.want("one", 3)
    runner.advance()
    assert len(started) == 2


def test_nothing_is_measured_in_a_folder_that_is_gone(started, tmp_path):
    runner = ProbeRunner(tmp_path / "gone", "run")
    runner.want("one", 2)
    assert not runner.advance() and started == []


def test_probes_can_be_off_or_for_all_runs(started, tmp_path):
    assert not ProbeRunner(tmp_path, "off").want("one", 2)
    runner = ProbeRunner(tmp_path, "all")
    runner.want("one", 2)
    runner.advance()
    assert started[0][started[0].index("score") :][:2] == ["score", "--metrics"]
    assert not runner.want("two", 2)
