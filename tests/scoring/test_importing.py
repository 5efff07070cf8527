"""Scores made elsewhere, row by row."""

import json
from pathlib import Path

import duckdb
import pytest

from b100tui.model.errors import LayoutError
from b100tui.model.records import PictureRef, Step
from b100tui.scoring.importing import ImportReport, Rejected, import_scores
from b100tui.scoring.naming import NamedRun, Namer
from tests.scoring.pictures import records

RUNS = [
    NamedRun(
        run=f"{image}/replicate/run-{repeat}",
        image=image,
        recipe="replicate",
        setting="replicate",
        repeat=repeat,
        labels={"seed": str(repeat)},
    )
    for image in ("fog", "moss")
    for repeat in (0, 1)
]


def steps_of(run: str) -> list[Step]:
    return [
        Step(run=run, step=n, picture=PictureRef(f"{run}/step-{n:03}.png")) for n in range(3)
    ] + [Step(run=run, step=3, status="missing")]


def take(root: Path, name: str, text: str, shape: str | None = None) -> ImportReport:
    file = root / name
    file.write_text(text, encoding="utf-8")
    return import_scores(root, file, Namer(RUNS, steps_of, str(root)), shape)  # type: ignore[arg-type]


def values(root: Path) -> dict[tuple[str, int, str], float | None]:
    return {(r.run, r.step, r.metric): r.value for r in records(root)}


def test_long_rows_by_image_task_run_and_step(tmp_path: Path) -> None:
    report = take(
        tmp_path,
        "a.csv",
        "image,task,run,step,metric,value\n"
        "fog,replicate,1,2,BRISQUE,-9.75\nmoss,replicate,run-0,0,TOPIQ NR,0.5\n",
    )
    assert (report.rows, report.accepted, report.rejected) == (2, 2, ())
    assert values(tmp_path) == {
        ("fog/replicate/run-1", 2, "brisque"): -9.75,
        ("moss/replicate/run-0", 0, "topiq_nr"): 0.5,
    }


def test_long_rows_by_run_id(tmp_path: Path) -> None:
    take(tmp_path, "a.csv", "run,step,metric,value\nfog/replicate/run-0,1,niqe,4.25\n")
    assert values(tmp_path) == {("fog/replicate/run-0", 1, "niqe"): 4.25}


def test_long_rows_by_any_labels_that_tell_runs_apart(tmp_path: Path) -> None:
    take(tmp_path, "a.csv", "image,seed,step,metric,value\nfog,1,1,niqe,4.25\n")
    assert values(tmp_path) == {("fog/replicate/run-1", 1, "niqe"): 4.25}


@pytest.mark.parametrize(
    "path",
    [
        "fog/replicate/run-1/step-002.png",
        "./fog/replicate/run-1/step-002.png",
        "{root}/fog/replicate/run-1/step-002.png",
    ],
)
def test_rows_by_path(tmp_path: Path, path: str) -> None:
    named = path.replace("{root}", str(tmp_path))
    take(tmp_path, "a.csv", f"path,metric,value\n{named},niqe,4.25\n")
    assert values(tmp_path) == {("fog/replicate/run-1", 2, "niqe"): 4.25}


def test_a_file_name_that_several_steps_have_is_rejected(tmp_path: Path) -> None:
    report = take(tmp_path, "a.csv", "path,metric,value\nstep-002.png,niqe,4.25\n")
    assert report.rejected == (Rejected(2, "4 steps have the picture step-002.png"),)


def test_wide_rows_hold_a_metric_a_column(tmp_path: Path) -> None:
    report = take(
        tmp_path,
        "a.csv",
        "image,run,step,BRISQUE,MyScore,comment\nfog,0,0,34.1,0.1,fine\nfog,0,1,,0.2,bad\n",
    )
    assert (report.rows, report.accepted, report.scores) == (2, 2, 3)
    assert report.unknown_metrics == ("myscore",)
    assert report.unused_columns == ("comment",)
    assert values(tmp_path)["fog/replicate/run-0", 1, "myscore"] == 0.2
    assert ("fog/replicate/run-0", 1, "brisque") not in values(tmp_path)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("fog,replicate,7,1,niqe,1", "no run answers to"),
        ("fog,replicate,,1,niqe,1", "2 runs answer to"),
        (",,,1,niqe,1", "no column names the run"),
        ("fog,replicate,0,99,niqe,1", "has no step 99"),
        ("fog,replicate,0,3,niqe,1", "has no step 3"),
        ("fog,replicate,0,x,niqe,1", "'x' is no whole number"),
        ("fog,replicate,0,1,niqe,nan", "not finite"),
        ("fog,replicate,0,1,niqe,inf", "not finite"),
        ("fog,replicate,0,1,niqe,", "no value"),
        ("fog,replicate,0,1,niqe,good", "'good' is no number"),
        ("fog,replicate,0,1,,1", "columns metric and value"),
        ("fog,replicate,0,1,niqe,1,2", "7 cells under 6 columns"),
    ],
)
def test_a_rejected_row_has_its_line_and_reason_and_costs_itself(
    tmp_path: Path, row: str, reason: str
) -> None:
    report = take(
        tmp_path,
        "a.csv",
        f"image,task,run,step,metric,value\n{row}\nfog,replicate,0,2,niqe,5\n",
    )
    assert report.accepted == 1
    (rejected,) = report.rejected
    assert rejected.row == 2
    assert reason in rejected.reason


def test_json_lines_with_a_broken_line(tmp_path: Path) -> None:
    good = json.dumps({"run": "fog/replicate/run-0", "step": 1, "metric": "niqe", "value": 3.5})
    report = take(tmp_path, "a.jsonl", f"{good}\n{{broken\n[1]\n")
    assert (report.rows, report.accepted) == (3, 1)
    assert [rejected.row for rejected in report.rejected] == [2, 3]


def test_a_list_in_a_cell_is_no_number(tmp_path: Path) -> None:
    row = json.dumps({"run": "fog/replicate/run-0", "step": 1, "metric": "niqe", "value": [1]})
    (rejected,) = take(tmp_path, "a.jsonl", row + "\n").rejected
    assert "is no number" in rejected.reason


def test_parquet(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    duckdb.sql(
        "SELECT 'moss' AS image, 1 AS run, 2 AS step, 'niqe' AS metric, 4.125::DOUBLE AS value"
    ).write_parquet(str(file))
    report = import_scores(tmp_path, file, Namer(RUNS, steps_of))
    assert (report.accepted, report.rejected) == (1, ())
    assert values(tmp_path) == {("moss/replicate/run-1", 2, "niqe"): 4.125}


def test_importing_a_file_again_stores_nothing_twice(tmp_path: Path) -> None:
    text = "run,step,metric,value\nfog/replicate/run-0,1,niqe,4.25\n"
    take(tmp_path, "a.csv", text)
    again = take(tmp_path, "a.csv", text)
    assert again.accepted == 1
    assert len(records(tmp_path)) == 1


def test_values_are_taken_raw(tmp_path: Path) -> None:
    take(
        tmp_path,
        "a.csv",
        "run,step,metric,value\nfog/replicate/run-0,1,clipiqa,17.123456789012345\n",
    )
    assert records(tmp_path)[0].value == 17.123456789012345


def test_control_bytes_in_names_do_not_survive(tmp_path: Path) -> None:
    report = take(
        tmp_path,
        "a.csv",
        "run,step,metric,value\n\x1b[31mevil,1,niqe,1\nfog/replicate/run-0,1,x\x1b[0my,1\n",
    )
    assert "\x1b" not in report.rejected[0].reason
    assert {record.metric for record in records(tmp_path)} == {"xy"}


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="scores come as"):
        take(tmp_path, "a.xlsx", "")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match=r"nothing\.csv"):
        import_scores(tmp_path, tmp_path / "nothing.csv", Namer(RUNS, steps_of))
