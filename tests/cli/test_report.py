import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.index.folder import add_step, record, score

RUN = "dongpo/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for step, value in ((1, 30.0), (5, 15.0)):
        add_step(tmp_path / "runs", RUN, step)
        record(tmp_path / "runs", "scores", score(RUN, step, "brisque", value))
    return tmp_path / "runs"


def test_json_has_the_keys_of_the_contract(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["report", "--root", str(root), "--out", str(out), "--figures", "5", "--json"]
    assert main([*words, "--formats", "png,csv"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [Path(one["path"]).name for one in told["files"]] == [
        *("figure-5.png", "figure-5.csv", "provenance.json"),
    ]
    assert all(one.keys() >= {"path", "kind", "command"} for one in told["files"])
    assert all(Path(one["path"]).is_file() for one in told["files"])


def test_naming_a_figure_leaves_the_tables_out(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    main(["report", "--root", str(root), "--out", str(out), "--figures", "6"])
    assert not list(out.glob("table-*"))


def test_an_unknown_figure_is_wrong_use(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["report", "--root", str(root), "--out", str(out), "--figures", "99"]) == 2
