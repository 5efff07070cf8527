"""Two groups side by side, and today's gaps against a saved table."""

from pathlib import Path

import msgspec
import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.model.errors import StoreError, UsageError
from b100tui.report.comparison import (
    GroupComparison,
    compare_groups,
    compare_tables,
    read_saved,
    table_now,
)
from b100tui.report.evidence import gap_table
from tests.index.folder import add_step, record, score
from tests.report.test_onsets import planted


def write(root: Path, run: str, gain: float, first: int, usd: float | None = 0.1) -> None:
    values = planted(first, int(run[-1]) + first)
    for step in values:
        add_step(root, run, step, cost_usd=usd)
    record(root, "scores", *(score(run, n, "noise_sigma", v) for n, v in values.items()))
    record(root, "scores", *(score(run, n, "lab_b", v + 1) for n, v in values.items()))
    record(root, "scores", *(score(run, n, "brisque", 60.0 - gain * n) for n in values))


def compared(root: Path, first: str, second: str, **more: object) -> GroupComparison:
    refresh(root)
    index = open_index(root)
    try:
        return compare_groups(index, first, second, **more)  # type: ignore[arg-type]
    finally:
        index.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for repeat in range(3):
        write(tmp_path, f"dongpo/replicate-2k/run-{repeat}", 1.0 + 0.1 * repeat, 9)
        write(tmp_path, f"dongpo/replicate-denoise-2k/run-{repeat}", 0.3 + 0.1 * repeat, 15)
    return tmp_path


def test_gaps_onset_and_cost_of_both_groups(root: Path) -> None:
    found = compared(root, "setting:replicate-2k", "setting:denoise", steps=(5, 11))
    mean, sd, n = found.first.metrics["brisque"][0]
    assert n == 3 and mean == pytest.approx(4 * 1.1 / 1.5)
    assert sd == pytest.approx(4 * 0.1 / 1.5)
    difference = {(one.metric, one.step): one for one in found.differences}["brisque", 11]
    assert difference.value == pytest.approx(10 * (0.4 - 1.1) / 1.5)
    assert difference.clear is True
    assert found.first.onset.median is not None and abs(found.first.onset.median - 9) <= 1
    assert found.second.onset.median is not None and abs(found.second.onset.median - 15) <= 1
    assert found.first.usd == pytest.approx(3 * 30 * 0.1)


def test_only_steps_that_both_groups_reach_are_matched(root: Path) -> None:
    found = compared(root, "setting:replicate-2k", "setting:denoise", steps=(5, 50))
    assert found.steps == (5,) and "step 50 is not reached by both groups" in found.notes


def test_a_group_without_runs_is_wrong_use(root: Path) -> None:
    with pytest.raises(UsageError, match="image:zork"):
        compared(root, "image:zork", "image:dongpo")


def test_runs_of_different_recipes_in_one_group_are_said(root: Path) -> None:
    found = compared(root, "image:dongpo", "setting:denoise")
    assert any("belong to both groups" in note for note in found.notes)


def test_yesterdays_table_against_todays(root: Path, tmp_path: Path) -> None:
    refresh(root)
    index = open_index(root)
    saved = tmp_path / "yesterday.json"
    saved.write_bytes(msgspec.json.encode(gap_table(index).rows()))
    same = compare_tables(read_saved(saved), table_now(index, read_saved(saved), by="image").rows())
    index.close()
    assert (same.cells, same.changed, same.turned) == (3, (), 0)
    old = read_saved(saved)
    turned = [msgspec.structs.replace(old[0], gap=-1.0, failure=False), *old[1:2]]
    found = compare_tables(old, turned)
    assert (found.cells, len(found.changed), found.turned, found.gone) == (2, 1, 1, 1)
    assert (found.changed[0].failure_before, found.changed[0].failure_after) == (True, False)


@pytest.mark.parametrize("by", ["image", "setting", "recipe", "editor", "run"])
def test_todays_table_is_grouped_as_the_saved_one(root: Path, by: str) -> None:
    refresh(root)
    index = open_index(root)
    saved = gap_table(index, by=by).rows()
    found = compare_tables(saved, table_now(index, saved).rows())
    index.close()
    assert (found.cells, found.new, found.gone, found.changed) == (len(saved), 0, 0, ())


def test_tables_without_a_common_cell_say_so(root: Path) -> None:
    refresh(root)
    index = open_index(root)
    saved = gap_table(index).rows()
    other = gap_table(index, by="run").rows()
    index.close()
    assert any("no cell is in both tables" in note for note in compare_tables(saved, other).notes)


def test_different_bounds_are_said() -> None:
    row = {
        **dict.fromkeys(("norm_reference", "norm_step", "raw_gap", "sd", "within_noise")),
        **{"group": "a", "metric": "pi", "reference": 1, "step": 5, "gap": 1.0, "n": 1},
        **{"failure": True, "coverage": 1.0, "note": "", "low": None, "high": None},
        **{"effect": None, "spread": "none", "bound": "0 to 20"},
    }
    from b100tui.report.gap_table import GapRow

    one = msgspec.convert(row, GapRow)
    other = msgspec.structs.replace(one, bound="0 to 30", gap=0.7)
    (note,) = compare_tables([one], [other]).notes
    assert "different ranges" in note


def test_a_file_that_is_no_table_is_wrong_use(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"a": 1}]', encoding="utf-8")
    with pytest.raises(UsageError):
        read_saved(path)
    with pytest.raises(StoreError):
        read_saved(tmp_path / "absent.json")
