from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.records import Section
from b100tui.model.sections import sections_of, split_sections


def test_bold_lines_are_titles() -> None:
    text = "**Examining the Dish**\n\nI look at\nthe plate.\n\n\n**Final Check**\n\nAll **fine**.\n"
    assert split_sections(text) == (
        Section("Examining the Dish", "I look at\nthe plate."),
        Section("Final Check", "All **fine**."),
    )


def test_markdown_headings_are_titles() -> None:
    assert split_sections("# One\ntext\n### Two ##\nmore") == (
        Section("One", "text"),
        Section("Two", "more"),
    )


def test_words_before_the_first_title_have_none() -> None:
    assert split_sections("hello\n**A**\nb") == (Section("", "hello"), Section("A", "b"))


def test_plain_text_is_one_section() -> None:
    assert split_sections("just words") == (Section("", "just words"),)


def test_bold_words_inside_a_line_are_text() -> None:
    assert split_sections("**Bold** start of a line") == (Section("", "**Bold** start of a line"),)


def test_heading_in_a_code_fence_is_text() -> None:
    assert split_sections("**A**\n```\n# no title\n```") == (Section("A", "```\n# no title\n```"),)


def test_windows_line_ends_are_line_ends() -> None:
    assert split_sections("**A**\r\n\r\nx\r\n") == (Section("A", "x"),)


def test_nothing_is_no_section() -> None:
    assert split_sections(" \n\n") == ()


def test_escape_sequences_do_not_survive() -> None:
    assert split_sections("**A\x1b[31m**\n\x9b2Jx\u202e") == (Section("A", "x"),)


def test_parts_without_text_are_left_out() -> None:
    parts = ["**A**\nx", {"text": "y"}, {"inline_data": "..."}, {"text": None}, 5]
    assert sections_of(parts) == (Section("A", "x"), Section("", "y"))


@given(st.text(alphabet="ab*#_ \n`~", max_size=200))
def test_no_word_is_lost(text: str) -> None:
    told = "".join(section.title + section.text for section in split_sections(text))
    assert sum(told.count(letter) for letter in "ab") == sum(text.count(letter) for letter in "ab")
