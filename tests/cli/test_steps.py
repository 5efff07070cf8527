import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.index.folder import add_run, add_step, mark, record, score

RUN = "fog/replicate-2k/run-0"
KEYS = {
    *("step", "status", "reason", "path", "width", "height", "format", "bytes", "prompt"),
    *("sections", "scores", "verdict", "marks", "warnings"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    add_run(tmp_path, RUN, 3, sections=(("Title", "Text"),))
    add_step(tmp_path, RUN, 4)
    record(tmp_path, "scores", score(RUN, 1, "brisque", 20.5))
    record(tmp_path, "marks", mark("m", RUN, 1, "tint"))
    return tmp_path


def steps(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    assert main(["steps", "--root", str(root), *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, list)
    return found


def test_json_has_the_keys_of_the_contract(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = steps(root, capsys, RUN)
    assert all(step.keys() >= KEYS for step in found)
    assert [step["step"] for step in found] == [0, 1, 2, 3, 4]
    assert found[1]["scores"] == {"brisque": 20.5}
    assert found[1]["sections"] == [{"title": "Title", "text": "Text"}]
    assert found[1]["marks"][0]["mode"] == "tint"  # type: ignore[index]
    assert (found[3]["status"], found[3]["path"]) == ("missing", None)
    assert found[4]["path"] == f"{RUN}/step-004.png"


def test_a_unique_prefix_names_the_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(steps(root, capsys, "fog", "--steps", "0,2-3")) == 3


def test_an_ambiguous_prefix_lists_what_it_fits(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(root, "fog/replicate-2k/run-1", 1)
    assert main(["steps", "--root", str(root), "fog"]) != 0
    assert "run-1" in capsys.readouterr().err


def test_an_unknown_run_names_near_ones(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--root", str(root), "fogg/replicate-2k/run-0"]) != 0
    assert RUN in capsys.readouterr().err


def test_the_table_shows_each_step(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--root", str(root), RUN]) == 0
    out = capsys.readouterr().out
    assert "brisque" in out and "20.5" in out and "missing" in out and "tint" in out


def test_one_step_may_be_named_with_the_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [step["step"] for step in steps(root, capsys, f"{RUN}@2")] == [2]
    assert [step["step"] for step in steps(root, capsys, "fog@2")] == [2]


def test_an_unknown_run_is_unknown_with_a_step_too(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["steps", "--root", str(root), "moss@2"]) == 1
    assert "no run 'moss'" in capsys.readouterr().err


def test_steps_that_are_not_there_are_told_with_those_that_are(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["steps", "--root", str(root), RUN, "--steps", "90-", "--json"]) == 0
    told = capsys.readouterr()
    assert told.out == "[]\n"
    assert "steps 0 to 4" in told.err


def test_empty_steps_are_wrong_use(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--root", str(root), RUN, "--steps", ""]) == 2
    assert "--steps" not in capsys.readouterr().out
