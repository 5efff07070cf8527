"""The early frame: it stands where the main screen draws the same, and never stays behind."""

import io
import signal

import pyte
import pytest

from b100tui.terminal.facts import TerminalFacts
from b100tui.tui.early import LEAVE, can_draw, curtain, early_frame, theme_colours
from tests.tui.fake import explorer, first_paint, make_row, no_index, rows, screen_text


def drawn(frame: str, size: tuple[int, int]) -> list[str]:
    screen = pyte.Screen(*size)
    pyte.Stream(screen).feed(frame)
    return list(screen.display)


@pytest.mark.parametrize("size", [(120, 40), (120, 50), (170, 50), (100, 30)])
async def test_names_and_frame_stand_where_the_main_screen_draws_them(size):
    listed = rows()
    early = drawn(early_frame(first_paint(listed), "banana", size), size)
    app = explorer(first=first_paint(listed), open_catalogue=no_index)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        late = screen_text(app)
    assert early[0].rstrip() == late[0][: len(early[0].rstrip())]
    for before, after in zip(early[1:], late[1:], strict=True):
        box = before.rstrip().rstrip("│").rstrip()
        assert after.startswith(box)


async def test_groups_are_closed_as_the_main_screen_has_them():
    listed = rows(tuple(f"image-{n:02}" for n in range(20)))
    size = (120, 40)
    early = drawn(early_frame(first_paint(listed), "banana", size, listed[0].run), size)
    assert early[2].startswith("│▾ image-00") and early[6].startswith("│    2")
    assert "▸ image-01  6" in "\n".join(early)


def test_one_column_names_the_run_in_its_title():
    early = drawn(early_frame(first_paint(rows()), "banana", (80, 24)), (80, 24))
    assert early[1].startswith(" dongpo · replicate-2K") and not early[2].strip()


def test_foreign_names_carry_no_control_characters():
    frame = early_frame(
        first_paint([make_row("fo\x1b[31mg", "se\x07t", 0)]), "b\x1b]0;x\x07", (120, 40)
    )
    assert "\x1b[31m" not in frame and "\x07" not in frame and "\x1b]" not in frame


def test_a_theme_is_drawn_only_where_its_colours_can_be():
    exact = theme_colours("dark", TerminalFacts())
    assert "\x1b[0;48;2;" in early_frame(first_paint(rows()), "banana", (120, 40), "", exact)
    assert theme_colours("dark", TerminalFacts(colours=256)) == {}
    assert theme_colours("nowhere", TerminalFacts()) == {}


def test_nothing_is_drawn_without_runs_or_on_a_dumb_terminal():
    assert not can_draw(TerminalFacts(), None)
    assert not can_draw(TerminalFacts(), first_paint([]))
    assert not can_draw(TerminalFacts(graphics="text"), first_paint(rows()))


def test_a_failure_before_the_app_is_up_restores_the_screen():
    out = io.StringIO()
    with pytest.raises(ImportError), curtain(out) as raised:
        raised.draw("frame")
        raise ImportError
    assert out.getvalue().startswith("frame") and out.getvalue().endswith(LEAVE)


def test_a_signal_before_the_app_is_up_restores_the_screen_and_leaves():
    out = io.StringIO()
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as left, curtain(out) as raised:
        raised.draw("frame")
        signal.raise_signal(signal.SIGTERM)
    assert left.value.code == 128 + signal.SIGTERM and out.getvalue().endswith(LEAVE)
    assert signal.getsignal(signal.SIGTERM) == before


def test_once_the_app_is_up_it_restores_the_terminal_itself():
    out = io.StringIO()
    with curtain(out) as raised:
        raised.draw("frame")
        raised.lift()
    assert out.getvalue() == "frame"
