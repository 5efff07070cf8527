"""`b100 metrics`."""

import json

import pytest

from b100tui.cli.main import main


def test_json_lists_every_metric_with_the_keys_of_the_contract(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["metrics", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    contract = "id name ready reason fix backend direction low high min_side licence"
    assert set(contract.split()) <= set(rows["niqe"])
    assert rows["noise_sigma"]["ready"] is True
    assert (rows["pi"]["low"], rows["pi"]["high"]) == (0.0, None)
    assert rows["brisque"]["direction"] == "lower"


def test_the_list_names_reason_fix_and_licence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics"]) == 0
    out = capsys.readouterr().out
    assert "score extra" in out
    assert "fix:" in out
    assert "PolyForm-Noncommercial" in out


def test_fetch_says_that_it_is_not_there_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "fetch", "niqe"]) == 1
    assert "not there yet" in capsys.readouterr().err


def test_fetch_of_an_unknown_metric_names_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "fetch", "nique"]) == 1
    assert "niqe" in capsys.readouterr().err
