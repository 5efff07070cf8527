import json
from pathlib import Path

import msgspec
import pytest

from b100tui.cli.main import main
from tests.index.folder import add_run, mark, record

RUN = "dongpo/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    add_run(tmp_path, RUN, 4)
    bob = msgspec.structs.replace(mark("b", RUN, 2, "noise"), by="bob")
    record(tmp_path, "marks", mark("a", RUN, 2, "tint"), bob)
    return tmp_path


def test_marks_are_listed_and_narrowed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["marks", "--root", str(root), "--by", "bob", "--jsonl"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["id"] == "b"
    assert main(["marks", "--root", str(root)]) == 0
    assert "2 marks" in capsys.readouterr().out


def test_kappa(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["marks", "--kappa", "--root", str(root), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {(row["one"], row["other"]) for row in rows} == {("ann", "bob")}
    (step,) = [row for row in rows if row["unit"] == "step"]
    assert (step["n"], step["observed"], step["kappa"]) == (1, 0.0, 0.0)


def test_marks_of_somebody_else_are_merged_in(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "eve.jsonl"
    eve = msgspec.structs.replace(mark("e", RUN, 3, "halo"), by="eve")
    other.write_bytes(msgspec.json.encode(eve) + b"\nnonsense\n")
    assert main(["marks", "--merge", str(other), "--root", str(root), "--json"]) == 0
    told = capsys.readouterr()
    assert {row["by"] for row in json.loads(told.out)} == {"ann", "bob", "eve"}
    assert "1 new mark taken over, 1 line left out" in told.err
