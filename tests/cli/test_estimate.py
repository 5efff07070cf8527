import json

import pytest

from b100tui.cli.main import main


def test_the_papers_experiment_is_priced(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "banana100", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["images"] == 32_200
    assert told["usd"]["likely"] > 4_000
    assert told["assumptions"]


def test_the_words_name_the_tiers_and_the_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "banana100"]) == 0
    out = capsys.readouterr().out
    assert "tier 1" in out and "assumed" in out and "hours" in out


def test_an_unknown_plan_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "banana1000"]) == 2
    assert "banana100" in capsys.readouterr().err
