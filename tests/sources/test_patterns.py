import warnings

import pytest

from b100tui.model.errors import LayoutError
from b100tui.sources.mapping import parse_mapping
from b100tui.sources.patterns import endless_repeat
from tests.sources.test_mapping import PATTERN


@pytest.mark.parametrize(
    ("pattern", "group"),
    [
        (r"(?P<image>(a+)+)/step_(?P<step>\d+)\.png", "(a+)"),
        (r"(?:a|aa)*(?P<step>\d)", "(?:a|aa)"),
        (r"((?P<x>\d*)b?){2,}", r"((?P<x>\d*)b?)"),
        (r"(?:(?:x+))+", "(?:(?:x+))"),
        (r"(a?a)+", "(a?a)"),
        (r"([^/]+.)*", "([^/]+.)"),
    ],
)
def test_a_repeat_of_repeats_is_found(pattern: str, group: str) -> None:
    assert endless_repeat(pattern) == group


@pytest.mark.parametrize(
    "pattern",
    [
        PATTERN,
        r"(?:[^/]+/)*(?P<step>\d+)\.png",
        r"(?:[a-z]+_){3}(?P<step>\d+)",
        r"(?:\d{4}-)+(?P<step>\d+)\.(?:png|jpe?g)",
        r"[(+]*(?P<step>\d+)(?:_redo(?P<redo>\d+))?",
        r"\((?P<step>\d+)\)+",
    ],
)
def test_ordinary_patterns_may_stay(pattern: str) -> None:
    assert endless_repeat(pattern) is None


def test_a_mapping_that_could_take_for_ever_is_refused_by_its_line() -> None:
    text = "prefer = ['png']\nimage = '(?P<image>(a+)+)/(?P<step>\\d+)'"
    with pytest.raises(LayoutError, match=r"m line 2: image repeats \(a\+\)"):
        parse_mapping(text, "m")


def test_what_python_will_read_otherwise_one_day_is_an_error_not_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LayoutError, match="m line 1: image: Possible nested set"):
            parse_mapping("image = '[[a](?P<step>\\d+)'", "m")
