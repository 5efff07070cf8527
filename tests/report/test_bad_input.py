"""Data that cannot answer: every analysis says so and gives no number in its place."""

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.report.evidence import OnsetRow, gap_table, onset_table, runs_of
from tests.index.folder import add_step, record, score

RUN = "dongpo/replicate-2k/run-0"


def write(root: Path, run: str, steps: Iterable[int], *, grows_at: int = 0) -> None:
    """Scores that get worse from step 8 on; from `grows_at` on the pictures are larger."""
    rng = random.Random(2)
    records = []
    for step in steps:
        add_step(root, run, step, size=(8, 6) if 0 < grows_at <= step else (4, 3))
        worse = (1.0 + 0.05 * max(0, step - 7)) * (1.0 + rng.gauss(0, 0.01))
        records.append(score(run, step, "brisque", 40.0 * worse))
        records.append(score(run, step, "noise_sigma", 2.0 * worse))
    record(root, "scores", *records)


def onset(root: Path) -> OnsetRow:
    refresh(root)
    index = open_index(root)
    try:
        (row,) = onset_table(index, runs_of(index))
    finally:
        index.close()
    return row


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((1,), "no step can be compared with step 1"),
        ((1, 2), "2 usable values, at least 6 are needed"),
        (tuple(range(2, 31)), "no step can be compared with step 1"),
    ],
)
def test_too_little_to_tell_is_too_short_and_says_why(
    steps: tuple[int, ...], why: str, tmp_path: Path
) -> None:
    write(tmp_path, RUN, steps)
    row = onset(tmp_path)
    assert (row.status, row.step, row.limit) == ("too_short", None, None)
    assert row.reason == why


def test_steps_of_another_size_are_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path, RUN, range(1, 31), grows_at=12)
    row = onset(tmp_path)
    assert row.reason.endswith("19 steps left out: another pixel size than the reference")


@pytest.mark.parametrize("steps", [(1,), (1, 2), tuple(range(2, 31))])
def test_a_comparison_does_not_say_never_of_what_it_cannot_tell(
    steps: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, RUN, steps)
    write(tmp_path, "fog/replicate-2k/run-0", range(1, 31))
    assert main(["compare", "image:dongpo", "image:fog", "--root", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "onset: image:dongpo: not known in 1 of 1; image:fog: median " in told
    assert "never in 1" not in told.partition("limit:")[0]


def test_scores_that_are_all_equal_differ_by_nothing(tmp_path: Path) -> None:
    for step in range(1, 31):
        add_step(tmp_path, RUN, step)
    scores = [
        score(RUN, step, name, 5.0) for step in range(1, 31) for name in ("brisque", "noise_sigma")
    ]
    record(tmp_path, "scores", *scores)
    row = onset(tmp_path)
    assert (row.status, row.reason) == ("none", "no signal changed")
    index = open_index(tmp_path)
    cell = gap_table(index).cell("dongpo", "brisque", 20)
    index.close()
    assert (cell.gap, cell.failure, cell.within_noise, cell.effect) == (0.0, False, True, None)


def test_two_resolutions_in_one_group_are_said(tmp_path: Path) -> None:
    write(tmp_path, RUN, range(1, 21))
    write(tmp_path, "dongpo/replicate-4k/run-0", range(1, 21), grows_at=1)
    refresh(tmp_path)
    index = open_index(tmp_path)
    cell = gap_table(index).cell("dongpo", "brisque", 10)
    index.close()
    assert cell.n == 2 and "runs differ in pixel size" in cell.note
