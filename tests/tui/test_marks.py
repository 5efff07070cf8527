"""Choosing failure modes by key, and regions by cells."""

import pytest

from b100tui.report.marks import modes
from b100tui.tui.marking import LEVELS, Placed, mode_name, pressed, window

MODES = modes()
# A 1408 x 768 picture drawn on 88 x 24 cells: 16 x 32 source pixels a cell.
PLACED = Placed(cells=(10, 5, 88, 24), source=(0, 0, 1408, 768), size=(1408, 768))


def test_a_digit_is_a_level_and_a_letter_a_mode_of_it():
    assert pressed(MODES, None, "3") == "image"
    assert pressed(MODES, "image", "n").id == "persistent-noise"
    assert pressed(MODES, "tag", "n").id == "noise"


def test_a_letter_before_a_level_means_nothing():
    assert pressed(MODES, None, "n") is None


def test_another_digit_changes_the_level():
    assert pressed(MODES, "image", "2") == "object"


def test_every_mode_can_be_reached_by_two_keys():
    reached = {pressed(MODES, one.level, one.key).id for one in MODES}
    assert reached == {one.id for one in MODES}
    assert {one.level for one in MODES} == set(LEVELS)


def test_own_tags_are_called_by_their_word():
    assert mode_name(MODES, "tag:moire") == "moire"
    assert mode_name(MODES, "counting") == "counting failure"


def test_cells_become_source_pixels():
    assert PLACED.region((10, 5, 88, 24)) == (0, 0, 1408, 768)
    assert PLACED.region((12, 6, 4, 2)) == (32, 32, 64, 64)


def test_a_zoomed_region_lies_in_the_window():
    zoomed = Placed(cells=(0, 0, 40, 20), source=(100, 200, 80, 80), size=(1408, 768))
    assert zoomed.region((10, 5, 20, 10)) == (120, 220, 40, 40)


@pytest.mark.parametrize("box", [(-50, -50, 400, 400), (90, 28, 50, 50), (0, 0, 0, 0)])
def test_a_box_stays_on_the_picture(box):
    x, y, width, height = PLACED.inside(box)
    assert x >= 10 and x + width <= 98 and y >= 5 and y + height <= 29
    left, top, wide, high = PLACED.region((x, y, width, height))
    assert left >= 0 and top >= 0 and left + wide <= 1408 and top + high <= 768


def test_two_corners_in_any_order_make_the_same_box():
    assert (
        PLACED.between((20, 10), (30, 15)) == PLACED.between((30, 15), (20, 10)) == (20, 10, 11, 6)
    )


def test_a_fitted_picture_is_wholly_in_view():
    assert window((1408, 768), 0, None, (160, 48)) == (0, 0, 1408, 768)


def test_a_zoomed_picture_shows_what_lies_around_its_centre():
    assert window((1408, 768), 2, (700, 400), (160, 48)) == (660, 388, 80, 24)
    assert window((1408, 768), 1, (5, 5), (160, 48)) == (0, 0, 160, 48)
