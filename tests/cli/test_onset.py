import json
import os
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.report.test_onsets import RUN, planted, write


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1), "lab_b": planted(9, 2)})
    assert main(["onset", "dongpo", "--root", str(tmp_path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row.keys() >= {
        *("run", "status", "step", "low", "high", "limit", "consensus", "signals"),
    }
    assert row["signals"]["lab_b"].keys() >= {"status", "step", "low", "high"}
    assert row["status"] == "onset" and row["limit"] == 13


def test_linear_algebra_keeps_to_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "8")  # so that it is put back after the test
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1)})
    assert main(["onset", "--root", str(tmp_path), "--json"]) == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_only_the_named_steps_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1)})
    assert main(["onset", "--root", str(tmp_path), "--steps", "1-5", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["status"] == "too_short"


def test_an_unknown_run_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1)})
    assert main(["onset", "zork", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().out == ""


def test_a_table_ends_with_what_was_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1), "lab_b": planted(9, 2)})
    assert main(["onset", "--root", str(tmp_path)]) == 0
    assert "1 run: 1 with an onset\n" in capsys.readouterr().err
    assert main(["onset", "--root", str(tmp_path), "--steps", "1-5"]) == 0
    assert "1 run: 1 too short to tell\n" in capsys.readouterr().err
