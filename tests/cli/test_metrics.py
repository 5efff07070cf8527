"""`b100 metrics`."""

import json
from pathlib import Path

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


def test_fetch_without_names_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "fetch"]) == 2
    assert "names" in capsys.readouterr().err


def test_fetch_of_a_metric_without_weights_is_done_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert main(["metrics", "fetch", "piqe", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_fetch_that_fails_leaves_with_1_and_the_way_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert main(["metrics", "fetch", "cnniqa"]) == 1
    assert "put the file" in capsys.readouterr().err


def test_all_adds_the_other_names_of_pyiqa(capsys: pytest.CaptureFixture[str]) -> None:
    main(["metrics", "--json"])
    listed = {row["id"] for row in json.loads(capsys.readouterr().out)}
    main(["metrics", "--all", "--json"])
    everything = {row["id"] for row in json.loads(capsys.readouterr().out)}
    assert "lpips" in everything - listed
    assert listed < everything


def test_fetch_of_an_unknown_metric_names_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "fetch", "nique"]) == 2
    assert "niqe" in capsys.readouterr().err
