"""Plain words are matched at once, conditions go to the index."""

import pytest

from b100tui.tui.filtering import has_conditions


@pytest.mark.parametrize("text", ["dongpo", "fog rotate", "run-1", "replicate-2K", ""])
def test_words_need_no_index(text):
    assert not has_conditions(text)


@pytest.mark.parametrize(
    "text",
    ["image:dongpo", "brisque.gap>0", "onset<8", "fog OR moss", '"free words"', "-fog", "(a b)"],
)
def test_conditions_do(text):
    assert has_conditions(text)
