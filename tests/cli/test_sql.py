import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.index.folder import add_run

RUN = "fog/replicate-2k/run-0"


def test_prints_the_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_run(tmp_path, RUN, 2)
    words = ["sql", "--root", str(tmp_path), "SELECT run, step FROM step ORDER BY step"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"run": RUN, "step": 0},
        {"run": RUN, "step": 1},
    ]
    assert main(words) == 0
    assert "2 rows" in capsys.readouterr().out


def test_anything_but_a_select_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 1)
    assert main(["sql", "--root", str(tmp_path), "DROP TABLE run"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and "only SELECT" in told.err


def test_a_plan_is_drawn_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_run(tmp_path, RUN, 1)
    assert main(["sql", "--root", str(tmp_path), "EXPLAIN SELECT run FROM step"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3 and any("step" in line for line in lines)
