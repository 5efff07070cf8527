import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.text import clean, clean_line, csv_cell

# Everything a terminal may act on, or that reorders the words around it.
ACTING = {"Cc", "Cs", "Zl", "Zp"}
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
STARTS = ("\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x9b", "\x9d", "\x90", "31m", "0;", "8;;")
ENDS = ("\x07", "\x1b\\", "\x9c", "\r", "\n", "\r\n", "\t", "\x00", "\x7f", "\x85", "\u2028")
PIECES = st.sampled_from([*STARTS, *ENDS, "a", "é", "漢", " ", *sorted(BIDI)])
HOSTILE = st.lists(PIECES | st.text(max_size=3)).map("".join)


def acts(character: str) -> bool:
    return (
        unicodedata.category(character) in ACTING and character not in "\n\t"
    ) or character in BIDI


@given(HOSTILE)
def test_no_control_or_bidi_character_is_left(text: str) -> None:
    assert [c for c in clean(text) if acts(c)] == []


@given(HOSTILE)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(HOSTILE)
def test_a_cleaned_line_is_one_line(text: str) -> None:
    assert not set(clean_line(text)) & set("\n\t\r\v\f")


@given(st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="\ufeff")))
def test_plain_words_of_any_script_are_kept(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07name", "name"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;AAAA\x07paste", "paste"),
        ("\x1bP1$r0m\x1b\\dcs", "dcs"),
        ("\x1b_Gi=1;AAAA\x1b\\kitty", "kitty"),
        ("\x1b(Bcharset", "charset"),
        ("\x1bcreset", "reset"),
        ("over\x08\x08write", "overwrite"),
        ("a\rb", "ab"),
        ("dos\r\nline", "dos\nline"),
        ("evil\u202egnp.exe", "evilgnp.exe"),
        ("nul\x00l", "null"),
        ("\ufeffbom", "bom"),
        ("lone\udc80byte", "lonebyte"),
        ("keep\tthese\nboth", "keep\tthese\nboth"),
        ("[bold]markup is text[/bold]", "[bold]markup is text[/bold]"),
    ],
)
def test_escape_sequences_go_whole_and_words_stay(text: str, kept: str) -> None:
    assert clean(text) == kept


def test_an_unclosed_string_sequence_takes_no_later_line_along() -> None:
    assert "second" in clean("\x1b]0;never closed\nsecond")


def test_a_quote_of_windows_read_as_latin_1_takes_no_words_along() -> None:
    assert clean("a \x93plate\x94 and \x9dmore") == "a plate and more"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\x1b[0m=1+1", "'=1+1"),
        ("-9.8", "-9.8"),
        ("+3e-2", "+3e-2"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_a_csv_cell_is_never_a_formula(text: str, cell: str) -> None:
    assert csv_cell(text) == cell
