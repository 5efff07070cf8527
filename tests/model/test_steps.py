import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.errors import UsageError
from b100tui.model.steps import parse_steps

HAVE = list(range(0, 101))
NUMBERS = st.integers(0, 200)
STEPS = st.lists(NUMBERS, max_size=60)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1,5,10", [1, 5, 10]),
        ("5,1", [1, 5]),
        ("10-13", [10, 11, 12, 13]),
        ("98-", [98, 99, 100]),
        ("-2", [0, 1, 2]),
        ("1,10-12,99-", [1, 10, 11, 12, 99, 100]),
        ("1,1-2,2", [1, 2]),
        (" 1 , 5 ", [1, 5]),
        ("every:50", [0, 50, 100]),
        ("every:1", HAVE),
        ("500", []),
    ],
)
def test_the_notation_selects_steps_in_order(text: str, wanted: list[int]) -> None:
    assert parse_steps(text)(HAVE) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        "1,,2",
        "-",
        "a",
        "1-2-3",
        "1.5",
        "every:",
        "every:0",
        "every:x",
        "5-2",
        "1;2",
        "9" * 5000,
        "every:" + "9" * 5000,
    ],
)
def test_what_cannot_be_read_is_wrong_use_and_quoted(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_steps(text)
    assert repr(text) in caught.value.message
    assert caught.value.hint


@given(STEPS, st.lists(NUMBERS, min_size=1, max_size=8))
def test_a_list_selects_exactly_those_that_are_there(have: list[int], wanted: list[int]) -> None:
    text = ",".join(map(str, wanted))
    assert parse_steps(text)(have) == sorted(set(have) & set(wanted))


@given(STEPS, NUMBERS, NUMBERS)
def test_a_span_holds_both_ends(have: list[int], one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert parse_steps(f"{low}-{high}")(have) == sorted({s for s in have if low <= s <= high})


@given(STEPS, st.integers(1, 50))
def test_a_stride_selects_its_multiples(have: list[int], stride: int) -> None:
    assert parse_steps(f"every:{stride}")(have) == sorted({s for s in have if s % stride == 0})


@given(st.text(max_size=12))
def test_any_text_selects_or_is_wrong_use(text: str) -> None:
    try:
        selected = parse_steps(text)(HAVE)
    except UsageError:
        return
    assert selected == sorted(set(selected))
