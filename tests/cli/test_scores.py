"""`b100 scores import` and `export`."""

import csv
import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.scoring.pictures import draw


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    for step in range(3):
        draw(folder / "a" / f"fog_step_{step}.png", step)
    return folder


def wide(tmp_path: Path, *rows: str) -> Path:
    file = tmp_path / "given.csv"
    file.write_text("path,niqe,own\n" + "".join(f"{row}\n" for row in rows))
    return file


def test_imported_scores_come_out_again_as_they_went_in(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = wide(tmp_path, "a/fog_step_1.png,4.123456789012345,-7")
    assert main(["scores", "import", str(file), "--root", str(root), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["accepted"], report["rejected"]) == (1, 1, [])
    out = tmp_path / "out.csv"
    assert main(["scores", "export", str(out), "--root", str(root)]) == 0
    with out.open(newline="") as given:
        rows = {row["metric"]: (row["step"], row["value"]) for row in csv.DictReader(given)}
    assert rows == {"niqe": ("1", "4.123456789012345"), "own": ("1", "-7.0")}


def test_partly_rejected_leaves_with_4_and_names_the_row(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = wide(tmp_path, "a/fog_step_1.png,4,1", "elsewhere.png,4,1")
    assert main(["scores", "import", str(file), "--root", str(root), "--json"]) == 4
    (rejected,) = json.loads(capsys.readouterr().out)["rejected"]
    assert rejected["row"] == 3
    assert "elsewhere.png" in rejected["reason"]


def test_nothing_accepted_is_a_failure(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = wide(tmp_path, "elsewhere.png,4,1")
    assert main(["scores", "import", str(file), "--root", str(root)]) == 1
    assert "row 2" in capsys.readouterr().err


def test_import_without_a_root_is_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["scores", "import", str(wide(tmp_path))]) == 2
    assert "--root" in capsys.readouterr().err


def test_export_to_an_unknown_kind_is_wrong_use(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scores", "export", str(tmp_path / "a.xlsx"), "--root", str(root)]) == 2
    assert ".parquet" in capsys.readouterr().err


def test_an_export_replaces_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("of a person")
    assert main(["scores", "export", str(mine), "--root", str(tmp_path)]) == 2
    assert "mine.csv is there already" in capsys.readouterr().err
    assert mine.read_text() == "of a person"
