"""What each looking and comparing key changes, and what the pipeline is asked for then."""

import pytest
from msgspec.structs import replace

from b100tui.model.records import PictureRef
from b100tui.terminal.targets import FIT
from b100tui.tui.look import Look

REFERENCE = PictureRef("step-1.png")
SIZE = (1000, 600)


def test_a_plain_look_is_the_fitted_picture() -> None:
    assert Look().view(REFERENCE) == FIT


def test_zoom_goes_from_fit_to_eight_and_back() -> None:
    look, seen = Look(), []
    for by in (1, 1, 1, 1, 1, -1, -1, -1, -1, -1):
        look = look.zoomed(by)
        seen.append(look.zoom)
    assert seen == [1, 2, 4, 8, 8, 4, 2, 1, 0, 0]


def test_fitted_again_the_centre_is_forgotten() -> None:
    look = Look(zoom=1, centre=(10, 10)).zoomed(-1)
    assert (look.centre, look.view(REFERENCE)) == (None, FIT)


@pytest.mark.parametrize(
    ("shift", "centre"),
    [
        ((0, 0), (500, 300)),
        ((30, -20), (530, 280)),
        ((-9999, 0), (100, 300)),
        ((0, 9999), (500, 550)),
    ],
)
def test_a_window_of_200_by_100_stays_inside_the_picture(
    shift: tuple[int, int], centre: tuple[int, int]
) -> None:
    assert Look(zoom=4).panned(shift, (200, 100), SIZE).centre == centre


def test_a_picture_smaller_than_the_window_stays_in_its_middle() -> None:
    assert Look(zoom=1).panned((50, 50), (2000, 2000), SIZE).centre == (500, 300)


def test_flicker_shows_the_reference_in_the_steps_place_and_looks_the_same_way() -> None:
    look = Look(zoom=4, centre=(9, 9), channel="r", residual=True)
    step, other = look.flickering_step(REFERENCE), look.view(REFERENCE, flickering=True)
    assert (other.show, other.reference, step.show) == ("reference", REFERENCE, "")
    assert replace(other, show="") == step


def test_differences_go_absolute_signed_off() -> None:
    look = Look().next_difference()
    assert look.view(REFERENCE).difference == "abs"
    look = look.next_difference()
    assert look.view(REFERENCE).difference == "signed"
    assert look.next_difference().view(REFERENCE) == FIT


def test_without_a_reference_nothing_is_compared() -> None:
    assert Look(difference="abs", compare="side", align=True).view(None) == FIT


def test_gain_counts_only_where_it_shows() -> None:
    assert Look().amplified(1).view(REFERENCE) == FIT
    assert Look(difference="abs").amplified(1).view(REFERENCE).gain == 8.0


def test_escape_takes_one_level_after_the_other() -> None:
    look: Look | None = Look(zoom=4, channel="r", compare="side", difference="abs")
    levels = []
    while look is not None:
        levels.append((look.difference, look.compare, look.channel, look.zoom))
        look = look.back()
    assert levels == [
        ("abs", "side", "r", 4),
        ("", "side", "r", 4),
        ("", "", "r", 4),
        ("", "", "", 4),
        ("", "", "", 0),
    ]


def test_the_loupe_ends_with_the_run_unless_it_is_kept() -> None:
    zoomed = Look(zoom=4, centre=(9, 9), channel="r")
    assert zoomed.in_another_run() == Look(channel="r")
    kept = Look(zoom=4, centre=(9, 9), keep=True)
    assert kept.in_another_run() == kept


def test_the_split_line_stays_in_the_picture() -> None:
    look = Look(compare="split")
    for _ in range(30):
        look = look.line_moved(1)
    assert look.view(REFERENCE).split == 1.0
