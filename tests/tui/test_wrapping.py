"""Text in cells: wrapping, cutting, finding."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from b100tui.tui.wrapping import find_words, fit, wrap


@given(st.text(alphabet="ab 漢字é\n", max_size=80), st.integers(2, 30))
def test_no_line_is_wider_than_asked(text, width):
    assert all(cell_len(line) <= width for line in wrap(text, width))


@given(st.text(alphabet="ab 漢字é", max_size=80), st.integers(2, 30))
def test_wrapping_loses_no_character_but_blanks(text, width):
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())


@given(st.text(alphabet="ab漢é", max_size=30), st.integers(1, 12))
def test_fit_fills_exactly_the_width(text, width):
    assert cell_len(fit(text, width)) == width


def test_own_newlines_stay():
    assert wrap("one\n\ntwo", 20) == ["one", "", "two"]


def test_words_are_found_in_any_case_and_overlaps_joined():
    assert find_words("Plate plates", ("plate", "ates")) == [(0, 5), (6, 12)]


def test_no_words_find_nothing():
    assert find_words("plate", ()) == []
