import json

import pytest

from b100tui.cli.main import main

PAPER = {
    *("replicate", "replicate-rephrased", "replicate-denoise", "mirror", "rotate"),
    *("patches-edges-reconstruct", "monochrome-recolour", "add-apples", "add-100-fruits"),
}


def test_every_recipe_of_the_paper_is_there_and_remedies_are_tagged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["recipes", "--json"]) == 0
    told = {one["id"]: one for one in json.loads(capsys.readouterr().out)}
    assert set(told) >= PAPER
    cycles = {name: told[name]["cycle"] for name in ("mirror", "rotate", "add-100-fruits")}
    assert cycles == {"mirror": 2, "rotate": 4, "add-100-fruits": 100}
    assert "remedy" in told["replicate-reanchored"]["tags"]
    assert "restore" in told["restore"]["tags"]


def test_plans_are_listed_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes"]) == 0
    assert "plan banana100" in capsys.readouterr().out
