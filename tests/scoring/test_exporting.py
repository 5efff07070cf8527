"""Exports in three forms."""

import csv
import json
from pathlib import Path

import duckdb
import pytest

from b100tui.model.errors import StoreError, UsageError
from b100tui.scoring.exporting import ExportedScore, export_scores

ROWS = [
    ExportedScore(
        "r", "=evil()", "", "s", "", 0, 1, "niqe", -0.1234567890123456, None, None, "v", False
    ),
    ExportedScore("r", "fog", "", "s", "", 0, 2, "niqe", None, "nan", "+bad", "v", True),
]


def test_csv_keeps_doubles_and_nulls_and_makes_formulas_inert(tmp_path: Path) -> None:
    assert export_scores(ROWS, tmp_path / "a.csv") == 2
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert float(first["value"]) == ROWS[0].value
    assert first["image"] == "'=evil()"
    assert second["value"] == ""
    assert second["message"] == "'+bad"


def test_json_lines_keep_doubles_and_nulls(tmp_path: Path) -> None:
    export_scores(ROWS, tmp_path / "a.jsonl")
    first, second = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert first["value"] == ROWS[0].value
    assert second["value"] is None
    assert second["simulated"] is True


def test_parquet_keeps_doubles_and_nulls(tmp_path: Path) -> None:
    export_scores(ROWS, tmp_path / "a.parquet")
    rows = duckdb.sql(f"SELECT value, step, message FROM '{tmp_path}/a.parquet' ORDER BY step")
    assert rows.fetchall() == [(ROWS[0].value, 1, None), (None, 2, "+bad")]
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_an_empty_export_has_its_columns(tmp_path: Path) -> None:
    export_scores([], tmp_path / "a.parquet")
    assert duckdb.sql(f"SELECT count(*) FROM '{tmp_path}/a.parquet'").fetchall() == [(0,)]


def test_another_extension_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        export_scores(ROWS, tmp_path / "a.xlsx")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError):
        export_scores(ROWS, tmp_path / "no" / name)
