import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.workspace.places import config_dir
from tests.index.folder import add_run

RUN = "fog/replicate-2k/run-0"


def test_lists_the_queries(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "--list", "--json"]) == 0
    assert "runs-by-onset" in [query["name"] for query in json.loads(capsys.readouterr().out)]


def test_prints_the_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_run(tmp_path, RUN, 2)
    words = ["query", "--root", str(tmp_path), "runs-by-onset", "-p", "most=5"]
    assert main([*words, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["run"], row["onset"]) == (RUN, None)
    assert main(words) == 0
    assert RUN in capsys.readouterr().out


def test_own_queries_come_from_the_config_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 2)
    folder = config_dir() / "queries"
    folder.mkdir(parents=True)
    (folder / "mine.sql").write_text("-- name: mine\nSELECT count(*) AS n FROM step")
    assert main(["query", "--root", str(tmp_path), "mine", "--jsonl"]) == 0
    assert json.loads(capsys.readouterr().out) == {"n": 2}


@pytest.mark.parametrize("words", [["nothing"], ["runs-by-onset", "-p", "most"], []])
def test_wrong_use(tmp_path: Path, words: list[str]) -> None:
    add_run(tmp_path, RUN, 1)
    assert main(["query", "--root", str(tmp_path), *words]) == 2
