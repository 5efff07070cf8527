"""`b100 demo` as scripts see it."""

import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.engine import demo
from b100tui.engine.demo_plan import demo_jobs


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """One image's runs stand for all: the full demo is measured by the benchmark."""

    def sand(scale: str, seed: int) -> list:
        return [job for job in demo_jobs(scale, seed) if job.image == "sand"][:1]

    monkeypatch.setattr(demo, "demo_jobs", sand)


@pytest.mark.usefixtures("few")
def test_json_is_one_document_with_the_contracts_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", str(tmp_path / "d"), "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert set(told) == {"root", "runs", "steps", "truth"}
    assert (told["runs"], told["steps"]) == (1, 31)
    assert Path(told["truth"]).is_file()
    assert "SIMULATED" in err


@pytest.mark.usefixtures("few")
def test_a_second_call_says_that_it_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["demo", str(tmp_path / "d")])
    capsys.readouterr()
    assert main(["demo", str(tmp_path / "d")]) == 0
    assert "there already" in capsys.readouterr().err


def test_a_foreign_folder_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["demo", str(tmp_path)]) == 2
    assert "notes.txt" in capsys.readouterr().err


def test_help_needs_no_picture_library() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from b100tui.cli import registry;"
        "registry.find_command(['demo', 'x']);"
        "print([m for m in ('numpy', 'cv2', 'PIL', 'duckdb') if m in sys.modules])"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_folder_with_other_files_is_refused_before_anything_is_promised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert main(["demo", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert told.out == "" and "mine.txt" in told.err and "25 s" not in told.err
