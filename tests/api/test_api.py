"""The Python API as a notebook uses it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import b100tui as b100
from b100tui.index.build import refresh
from tests.cli.calls import environment
from tests.index.folder import add_step, mark, record, score
from tests.report.test_onsets import planted

RUN = "dongpo/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, seed in (("noise_sigma", 1), ("lab_b", 2)):
        values = planted(9, seed)
        record(tmp_path, "scores", *(score(RUN, at, name, v) for at, v in values.items()))
    record(tmp_path, "scores", *(score(RUN, n, "brisque", 40.0 - n) for n in range(1, 31)))
    record(tmp_path, "marks", mark("a", RUN, 12, "noise"))
    for step in range(1, 31):
        add_step(tmp_path, RUN, step)
    return tmp_path


def test_runs_steps_series_gaps_and_onset_are_plain_data(root: Path) -> None:
    with b100.open(root) as data:
        (run,) = data.runs()
        assert (run.run, run.steps) == (RUN, 30)
        assert data.steps("dongpo")[4].scores["brisque"] == 35.0
        series = {one.metric: one for one in data.series(RUN)}
        assert series["brisque"].values[:2] == (39.0, 38.0)
        cell = data.gaps(steps=(5,)).cell("dongpo", "brisque", 5)
        assert cell.gap == pytest.approx(4 / 1.5) and cell.failure is True
        (onset,) = data.onset()
        assert onset.step is not None and abs(onset.step - 9) <= 1
        assert onset.marked == 12
        assert [one.mode for one in data.marks()] == ["noise"]


def test_the_gate_is_the_command_s(root: Path) -> None:
    with b100.open(root) as data:
        assert data.gate(RUN, 8).crossed is False
        assert data.gate(RUN).crossed is True


def test_rows_become_an_arrow_table(root: Path) -> None:
    pytest.importorskip("pyarrow")
    with b100.open(root) as data:
        table = b100.to_arrow(data.gaps().rows())
        assert table.num_rows == 3
        assert table.column("gap").to_pylist()[0] == pytest.approx(4 / 1.5)
        series = b100.to_arrow(data.series(RUN))
        assert series.column("values").to_pylist()[0][0] == 39.0


def test_an_index_that_is_there_can_be_used_as_it_is(root: Path) -> None:
    with pytest.raises(b100.StoreError):
        b100.open(root, refresh=False)
    refresh(root)
    with b100.open(root, refresh=False) as data:
        assert len(data.runs()) == 1


def test_an_absent_folder_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(b100.B100Error, match="does not exist"):
        b100.open(tmp_path / "absent")


def test_importing_it_loads_nothing_and_using_it_loads_no_screen(root: Path) -> None:
    program = (
        "import sys, json, b100tui as b100\n"
        "before = sorted(sys.modules)\n"
        "with b100.open(sys.argv[1]) as data:\n"
        "    data.gaps(); data.onset()\n"
        "print(json.dumps([before, sorted(sys.modules)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(root)],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = json.loads(done.stdout)
    assert not {"numpy", "duckdb", "msgspec"} & set(before)
    assert not {"textual", "rich", "matplotlib", "torch"} & set(after)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = b100.zork  # type: ignore[attr-defined]
    assert {"open", "to_arrow"} <= set(dir(b100))
