"""Answers of a hostile or broken terminal: facts in plain words, never keys, never an exception."""

from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.text import clean_line
from b100tui.terminal.facts import TerminalFacts, read_replies
from b100tui.terminal.probe import judge_late
from b100tui.terminal.replies import ReplyFilter
from tests.mutations import mutated

ANSWERS = (
    b"\x1bP>|xterm(390)\x1b\\\x1b[6;20;10t\x1b[?62;4;22c",
    b"\x1bP>|kitty(0.35.2)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;40;20t\x1b[?62;c",
    b"\x1bP>|iTerm2 3.5.0\x1b\\\x1b[6;32;16t\x1b[?62;4c",
)
PIECES = st.sampled_from(
    ["\x1b", "[", "P", "_", "\\", "6;", "?62;4", "c", "t", "q", "9" * 30, ">|evil", "\x07", "\x9b"]
)
ENVIRONMENT = {"TERM": "xterm-256color"}
PENDING = TerminalFacts(graphics="half", reason="late", pending=True)


def plain(facts: TerminalFacts) -> bool:
    return all(clean_line(text) == text for text in (facts.reason, facts.name))


def test_changed_answers_give_facts_in_plain_words() -> None:
    for seed, answer in enumerate(ANSWERS):
        for data in mutated(answer, 400, seed):
            read_replies(data)
            facts = judge_late(data, PENDING, ENVIRONMENT)
            assert plain(facts)
            assert 0 <= facts.cell_width < 1000
            assert 0 <= facts.cell_height < 1000


def test_a_number_of_thousands_of_digits_is_no_cell_size() -> None:
    facts = judge_late(b"\x1b[6;" + b"9" * 5000 + b";20t\x1b[?62;4c", PENDING, ENVIRONMENT)
    assert (facts.cell_width, facts.cell_height) == (10, 20)


@given(st.binary(max_size=200))
def test_any_bytes_give_facts_in_plain_words(data: bytes) -> None:
    assert plain(judge_late(data, PENDING, ENVIRONMENT))


@given(st.lists(PIECES, max_size=40))
def test_input_is_split_into_typed_and_taken_and_nothing_is_lost(pieces: list[str]) -> None:
    replies = ReplyFilter()
    typed = "".join(replies.feed(piece) for piece in pieces) + replies.flush()
    assert sorted(typed + replies.take()) == sorted("".join(pieces))


def test_an_answer_without_an_end_is_not_held_for_ever() -> None:
    replies = ReplyFilter()
    held = 0
    for _ in range(100):
        replies.feed("\x1bP" + "x" * 1000)
        held = max(held, len(replies.flush()))
    assert held <= 3 * 4096
