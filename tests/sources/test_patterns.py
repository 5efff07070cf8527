import re
import warnings

import pytest

from b100tui.model.errors import LayoutError
from b100tui.sources.mapping import parse_mapping
from b100tui.sources.patterns import MOST_FREE, endless_repeat, free_repeats
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


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        (r".*.*.*(?P<step>\d+)\.png", 3),
        (r"(?P<image>.+)_(?P<recipe>.+)_(?P<step>\d+)\.png", 2),
        (r"(?P<image>[^/]+)/(?P<run>[^/]+)/(?P<step>\d+)\.png", 0),
        (r"[a-z]*[a-z]*[a-z]*[a-z]*x(?P<step>\d+)", 4),
        (r"\w+\w+\d+(?P<step>\d+)", 3),
        (r"(.*)(.*)(.*)(.*)(?P<step>\d+)", 4),
        (PATTERN, 0),
    ],
)
def test_repeats_that_may_end_anywhere_are_counted(pattern: str, count: int) -> None:
    assert len(free_repeats(pattern)) == count


@pytest.mark.parametrize("pattern", [".*.*.*.*", "(?:.*)(?:.*)(?:.*)(?:.*)", r"\w*\w*\w*\w*"])
def test_a_mapping_of_many_open_repeats_is_refused_by_its_line(pattern: str) -> None:
    text = f"prefer = ['png']\nimage = '{pattern}(?P<step>\\d+)'"
    with pytest.raises(LayoutError, match="m line 2: image has 4 open repeats") as told:
        parse_mapping(text, "m")
    assert told.value.hint


def test_the_most_open_repeats_that_may_stay_end_soon_on_a_long_name() -> None:
    rule = re.compile(r".*.*.*(?P<step>\d+)\.png")
    assert len(free_repeats(rule.pattern)) == MOST_FREE
    assert rule.fullmatch("1" * 250 + ".pnx") is None


def test_a_mapping_of_very_many_options_is_refused_by_its_line() -> None:
    text = f"image = '{'a?' * 30}{'a' * 30}(?P<step>\\d+)'"
    with pytest.raises(LayoutError, match="m line 1: image has 30 choices and options"):
        parse_mapping(text, "m")
