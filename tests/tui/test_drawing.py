"""Sparklines and numbers as characters."""

import pytest

from b100tui.tui.drawing import ABSENT, cell_of, grouped, levels, number, plural, size, spark


def test_a_rising_series_rises_from_the_lowest_to_the_highest_block():
    values = {step: float(step) for step in range(8)}
    assert spark(levels(values, 0, 7, 8)) == "▁▂▃▄▅▆▇█"


def test_a_narrow_spark_shows_means():
    assert levels({0: 0.0, 1: 2.0, 2: 8.0, 3: 8.0}, 0, 3, 2) == (0, 7)


def test_a_step_without_a_value_leaves_a_hole():
    assert levels({0: 0.0, 2: 1.0}, 0, 2, 3) == (0, ABSENT, 7)


def test_a_flat_series_sits_in_the_middle():
    assert set(levels({0: 5.0, 1: 5.0}, 0, 1, 2)) == {3}


def test_nothing_has_no_levels_but_holes():
    assert levels({}, 0, 3, 4) == (ABSENT,) * 4


@pytest.mark.parametrize("width", [1, 7, 24, 100])
def test_a_value_shows_in_the_cell_of_its_step(width):
    for step in (0, 13, 42, 99):
        cells = levels({step: 1.0}, 0, 99, width)
        assert [at for at, level in enumerate(cells) if level != ABSENT] == [
            cell_of(step, 0, 99, width)
        ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(34.06, "34.1"), (-9.8, "-9.80"), (0.7123, "0.712"), (0.0, "0.00"), (1234.6, "1235"),
     (1.5e9, "1.5e9"), (2.5e-4, "2.5e-4"), (-2.5e-7, "0.00"), (-1.5e12, "-1.5e12"),
     (-1.5e300, "-2e300")],
)  # fmt: skip
def test_a_number_has_about_three_digits_and_fits_seven_cells(value, shown):
    assert number(value) == shown and len(shown) <= 7


def test_counts_are_grouped_and_plural():
    assert (grouped(28000), plural(1, "run"), plural(280, "run")) == ("28 000", "1 run", "280 runs")


@pytest.mark.parametrize(
    ("count", "shown"),
    [(999, "999 B"), (58_000, "58 kB"), (1_500_000, "1.5 MB"), (2_300_000_000_000, "2300 GB")],
)
def test_bytes_read_as_a_person_says_them(count, shown):
    assert size(count) == shown
