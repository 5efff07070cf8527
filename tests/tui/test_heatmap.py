"""The heatmap's rows, columns, cells and tallies, from planted gaps."""

import pytest
from msgspec.structs import replace

from b100tui.analysis.gaps import RunScores, score_gap
from b100tui.metrics.registry import metric
from b100tui.tui.analyst import GapsAsked
from b100tui.tui.heatmap import (
    CELL,
    View,
    cell_words,
    gap_words,
    lens_words,
    make_grid,
    next_lens,
    short,
    short_raw,
)
from b100tui.tui.widgets.heatmap_grid import wrap_name
from tests.tui.analyst_fake import make_table

TABLE = make_table(GapsAsked())
OVERLAY = View(lens=3)


def gap(name, first, later, step=5):
    runs = [RunScores(run="r", values={1: first, step: later})]
    return score_gap(metric(name), runs, step)


def test_lenses_go_through_the_steps_and_the_overlay_and_around():
    view, seen = View(), []
    for _ in range(5):
        seen.append(lens_words(TABLE, view))
        view = replace(view, lens=next_lens(TABLE, view))
    assert seen == ["Δ5", "Δ10", "Δ20", "overlay Δ5+10+20", "Δ5"]


def test_a_failure_has_a_sign_and_a_blue_shade():
    # BRISQUE 0 to 150, lower is better: 30 lower is 20 points better.
    words = gap_words(gap("brisque", 75.0, 45.0))
    assert words.text.strip() == "+20.0 ✗" and words.style == "heat--fail3"


def test_a_metric_that_gets_worse_has_no_sign():
    words = gap_words(gap("brisque", 45.0, 75.0))
    assert words.text.strip() == "-20.0" and words.style == "heat--fine"


def test_a_missing_score_is_a_dash():
    words = gap_words(gap("brisque", 45.0, None))
    assert words.text.strip() == "–" and words.style == "heat--none"


def test_an_unknown_direction_is_never_a_failure():
    words = gap_words(gap("lab_l", 40.0, 60.0))
    assert "✗" not in words.text and words.style == "heat--dim"


def test_an_open_range_fails_by_its_raw_gap():
    # PI is open above, lower is better: a fall of 2 is a failure of 2 raw units.
    words = gap_words(gap("pi", 6.0, 4.0))
    assert words.text.strip() == "+2.00 ✗" and words.style == "heat--fail2"


def test_a_gap_within_noise_says_so():
    # Rice, MUSIQ: repeats change by -1.9, +0.1 and +2.1 a step; their mean is inside the spread.
    words = cell_words(TABLE, View(lens=2), "rice", "musiq")
    assert words.text.startswith(" +1.9~✗") and words.style == "heat--fail1"


def test_partial_coverage_says_so():
    runs = [
        RunScores(run="a", values={1: 75.0, 5: 60.0}),
        RunScores(run="b", values={1: 75.0}),
    ]
    assert gap_words(score_gap(metric("brisque"), runs, 5)).text == "+10.0 ✗°"


def test_the_overlay_counts_the_steps_that_fail():
    assert cell_words(TABLE, OVERLAY, "fog", "brisque").text.split() == ["3", "✗✗✗"]
    assert cell_words(TABLE, OVERLAY, "dongpo", "musiq").text.strip() == "0"
    assert cell_words(TABLE, OVERLAY, "rice", "niqe").text.strip() == "–"


@pytest.mark.parametrize("view", [View(), OVERLAY, View(unit="effect")])
def test_every_cell_is_equally_wide(view):
    texts = [cell_words(TABLE, view, g, m.id).text for g in TABLE.groups for m in TABLE.metrics]
    assert {len(text) for text in texts} == {CELL}


def test_tallies_count_failing_of_judged_cells():
    grid = make_grid(TABLE, OVERLAY)
    assert [one.words for one in grid.row_tallies] == ["9/9", "6/9", "0/6"]
    assert [one.words for one in grid.column_tallies] == ["3/9", "6/9", "6/6"]
    assert grid.total.words == "15/24"


def test_short_group_names_stand_above_long_ones_before_the_rows():
    assert make_grid(TABLE, View()).down == "metrics"
    long = replace(TABLE, groups=("dongpo/replicate-2k-nano-banana-pro",))
    cells = {(long.groups[0], m, s): TABLE.cells["dongpo", m, s] for _, m, s in TABLE.cells}
    assert make_grid(replace(long, cells=cells), View()).down == "groups"


def test_turning_keeps_every_cell():
    one, other = make_grid(TABLE, View(down="metrics")), make_grid(TABLE, View(down="groups"))
    assert (one.rows, one.columns) == (other.columns, other.rows)
    assert one.place(1, 2) == other.place(2, 1) == ("rice", "musiq")


def test_most_failures_come_first_on_both_axes():
    grid = make_grid(TABLE, View(lens=3, sort="failures"))
    assert grid.rows == ("brisque", "musiq", "niqe")
    assert grid.columns == ("fog", "rice", "dongpo")


def test_the_largest_gap_comes_first():
    # At step 20 MUSIQ gains 9.5 points in fog, 1.9 in rice, loses 19 in dongpo.
    view = View(lens=2, sort="worst", words="musiq")
    assert make_grid(TABLE, view).columns == ("fog", "rice", "dongpo")


def test_names_sort_without_regard_to_case():
    assert make_grid(TABLE, View(sort="name")).rows == ("brisque", "musiq", "niqe")


def test_words_narrow_the_axis_that_knows_them():
    grid = make_grid(TABLE, View(words="NIQE fog"))
    assert (grid.rows, grid.columns) == (("niqe",), ("fog",))


def test_words_that_nothing_knows_leave_nothing():
    assert not make_grid(TABLE, View(words="zebra")).columns


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.04, "+0.0"), (-0.04, "-0.0"), (0.0, "0.0"), (-99.96, "-100"), (123456.0, "+1e5")],
)
def test_numbers_take_five_cells_and_keep_the_sign_of_the_unrounded(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123, "+.012"), (-0.5, "-.500"), (4.5, "+4.50"), (-92.7, "-92.7"), (-0.0004, "-4e-4")],
)
def test_gaps_in_a_metrics_own_units_keep_their_digits(value, text):
    assert short_raw(value) == text


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("fog", ["fog"]),
        ("building", ["buildi…"]),
        ("building/replicate-2K", ["buildi…", "replic…"]),
        ("dongpo/replicate-2K", ["dongpo/", "replic…"]),
        ("TOPIQ-NR ↑", ["TOPIQ-", "NR ↑"]),
    ],
)
def test_a_column_head_never_breaks_a_word(name: str, lines: list[str]):
    assert wrap_name(name, 7) == lines
