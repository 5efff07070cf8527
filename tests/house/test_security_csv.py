"""Every CSV file that b100 writes opens in a spreadsheet without running anything."""

import csv
from pathlib import Path

from tests.cli.calls import b100
from tests.index.folder import add_run, mark, record, score

FORMULAS = ("=cmd|' /C calc'!A0", "+1+cmd|'x'!A", "-2+3+cmd|'x'!A", "@SUM(1+1)", "\t=1+1", "\r=1+1")


def evil_root(root: Path) -> None:
    for nth, formula in enumerate(FORMULAS):
        # Names of folders come from outside too; a slash would make two of one.
        run = f"{formula.replace('/', '')}/replicate-2k/run-{nth}"
        sections = ((formula, formula),)
        add_run(root, run, 6, prompt=formula, sections=sections, editor=formula, model=formula)
        for step in range(6):
            value = 10.0 - step
            record(root, "scores", score(run, step, f"{formula}{nth}", value, message=formula))
            record(root, "scores", score(run, step, "brisque", value))
        record(root, "marks", mark(f"m{nth}", run, 3, formula, note=formula))


def cells(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


def is_formula(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell[:1] in {"=", "+", "-", "@", "\t", "\r"}
    return False


def test_no_cell_of_any_csv_file_is_a_formula(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    evil_root(root)
    place = ("--root", str(root))
    for words in (
        ("export", "--format", "files", "--out", str(tmp_path / "out")),
        ("export", "--format", "hf", "--out", str(tmp_path / "hf")),
        ("scores", "export", str(tmp_path / "scores.csv")),
        ("report", "--out", str(tmp_path / "report"), "--formats", "csv"),
    ):
        done = b100(*words, *place)
        assert done.returncode in {0, 4}, (words, done.stderr)
    written = [path for path in tmp_path.rglob("*.csv") if root not in path.parents]
    assert {"steps.csv", "scores.csv"} <= {path.name for path in written}
    assert any("report" in str(path) for path in written)
    held = {(path.name, cell) for path in written for cell in cells(path)}
    assert [one for one in held if is_formula(one[1])] == []
    assert any(cell.startswith("'=cmd") for _, cell in held)
