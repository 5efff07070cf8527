import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.index.folder import add_step, record, score

RUN = "dongpo/replicate-2k/run-0"
KEYS = {
    *("group", "metric", "reference", "step", "norm_reference", "norm_step", "gap", "raw_gap"),
    *("sd", "n", "failure", "within_noise", "coverage", "note"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for run in (RUN, "dongpo/mirror-2k/run-0"):
        for step, value in ((1, 30.0), (5, 15.0)):
            add_step(tmp_path, run, step)
            record(tmp_path, "scores", score(run, step, "brisque", value))
    return tmp_path


def test_json_has_the_keys_of_the_contract(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaps", "--root", str(root), "--json"]) == 0
    told = capsys.readouterr()
    rows = json.loads(told.out)
    assert [row["step"] for row in rows] == [5, 10, 20]
    assert rows[0].keys() >= KEYS
    assert (rows[0]["gap"], rows[0]["raw_gap"], rows[0]["failure"]) == (10.0, -15.0, True)
    assert (rows[1]["gap"], rows[1]["failure"], rows[1]["coverage"]) == (None, None, 0.0)
    assert "left out" in told.err and "mirror-2k" in told.err


def test_the_table_marks_failures_with_a_sign(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gaps", "--root", str(root), "--steps", "5"]) == 0
    assert "+10.0 X" in capsys.readouterr().out


def test_jsonl_prints_one_cell_a_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaps", "--root", str(root), "--jsonl"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    "words", [("--steps", "a"), ("--by", "colour"), ("--bound", "pi"), ("--reference", "-1")]
)
def test_wrong_use(words: tuple[str, ...], root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaps", "--root", str(root), *words]) == 2
    assert capsys.readouterr().out == ""
