"""From a terminal's answers to the choice: what was seen on real terminals, and the traps."""

import pytest

from b100tui.terminal.facts import (
    TRUE_COLOUR,
    Replies,
    Tmux,
    choose_graphics,
    colour_depth,
    plausible_cell,
    read_replies,
)


def test_answers_are_taken_apart() -> None:
    data = b"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.41.1)\x1b\\\x1b[6;19;9t\x1b[?62;4;52c"
    assert read_replies(data) == Replies(
        complete=True, kitty=True, sixel=True, name="kitty(0.41.1)", cell=(9, 19)
    )


def test_without_the_answer_asked_last_they_are_not_complete() -> None:
    assert not read_replies(b"\x1b_Gi=31;OK\x1b\\").complete


def test_parameter_64_is_no_sixel() -> None:
    assert not read_replies(b"\x1b[?64;1;42c").sixel


def replies(name: str, *, kitty: bool = False, sixel: bool = False) -> Replies:
    return Replies(complete=True, kitty=kitty, sixel=sixel, name=name)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (replies("kitty(0.41.1)", kitty=True), "kitty"),
        (replies("kitty(0.26.5)", kitty=True), "half"),
        (replies("ghostty 1.1.0", kitty=True), "kitty"),
        (replies("XTerm(379)", sixel=True), "sixel"),
        (replies("XTerm(379)"), "half"),
        (replies("Konsole 22.12.3", kitty=True, sixel=True), "sixel"),
        (replies("WezTerm 20240203", kitty=True, sixel=True), "iterm"),
        (replies("iTerm2 3.5.0", sixel=True), "iterm"),
        (replies("Warp", kitty=True), "half"),
        (replies(""), "half"),
    ],
)
def test_outside_tmux_the_terminal_decides(answers: Replies, expected: str) -> None:
    assert choose_graphics(answers, None)[0] == expected


@pytest.mark.parametrize(
    ("answers", "tmux", "expected"),
    [
        (replies("tmux 3.5a", kitty=True), Tmux(name="kitty(0.41.1)", term="xterm-kitty"), "kitty"),
        (replies("tmux 3.5a", kitty=True), Tmux(term="xterm-kitty"), "kitty"),
        # tmux built with sixel says so itself, in a terminal that has none.
        (replies("tmux 3.5a", sixel=True), Tmux(name="kitty(0.41.1)", term="xterm-kitty"), "half"),
        (replies("tmux 3.5a", sixel=True), Tmux(name="XTerm(379)", features="256,sixel"), "sixel"),
        (replies("tmux 3.5a", sixel=True), Tmux(name="XTerm(379)", features="256"), "half"),
        (replies("tmux 3.3a"), Tmux(name="XTerm(379)"), "half"),
        (replies("tmux 3.3a"), Tmux(), "half"),
    ],
)
def test_inside_tmux_the_outer_terminal_decides(
    answers: Replies, tmux: Tmux, expected: str
) -> None:
    assert choose_graphics(answers, tmux)[0] == expected


def test_a_closed_passthrough_names_its_fix() -> None:
    _, reason = choose_graphics(replies("tmux 3.5a"), Tmux(term="xterm-kitty"))
    assert "allow-passthrough on" in reason


@pytest.mark.parametrize(
    ("environment", "name", "expected"),
    [
        ({"TERM": "xterm-256color"}, "", 256),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "", TRUE_COLOUR),
        ({"TERM": "xterm-256color"}, "XTerm(379)", TRUE_COLOUR),
        ({"TERM": "xterm-256color"}, "XTerm(300)", 256),
        ({"TERM": "linux"}, "XTerm(379)", 16),
        ({"TERM": "xterm-kitty"}, "", TRUE_COLOUR),
        ({"TERM": "linux"}, "", 16),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, "", 2),
    ],
)
def test_colours_follow_environment_and_name(
    environment: dict[str, str], name: str, expected: int
) -> None:
    assert colour_depth(environment, name) == expected


def test_in_tmux_24_bits_need_its_rgb_feature() -> None:
    environment = {"TERM": "tmux-256color"}
    assert colour_depth(environment, "tmux 3.5a", Tmux(features="256,RGB")) == TRUE_COLOUR
    assert colour_depth(environment, "tmux 3.5a", Tmux(features="256")) == 256


@pytest.mark.parametrize("cell", [(0, 0), (1, 1), (100, 20), (20, 10), (10, 200)])
def test_a_cell_no_font_could_have_becomes_the_default(cell: tuple[int, int]) -> None:
    assert plausible_cell(*cell) == (10, 20)


def test_a_usual_cell_is_kept() -> None:
    assert plausible_cell(9, 19) == (9, 19)
