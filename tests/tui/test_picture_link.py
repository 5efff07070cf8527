"""The picture widget on its driver, at a fake terminal: uploads, deletes, order, restoring."""

import os
import re
import signal
from pathlib import Path

import pytest
from PIL import Image

from tests.terminal.fake_terminal import ANSWERS, FakeTerminal
from tests.terminal.pictures import gradient, read_sixel

RIGHT, LEFT = "\x1b[C", "\x1b[D"
SYNC, SYNC_END = "\x1b[?2026h", "\x1b[?2026l"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for n in range(4):
        gradient(160 + n, 100).save(tmp_path / f"{n}.png")
    return tmp_path


def start(kind: str, root: Path, *, places: bool = True) -> FakeTerminal:
    return FakeTerminal(kind, "tests.terminal.picture_app", str(root), places=places)


def typed(root: Path) -> list[str]:
    file = root / "keys"
    return file.read_text().split() if file.exists() else []


def test_kitty_pictures_go_up_once_and_are_freed_at_the_end(root: Path) -> None:
    with start("kitty", root) as terminal:
        terminal.wait_for("SHOWN 0 kitty")
        here = terminal.press(RIGHT)
        terminal.wait_for("SHARP 1", here)
        terminal.settle()
        here = terminal.press(LEFT)
        terminal.wait_for("SHARP 0", here)
        terminal.settle()
        here = terminal.press(RIGHT)
        terminal.wait_for("SHOWN 1 kitty", here)
        assert terminal.uploads(here) == []
        terminal.press("q")
        assert terminal.finish() == 0
        assert sorted(terminal.deletes()) == sorted(terminal.uploads())
        assert len(set(terminal.uploads())) == len(terminal.uploads())
        assert terminal.restored


def test_a_kitty_upload_is_complete_before_its_placeholders(root: Path) -> None:
    with start("kitty", root) as terminal:
        terminal.wait_for("SHOWN 0 kitty")
        text = terminal.text()
        number = terminal.uploads()[0]
        ink = f"\x1b[38;2;{number >> 16};{number >> 8 & 255};{number & 255}m\U0010eeee"
        upload = text.index(f"i={number},")
        assert text.index("m=0", upload) < text.index(ink)
        inside = text[upload : text.index("m=0", upload)]
        assert "\U0010eeee" not in inside


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_a_clean_terminal(root: Path, number: signal.Signals) -> None:
    with start("kitty", root) as terminal:
        terminal.wait_for("SHOWN 0 kitty")
        os.kill(terminal.process.pid, number)
        assert terminal.finish() == 128 + number
        assert sorted(terminal.deletes()) == sorted(terminal.uploads())
        assert terminal.restored


def test_a_crash_leaves_a_clean_terminal_and_says_so(root: Path) -> None:
    with start("kitty", root) as terminal:
        terminal.wait_for("SHOWN 0 kitty")
        terminal.press("x")
        assert terminal.finish() == 1
        assert sorted(terminal.deletes()) == sorted(terminal.uploads())
        assert terminal.restored
        assert "a crash that was asked for" in terminal.text()


def sixels(text: str) -> list[str]:
    return re.findall(r"\x1bP0;0;0q.*?\x1b\\", text, re.DOTALL)


def test_a_sixel_step_is_one_synchronised_write_of_the_picture(root: Path) -> None:
    app = "tests.terminal.picture_app"
    with FakeTerminal("sixel", app, str(root), environment={"LINK": "fast"}) as terminal:
        terminal.wait_for("SHOWN 0 sixel")
        here = terminal.press(RIGHT)
        terminal.wait_for("SHOWN 1 sixel", here)
        text = terminal.text(here)
        shown = sixels(text)[0]
        before = text[: text.index(shown)]
        assert before.rindex(SYNC) > before.rfind(SYNC_END)
        picture = read_sixel(shown)
        assert picture.height <= 23 * 20
        red, green, _ = picture.getpixel((picture.width - 2, 2))
        assert (red > 200, green < 60) == (True, True)


def test_another_font_draws_the_picture_anew_in_its_pixels(root: Path) -> None:
    with start("sixel", root) as terminal:
        terminal.wait_for("SHARP 0")
        terminal.settle()
        here = terminal.resize(80, 24, cell=(12, 25))
        terminal.wait_for("SHARP 0", here)
        terminal.settle()
        shown = read_sixel(sixels(terminal.text(here))[-1])
        # The old pixels go, and the text beside the picture is written anew.
        assert "AT 0" in terminal.text(here).partition("\x1b[2J")[2]
        # 160x100 pixels in 80x23 cells of 12x25 pixels: 920x575, in whole cells and sixel bands.
        assert shown.size == (924, 570)


KITTY, XTERM = ("kitty(0.41.1)", "xterm-kitty", "RGB"), ("XTerm(379)", "xterm", "sixel")


def attach(root: Path, client: int, outer: tuple[str, str, str]) -> None:
    new = root / "attached.new"
    new.write_text("\t".join((*outer, "10", "20", str(client), "on")) + "\n")
    new.replace(root / "attached")


@pytest.fixture
def in_tmux(root: Path) -> dict[str, str]:
    """The environment of a session that is shown in a kitty."""
    attach(root, 1, KITTY)
    tmux = root / "bin" / "tmux"
    tmux.parent.mkdir()
    tmux.write_text(f"#!/bin/sh\ncat '{root}/attached'\n")
    tmux.chmod(0o755)
    return {"TMUX": "here", "PATH": f"{tmux.parent}:{os.environ['PATH']}"}


def test_a_session_attached_in_another_kitty_gets_its_pictures_again(
    root: Path, in_tmux: dict[str, str]
) -> None:
    app = "tests.terminal.picture_app"
    with FakeTerminal("kitty", app, str(root), environment=in_tmux) as terminal:
        terminal.wait_for("SHARP 0")
        terminal.settle()
        here = terminal.resize(80, 24)
        terminal.settle()
        assert "a=T" not in terminal.text(here)  # the same client has its pictures
        attach(root, 2, KITTY)
        here = terminal.resize(80, 24)
        terminal.wait_for("a=T.*SHOWN 0 kitty", here)


def test_a_session_attached_in_a_sixel_terminal_goes_on_in_sixel(
    root: Path, in_tmux: dict[str, str]
) -> None:
    app = "tests.terminal.picture_app"
    answer = ANSWERS["kitty"].replace(b"62;c", b"62;4c")
    with FakeTerminal("silent", app, str(root), environment=in_tmux) as terminal:
        terminal.answer = answer
        terminal.wait_for("SHOWN 0 kitty")
        terminal.settle()
        attach(root, 2, XTERM)
        here = terminal.resize(80, 24)
        terminal.wait_for("SHOWN 0 sixel", here)
        terminal.settle()
        assert sixels(terminal.text(here))


def test_under_a_pop_up_a_sixel_gives_way_to_half_blocks_and_comes_back(root: Path) -> None:
    with start("sixel", root) as terminal:
        terminal.wait_for("SHARP 0")
        terminal.settle()
        here = terminal.press("m")
        terminal.wait_for("POP-UP", here)
        terminal.wait_for("▀", here)
        assert sixels(terminal.text(here)) == []
        here = terminal.press("\x1b")
        terminal.wait_for(r"\x1bP0;0;0q.*?\x1b\\", here)
        assert "\uf8f0" not in terminal.text()


def test_a_terminal_that_never_tells_its_cursor_still_gets_pictures(root: Path) -> None:
    with start("half", root, places=False) as terminal:
        terminal.wait_for("SHOWN 0 half")
        for step in (1, 2, 3):
            here = terminal.press(RIGHT)
            terminal.wait_for(f"SHOWN {step} half", here)


def test_late_answers_bring_better_pictures_and_type_nothing(root: Path) -> None:
    with start("silent", root) as terminal:
        terminal.wait_for("SHOWN 0 half")
        terminal.press(ANSWERS["kitty"].decode())
        terminal.wait_for("SHOWN 0 kitty")
        here = terminal.press(RIGHT)
        terminal.wait_for("SHOWN 1 kitty", here)
        assert typed(root) == ["right"]


def test_inline_jpeg_is_drawn_over_its_cells(root: Path) -> None:
    with start("iterm", root) as terminal:
        terminal.wait_for("SHOWN 0 iterm")
        assert re.search(r"\x1b7\x1b\[1;\d+H\x1b\]1337;File=", terminal.text())


def test_the_app_ends_when_its_terminal_goes_away(root: Path) -> None:
    terminal = start("half", root)
    terminal.wait_for("SHOWN 0 half")
    os.close(terminal.inner)
    os.close(terminal.outer)
    try:
        assert terminal.process.wait(timeout=240) != 0
    finally:
        terminal.process.kill()
        terminal.process.wait()


PARTS = {"sixel": "\x1bP0;1;0q", "iterm": "\x1b]1337;File="}


@pytest.fixture
def grainy(tmp_path: Path) -> Path:
    for n in range(3):
        Image.effect_noise((800, 460), 90 + n).convert("RGB").save(tmp_path / f"{n}.png")
    return tmp_path


def slow(kind: str, root: Path) -> FakeTerminal:
    app = "tests.terminal.picture_app"
    return FakeTerminal(kind, app, str(root), rate=300_000, environment={"LINK": "2400"})


@pytest.mark.parametrize("kind", ["sixel", "iterm"])
def test_on_a_slow_link_a_picture_comes_in_parts_with_room_for_text(
    grainy: Path, kind: str
) -> None:
    with slow(kind, grainy) as terminal:
        terminal.wait_for("SHARP 0")
        terminal.settle()
        here = terminal.press(RIGHT)
        terminal.wait_for("SHARP 1", here)
        part = rf"\x1b\[\d+;\d+H{re.escape(PARTS[kind])}"
        terminal.wait_for(rf"(?:{part}.*?){{3}}", here)
        terminal.settle()
        text = terminal.text(here)
        placed = re.findall(rf"\x1b\[(\d+);\d+H{re.escape(PARTS[kind])}", text)
        assert len(set(placed)) > 2
        after_questions = [len(part) for part in text.split("\x1b[6n")]
        assert max(after_questions) < 40_000
        terminal.press("q")
        assert terminal.finish() == 0
        assert terminal.restored


def test_a_step_gives_up_the_sharp_kitty_picture_that_is_still_going_up(grainy: Path) -> None:
    with slow("kitty", grainy) as terminal:
        terminal.wait_for("SHARP 0")
        terminal.settle()
        here = terminal.press(RIGHT)
        terminal.wait_for("SHOWN 1 kitty", here)
        upload = terminal.wait_for(r"\x1b_Ga=T[^;]*;", here + terminal.text(here).index("SHOWN 1"))
        terminal.wait_for("m=1", upload)
        given_up = terminal.uploads(here)[-1]
        terminal.press(RIGHT)
        terminal.wait_for(rf"\x1b_Gm=0,q=2;\x1b.\x1b_Ga=d,d=I,i={given_up},", upload)
        terminal.wait_for("SHARP 2", upload)
        terminal.press("q")
        assert terminal.finish() == 0
        assert sorted(terminal.deletes()) == sorted(terminal.uploads())
        assert terminal.restored
