"""Marking by keys and mouse; the records are read back from the disk."""

import pytest

from b100tui.report.marks import all_marks
from b100tui.terminal.frames import Frame
from b100tui.tui.screens.marking import MarkScreen
from b100tui.tui.screens.marking_blind import BlindScreen
from b100tui.tui.widgets.bars import StatusLine
from b100tui.tui.widgets.mark_keys import MarkKeys
from b100tui.tui.widgets.picture import PictureView
from tests.tui.fake import FakeCatalogue, explorer, opened, screen_text, until

RUN = "dongpo/replicate-2K/run-0"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("B100_ANNOTATOR", "ann")
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def app_at(root):
    app = explorer(FakeCatalogue())
    app.root = root
    return app


async def marked(pilot, root, count):
    await until(pilot, lambda: len(all_marks(root)) == count)
    return all_marks(root)


async def test_three_keys_mark_the_shown_step(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("9", "enter", "m", "3", "n")
        (mark,) = await marked(pilot, root, 1)
        assert (mark.run, mark.step, mark.mode, mark.by) == (RUN, 9, "persistent-noise", "ann")
        assert main.app.screen is main


async def test_a_tag_of_ones_own_is_typed_as_a_word(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("9", "enter", "m", "4", "w", *"Warm face", "enter")
        (mark,) = await marked(pilot, root, 1)
        assert (mark.step, mark.mode) == (9, "tag:warm-face")
        await until(pilot, lambda: "warm-face (ann)" in main.facts.plain)


async def test_a_tag_that_is_no_word_is_refused_and_can_be_mended(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("9", "enter", "m", "4", "w", *"%!", "enter")
        await until(pilot, lambda: any("letters" in n.message for n in main.app._notifications))
        assert isinstance(main.app.screen, MarkScreen) and all_marks(root) == []
        await pilot.press("backspace", "backspace", *"mesh", "enter")
        (mark,) = await marked(pilot, root, 1)
        assert mark.mode == "tag:mesh"


async def test_the_mark_is_seen_on_slider_and_facts_at_once(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("9", "enter", "m", "4", "t")
        await until(pilot, lambda: 9 in main.trajectory.marks)
        assert 9 in main.slider.state.marked
        assert "tint (ann)" in main.facts.plain
        await pilot.press("right")
        assert "▲" in "\n".join(screen_text(main.app))


async def test_u_writes_the_counter_record(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("9", "enter", "m", "4", "t")
        await until(pilot, lambda: 9 in main.trajectory.marks)
        await pilot.press("u")
        await until(pilot, lambda: 9 not in main.trajectory.marks)
        assert all_marks(root) == []
        assert len(list(root.rglob("marks/*.jsonl"))) >= 2


async def test_u_takes_marks_back_one_by_one_newest_first(root):
    async with opened(app_at(root)) as (pilot, main):
        for keys in (("m", "4", "t"), ("m", "4", "h")):
            await pilot.press(*keys)
            await until(pilot, lambda: any(len(m) for m in main.trajectory.marks.values()))
        await marked(pilot, root, 2)
        await until(pilot, lambda: len(main._set_here) == 2)
        await pilot.press("u")
        (left,) = await marked(pilot, root, 1)
        assert left.mode == "tint"


async def test_u_without_a_mark_of_ones_own_says_so(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("6", "enter", "u")
        assert any("no mark of yours" in n.message for n in main.app._notifications)


async def test_m_m_marks_the_same_mode_again(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("m", "2", "c")
        await until(pilot, lambda: main._set_here)
        await pilot.press("right", "m", "m")
        marks = await marked(pilot, root, 2)
        assert [(m.step, m.mode) for m in marks] == [(0, "counting"), (1, "counting")]


async def test_escape_goes_back_one_level_and_then_closes_without_a_mark(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("m", "3", "escape")
        assert isinstance(main.app.screen, MarkScreen) and main.app.screen.level is None
        await pilot.press("escape")
        await until(pilot, lambda: main.app.screen is main)
        assert all_marks(root) == []


async def test_a_note_goes_with_the_mark(root):
    async with opened(app_at(root)) as (pilot, _):
        await pilot.press("m", "N", *"seven", "enter", "2", "c")
        (mark,) = await marked(pilot, root, 1)
        assert mark.note == "seven" and mark.mode == "counting"


async def test_a_region_needs_a_picture(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("m", "R")
        assert main.app.screen.box is None
        assert any("region" in n.message for n in main.app._notifications)


def with_frame(main, columns=40, rows=10):
    """Stand a drawn frame in the picture's place: 1408 x 768 source pixels on its cells."""
    view = main.query_one("#picture", PictureView)
    view._frame = Frame(protocol="half", columns=columns, rows=rows)
    left = view.content_region.x + (view.size.width - columns) // 2
    top = view.content_region.y + (view.size.height - rows) // 2
    return left, top


async def test_keys_move_and_size_the_region(root):
    async with opened(app_at(root)) as (pilot, main):
        with_frame(main)
        await pilot.press("m", "R")
        before = main.app.screen.box
        await pilot.press("right", "down", "greater_than_sign", "plus", "4", "g")
        (mark,) = await marked(pilot, root, 1)
        x, y, wide, high = before
        left, top = with_frame(main)
        # A cell is 1408/40 = 35.2 source pixels wide and 768/10 = 76.8 high.
        assert mark.region == (
            round((x + 1 - left) * 35.2), round((y + 1 - top) * 76.8),
            round((wide + 2) * 35.2), round((high + 1) * 76.8),
        )  # fmt: skip


async def test_a_region_chosen_before_the_picture_moved_marks_nothing(root):
    async with opened(app_at(root)) as (pilot, main):
        with_frame(main)
        await pilot.press("m", "R")
        screen = main.app.screen
        assert screen.box is not None
        with_frame(main, columns=20, rows=6)  # as after a resize
        await pilot.press("3", "n")
        assert main.app.screen is screen and screen.box is None and all_marks(root) == []
        assert any("has moved" in n.message for n in main.app._notifications)
        await pilot.press("R", "n")
        (mark,) = await marked(pilot, root, 1)
        # A third of 20 cells, each 70.4 source pixels wide, and of 6, each 128 high.
        assert mark.region[2:] == (round(6 * 70.4), 2 * 128)


async def test_the_keys_give_way_to_a_region_below(root):
    async with opened(app_at(root), (80, 24)) as (pilot, main):
        with_frame(main, rows=16)
        await pilot.press("m", "R")
        screen = main.app.screen
        keys = screen.query_one("#mark")
        _, y, _, high = screen.box
        assert y + high <= keys.region.y, "a region begins where it is seen"
        await pilot.press(*["down"] * 12)
        await until(pilot, lambda: keys.region.y == 0)
        assert screen.box[1] >= keys.region.bottom
        await pilot.press("escape")
        await until(pilot, lambda: keys.region.y > 0)


async def test_the_mouse_draws_a_region(root):
    async with opened(app_at(root)) as (pilot, main):
        left, top = with_frame(main)
        await pilot.press("m")
        await pilot.mouse_down(offset=(left, top))
        await pilot.hover(offset=(left + 9, top + 4))
        await pilot.mouse_up(offset=(left + 9, top + 4))
        await pilot.press("4", "g")
        (mark,) = await marked(pilot, root, 1)
        assert mark.region == (0, 0, 352, 384)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_every_mode_can_be_read_while_choosing(root, size):
    from b100tui.report.marks import modes

    async with opened(app_at(root), size) as (pilot, main):
        await pilot.press("m")
        await until(pilot, lambda: isinstance(main.app.screen, MarkScreen))
        await pilot.pause()
        text = "\n".join(screen_text(main.app))
        assert all(f"{one.key} {one.name}" in text for one in modes())


async def test_a_mark_that_cannot_be_written_says_so(root):
    async with opened(app_at(root)) as (pilot, main):
        (root / ".b100").write_text("a file where the workspace should be")
        await pilot.press("m", "4", "t")
        await until(pilot, lambda: any("marking" in n.message for n in main.app._notifications))
        assert not main.trajectory.marks.get(0)


# Blind


async def blind(pilot, main) -> BlindScreen:
    await pilot.press("m", "B")
    await until(pilot, lambda: isinstance(main.app.screen, BlindScreen))
    return main.app.screen


async def test_blind_marking_never_tells_the_step(root):
    async with opened(app_at(root)) as (pilot, main):
        screen = await blind(pilot, main)
        await until(pilot, lambda: screen.query_one(PictureView)._target is not None)
        title = screen.query_one("#blind-status", StatusLine).plain
        assert "picture 1 of 21" in title and RUN not in title
        for place in range(3):
            label = screen.query_one(PictureView)._target.label
            assert label == f"picture {place + 1}"
            await pilot.press("right")


async def test_blind_marking_shows_every_picture_once_in_another_order(root):
    async with opened(app_at(root)) as (pilot, main):
        screen = await blind(pilot, main)
        assert sorted(screen.order) == list(range(21))
        assert screen.order != sorted(screen.order)


async def test_a_blind_mark_says_that_it_was_blind(root):
    async with opened(app_at(root)) as (pilot, main):
        screen = await blind(pilot, main)
        await pilot.press("right", "3", "n")
        (mark,) = await marked(pilot, root, 1)
        assert mark.blind and mark.step == screen.order[1]
        await until(pilot, lambda: "persistent noise" in _state(screen))


async def test_backspace_takes_a_blind_mark_back(root):
    async with opened(app_at(root)) as (pilot, main):
        screen = await blind(pilot, main)
        await pilot.press("3", "n")
        await until(pilot, lambda: "persistent noise" in _state(screen))
        await pilot.press("backspace")
        await until(pilot, lambda: "no mark" in _state(screen))
        assert all_marks(root) == []


def _state(screen) -> str:
    return "".join(text for text, _ in screen.query_one(MarkKeys)._state)
