"""The main screen by keys and mouse, on a planted catalogue."""

import re

import pytest

from b100tui.model.errors import StoreError
from b100tui.tui.messages import Failed
from b100tui.tui.remember import Place
from b100tui.tui.screens import look_actions, step_actions
from b100tui.tui.widgets.bars import StatusLine
from tests.tui.fake import (
    LAST,
    PATIENCE,
    FakeCatalogue,
    explorer,
    first_paint,
    make_row,
    no_index,
    opened,
    rows,
    screen_text,
    until,
)

SIZES = [(80, 24), (120, 40), (200, 50)]


# Opening


async def test_the_first_run_is_open_with_its_facts_and_reasoning():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("right")
        assert main.trajectory.row.run == "dongpo/replicate-2K/run-0"
        assert "Repeat the picture exactly." in main.facts.plain.replace("\n        ", " ")
        assert "Examining the Dish" in main.reasoning.plain


@pytest.mark.parametrize("size", SIZES)
async def test_every_line_fits_the_screen(size):
    async with opened(explorer(), size) as (_, main):
        lines = screen_text(main.explorer)
        assert len(lines) == size[1] and all(len(line) >= size[0] for line in lines)


async def test_the_status_line_counts_runs_steps_and_metrics():
    async with opened(explorer()) as (_, main):
        assert " banana/ " in main.status.plain
        assert "12 runs · 252 steps · 4 metrics" in main.status.plain


async def test_the_snapshot_shows_run_names_before_any_index():
    listed = rows()
    app = explorer(first=first_paint(listed), open_catalogue=no_index)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.main.runs.lines and "dongpo" in "\n".join(screen_text(app))
        assert app.main.catalogue is None


async def test_without_an_index_the_screen_says_that_it_looks():
    app = explorer(open_catalogue=no_index)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "looking for runs" in app.main.status.plain)


async def test_the_asked_run_and_step_open():
    app = explorer(place=Place("fog/rotate-1K/run-2", 9, 1))
    async with opened(app) as (_, main):
        assert (main.trajectory.row.run, main.position.step) == ("fog/rotate-1K/run-2", 9)


async def test_a_unique_beginning_names_a_run():
    async with opened(explorer(place=Place("fog/rep", 2, 1), catalogue=FakeCatalogue(
        [make_row("dongpo", "rep", 0), make_row("fog", "rep", 0)]))) as (_, main):  # fmt: skip
        assert main.trajectory.row.image == "fog"


async def test_a_folder_without_runs_says_so_and_what_tells_why():
    async with explorer(FakeCatalogue([])).run_test(size=(120, 40)) as pilot:
        main = pilot.app.main
        main.left_out = 3
        await until(pilot, lambda: "no runs" in main.status.plain)
        text = " ".join("\n".join(screen_text(main.explorer)).split())
        assert "no run was found in /runs/banana (3 files left out)" in text
        assert "b100 scan /runs/banana says why" in text


async def test_a_name_in_the_list_keeps_its_room_and_the_worst_word_stays():
    row = make_row("k", "replicate-broken", 0, onset=None, spark=(), last_step=1, steps_planned=3,
                   stopped="step 1: exit code 1", badges=("refused", "stopped"))  # fmt: skip
    async with opened(explorer(FakeCatalogue([row]))) as (_, main):
        assert "replicate-broken refused" in "\n".join(screen_text(main.explorer))


async def test_an_indexer_that_fails_again_and_again_says_so_once():
    async with opened(explorer()) as (pilot, main):
        for _ in range(3):
            main.post_message(Failed("indexing", StoreError("/runs/banana cannot be listed")))
        await until(pilot, lambda: "cannot be listed" in main.status.plain)
        assert len(main.app._notifications) == 1


async def test_an_empty_folder_opens_and_quits():
    app = explorer(FakeCatalogue([]))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.main.catalogue is not None)
        for key in ("right", "down", "o", "r", "p", "space", "y", "left_square_bracket", "enter"):
            await pilot.press(key)
        await pilot.press("q")


# Steps


async def test_arrows_pages_and_ends_move_through_the_steps():
    async with opened(explorer()) as (pilot, main):
        seen = []
        for key in ("right", "pagedown", "left", "end", "home", "pageup"):
            await pilot.press(key)
            seen.append(main.position.step)
        assert seen == [1, 11, 10, LAST, 0, 0]


async def test_digits_and_enter_go_to_a_step():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("1", "2")
        assert "go to 12" in main.slider.label() and main.position.step == 0
        await pilot.press("enter")
        assert main.position.step == 12


async def test_escape_forgets_typed_digits():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("1", "2", "escape", "enter")
        assert main.position.step == 0


async def test_o_goes_to_the_onset():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("o")
        assert main.position.step == 7


async def test_ctrl_d_and_ctrl_u_move_a_page_in_the_run_list():
    listed = rows(tuple(f"image-{n:02}" for n in range(20)))
    async with opened(explorer(FakeCatalogue(listed))) as (pilot, main):
        await pilot.press("asterisk")
        before, page = main.runs.cursor, main.runs.size.height - 1
        await pilot.press("ctrl+d")
        assert main.runs.cursor == before + page
        await pilot.press("ctrl+u")
        assert main.runs.cursor == before


async def test_r_makes_the_step_the_reference():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("5", "enter", "r", "right")
        assert "ref 5" in main.status.plain
        brisque = next(s for s in main.ordered if s.metric.id == "brisque")
        assert brisque.values[5] - brisque.values[6] == 2.0
        assert any(re.search(r"30\.0 +→ 28\.0", line) for line in screen_text(main.explorer))


async def test_play_takes_steps_until_paused(monkeypatch):
    monkeypatch.setattr(step_actions, "PLAY_SECONDS", PATIENCE)
    async with opened(explorer()) as (pilot, main):
        await pilot.press("p")
        main.play_on()
        main.play_on()
        played = main.position.step
        await pilot.press("p")
        assert played == 2 and not main.position.playing


async def test_play_ends_at_the_last_step():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("end", "left", "p")
        main.play_on()
        main.play_on()
        assert main.position.step == LAST and not main.position.playing


async def test_flicker_shows_the_reference_in_the_same_cells(monkeypatch):
    monkeypatch.setattr(look_actions, "FLICKER_SECONDS", PATIENCE)
    async with opened(explorer()) as (pilot, main):
        await pilot.press("5", "enter", "space")
        assert "reference 1" in main.query_one("#title", StatusLine).plain
        main.flicker_on()
        assert "step 5" in main.query_one("#title", StatusLine).plain
        await pilot.press("space")
        assert not main.stop_flicker()


async def test_the_slider_takes_the_mouse():
    async with opened(explorer()) as (pilot, main):
        width = main.slider.size.width
        await pilot.click("#slider", offset=(width - 3, 0))
        assert main.position.step == LAST


# Runs


async def test_down_opens_the_next_run_at_the_same_step():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("9", "enter", "down")
        await until(pilot, lambda: main.trajectory.row.repeat == 1)
        assert main.position.step == 9


async def test_brackets_walk_over_runs_and_skip_groups():
    async with opened(explorer()) as (pilot, main):
        for _ in range(3):
            await pilot.press("right_square_bracket")
        await until(pilot, lambda: main.trajectory.row.setting == "rotate-1K")
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: main.trajectory.row.run == "dongpo/replicate-2K/run-2")


async def test_enter_closes_and_opens_the_group_around_a_run():
    async with opened(explorer()) as (pilot, main):
        before = len(main.runs.lines)
        await pilot.press("enter")
        assert len(main.runs.lines) == before - 3
        await pilot.press("enter")
        assert len(main.runs.lines) == before


async def test_star_closes_all_groups_but_the_open_run_and_opens_them_again():
    async with opened(explorer()) as (pilot, main):
        before = len(main.runs.lines)
        await pilot.press("*")
        assert len(main.runs.lines) < before
        await pilot.press("*")
        assert len(main.runs.lines) == before


async def test_a_click_opens_a_run():
    async with opened(explorer()) as (pilot, main):
        await pilot.click("#runs", offset=(6, 4))
        await until(pilot, lambda: main.trajectory.row.repeat == 2)


async def test_a_late_answer_for_a_run_that_was_left_is_dropped():
    async with opened(explorer()) as (pilot, main):
        old = main.trajectory
        await pilot.press("down")
        await until(pilot, lambda: main.trajectory.row.repeat == 1)
        from b100tui.tui.messages import RunRead

        main.post_message(RunRead(main.token - 1, old))
        await pilot.pause()
        assert main.trajectory.row.repeat == 1


async def test_tab_goes_through_the_panels_and_back():
    async with opened(explorer()) as (pilot, main):
        seen = [main.panel()]
        for _ in range(5):
            await pilot.press("tab")
            await pilot.pause()
            seen.append(main.panel())
        await pilot.press("shift+tab")
        await pilot.pause()
        assert seen == ["runs", "picture-box", "metrics", "reasoning", "facts", "runs"]
        assert main.panel() == "facts"
