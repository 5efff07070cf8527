"""Late answers leave the input; what was typed stays, wherever reads are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.terminal.replies import ReplyFilter

ANSWERS = (
    "\x1b_Gi=31;OK\x1b\\",
    "\x1bP>|XTerm(379)\x1b\\",
    "\x1b[6;20;10t",
    "\x1b[?62;4;22c",
    "\x1b[>41;379;0c",
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_between_keys_is_taken_out(answer: str) -> None:
    replies = ReplyFilter()
    assert replies.feed(f"a{answer}b\x1b[C") == "ab\x1b[C"
    assert replies.take() == answer
    assert replies.take() == ""


@given(st.lists(st.sampled_from((*ANSWERS, "q", "\x1b[C", "\x1b[1;5A")), max_size=8), st.data())
def test_cuts_between_reads_do_not_matter(parts: list[str], data: st.DataObject) -> None:
    whole = "".join(parts)
    # Inside ESC [ a key is waited for by Textual's parser; only other places are cut here.
    places = [n for n in range(len(whole) + 1) if whole[n - 1 : n] not in {"\x1b", "["}]
    cut = data.draw(st.sampled_from(places))
    replies = ReplyFilter()
    typed = replies.feed(whole[:cut]) + replies.feed(whole[cut:]) + replies.flush()
    assert typed == "".join(part for part in parts if part not in ANSWERS)


def test_a_cell_size_cut_after_its_first_digit_is_still_an_answer() -> None:
    replies = ReplyFilter()
    assert replies.feed("\x1b[6") + replies.feed(";20;10t") == ""
    assert replies.take() == "\x1b[6;20;10t"


def test_page_down_cut_after_its_digit_is_still_a_key() -> None:
    replies = ReplyFilter()
    assert replies.feed("\x1b[6") + replies.feed("~") == "\x1b[6~"


@pytest.mark.parametrize("key", ["\x1b", "\x1b[", "\x1bO", "\x1b[A", "\x1b[200~text\x1b[201~"])
def test_keys_pass_at_once(key: str) -> None:
    assert ReplyFilter().feed(key) == key


def test_alt_p_is_a_key_once_nothing_follows() -> None:
    replies = ReplyFilter()
    assert replies.feed("\x1bP") == ""
    assert replies.flush() == "\x1bP"
