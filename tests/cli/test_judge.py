import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.engine.made import edit_new, image, root_of, served


def test_judging_is_told_as_the_contract_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    with served():
        edit_new(root, image(tmp_path), steps=3, repeats=2)
        words = ["judge", "--root", str(root), "--yes", "--budget", "1", "--json"]
        assert main(words) == 0
        told = json.loads(capsys.readouterr().out)
        names = {"asked", "cached", "yes", "no", "unparsed", "no_summary", "failed", "usd"}
        assert names | {"first_yes"} <= set(told)
        assert told["yes"] + told["no"] == 6
        assert told["first_yes"][0]["n"] == 2
        assert main(words) == 0
        again = json.loads(capsys.readouterr().out)
    assert (again["asked"], again["cached"]) == (0, 6)


def test_verdicts_are_seen_by_the_other_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    with served():
        run = edit_new(root, image(tmp_path), steps=2).runs[0].run
        main(["judge", run, "--steps", "1", "--root", str(root), "--yes", "--budget", "1"])
    capsys.readouterr()
    main(["steps", run, "--root", str(root), "--json"])
    steps = {one["step"]: one for one in json.loads(capsys.readouterr().out)}
    assert steps[1]["verdict"] in {"yes", "no"}
    assert steps[2]["verdict"] is None


def test_questions_need_a_yes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        edit_new(root, image(tmp_path), steps=1)
        assert main(["judge", "--root", str(root)]) == 2
        assert "--budget" in capsys.readouterr().err
        assert fake.calls("gemini-3.5-flash") == 0
