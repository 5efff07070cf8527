"""The heatmap by keys and mouse, on planted gaps."""

import threading

import pytest
from msgspec.structs import replace

from b100tui.model.errors import StoreError, UsageError
from b100tui.tui.analyst import GapsAsked
from b100tui.tui.screens.evidence import EvidenceScreen
from b100tui.tui.screens.heatmap import HeatmapScreen
from b100tui.tui.widgets.bars import StatusLine
from b100tui.tui.widgets.heatmap_grid import HeatmapGrid
from b100tui.tui.widgets.lines import TextPanel
from tests.tui.analyst_fake import FakeAnalyst, make_table
from tests.tui.fake import PATIENCE, explorer, opened, screen_text, until

SIZES = [(80, 24), (120, 40), (200, 50)]


async def heatmap(pilot, main, analyst=None) -> HeatmapScreen:
    main.analyst = analyst or FakeAnalyst()
    await pilot.press("g")
    await until(pilot, lambda: isinstance(main.app.screen, HeatmapScreen))
    screen = main.app.screen
    await until(pilot, lambda: screen.gaps is not None)
    return screen


def words(screen) -> str:
    return screen.query_one("#heat-cell", TextPanel).plain


def title(screen) -> str:
    return screen.query_one("#heat-status", StatusLine).plain


@pytest.mark.parametrize("size", SIZES)
async def test_g_shows_metrics_and_groups_with_signs(size):
    async with opened(explorer(), size) as (pilot, main):
        await heatmap(pilot, main)
        text = "\n".join(screen_text(main.app))
        assert "BRISQUE ↓" in text and "dongpo" in text and "+8.0 ✗" in text
        assert all(len(line) == size[0] for line in screen_text(main.app))


async def test_tab_goes_to_the_next_lens_and_back():
    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main)
        seen = []
        for key in ("tab", "tab", "tab", "shift+tab"):
            await pilot.press(key)
            seen.append(title(screen).split("  ")[1].strip())
        assert seen == ["Δ10", "Δ20", "overlay Δ5+10+20", "Δ20"]


async def test_the_cell_under_the_cursor_is_told_in_a_sentence():
    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main)
        assert "BRISQUE fails: it scores step 5 better than step 1 by 8.0 points" in words(screen)
        await pilot.press("down")
        assert "MUSIQ scores step 5 worse than step 1 by 4.0 points: no failure" in words(screen)


async def test_the_cursor_stays_on_its_cell_when_rows_turn_to_columns():
    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("down", "right", "t")
        assert screen.grid.here == ("fog", "musiq")


async def test_the_cursor_stays_on_its_cell_through_every_order():
    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("down", "right")
        for _ in range(4):
            await pilot.press("s")
            assert screen.grid.here == ("fog", "musiq")


async def test_words_filter_as_they_are_typed_and_escape_takes_them_away():
    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("/", *"niqe", "enter")
        assert screen.grid.shown.grid.rows == ("niqe",)
        await pilot.press("escape")
        assert screen.grid.shown.grid.rows == ("brisque", "musiq", "niqe")
        assert main.app.screen is screen


async def test_a_condition_asks_for_another_table():
    async with opened(explorer()) as (pilot, main):
        analyst = FakeAnalyst()
        await heatmap(pilot, main, analyst)
        await pilot.press("/", *"editor:x", "enter")
        await until(pilot, lambda: GapsAsked(filter="editor:x") in analyst.asked)


async def test_b_groups_in_another_way():
    async with opened(explorer()) as (pilot, main):
        analyst = FakeAnalyst()
        await heatmap(pilot, main, analyst)
        await pilot.press("b")
        await until(pilot, lambda: GapsAsked(by="setting") in analyst.asked)


async def test_a_known_table_is_shown_before_the_answer_comes():
    answer = threading.Event()

    def slow(asked: GapsAsked):
        answer.wait(PATIENCE)
        return make_table(asked)

    async with opened(explorer()) as (pilot, main):
        analyst = FakeAnalyst(slow)
        analyst.known[GapsAsked()] = make_table(GapsAsked())
        try:
            screen = await heatmap(pilot, main, analyst)
            assert "+8.0 ✗" in "\n".join(screen_text(main.app))
            assert "computing" in title(screen)
        finally:
            answer.set()
        await until(pilot, lambda: "computing" not in title(screen))


async def test_a_table_that_cannot_be_made_says_why():
    def broken(asked: GapsAsked):
        raise StoreError("the index could not answer", "b100 index --rebuild")

    async with opened(explorer()) as (pilot, main):
        main.analyst = FakeAnalyst(broken)
        await pilot.press("g")
        await until(pilot, lambda: "could not answer" in words(main.app.screen))
        assert "could not answer" in screen_text(main.app)[1]


async def test_a_filter_that_cannot_be_read_keeps_the_table():
    def picky(asked: GapsAsked):
        if asked.filter:
            raise UsageError("no field 'x'", "one of image, step")
        return make_table(asked)

    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main, FakeAnalyst(picky))
        await pilot.press("/", *"x:1", "enter")
        await until(pilot, lambda: len(main.app._notifications) > 0)
        assert screen.grid.shown.grid.rows == ("brisque", "musiq", "niqe")


async def test_a_click_moves_and_a_second_click_opens():
    async with opened(explorer()) as (pilot, main):
        screen = await heatmap(pilot, main)
        grid = screen.query_one(HeatmapGrid)
        place = (grid._label_width + 9, 3)
        await pilot.click(HeatmapGrid, offset=place)
        assert grid.here == ("fog", "musiq")
        await pilot.click(HeatmapGrid, offset=place)
        await until(pilot, lambda: isinstance(main.app.screen, EvidenceScreen))


async def test_the_heatmap_opens_again_where_it_was_left():
    async with opened(explorer()) as (pilot, main):
        await heatmap(pilot, main)
        await pilot.press("tab", "down", "right", "escape")
        await until(pilot, lambda: main.app.screen is main)
        screen = await heatmap(pilot, main, main.analyst)
        assert screen.grid.here == ("fog", "musiq") and screen.place.view.lens == 1


@pytest.mark.parametrize("size", SIZES)
async def test_the_cursor_stays_in_view_in_a_large_table(size):
    def large(asked: GapsAsked):
        table = make_table(asked)
        groups = tuple(f"image-{n:03}/replicate-2k-nano-banana-pro" for n in range(60))
        cells = {(g, m, s): table.cells["dongpo", m, s] for g in groups for _, m, s in table.cells}
        return replace(table, groups=groups, cells=cells, members=dict.fromkeys(groups, ()))

    async with opened(explorer(), size) as (pilot, main):
        screen = await heatmap(pilot, main, FakeAnalyst(large))
        for keys in (("pagedown",) * 6, ("end",), ("t",), ("end",), ("home",), ("t",), ("pageup",)):
            await pilot.press(*keys)
            assert "◂" in "".join(screen_text(main.app))
        assert screen.grid.row == 0


async def test_without_an_index_the_heatmap_says_so():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("g")
        assert main.app.screen is main
        assert any("not ready" in note.message for note in main.app._notifications)


async def test_help_lists_the_keys_of_the_heatmap():
    async with opened(explorer()) as (pilot, main):
        await heatmap(pilot, main)
        await pilot.press("?")
        await until(pilot, lambda: bool(main.app.screen.query("#help")))
        assert "group by image" in main.app.screen.query_one("#help", TextPanel).plain


@pytest.mark.parametrize("theme", ["light", "ansi", "colour-blind"])
async def test_failures_keep_their_sign_in_every_theme(theme):
    from b100tui.workspace.settings import Settings

    async with opened(explorer(settings=Settings(theme=theme))) as (pilot, main):
        await heatmap(pilot, main)
        assert "+8.0 ✗" in "\n".join(screen_text(main.app))


async def test_at_rest_the_table_is_made_ready():
    async with opened(explorer()) as (pilot, main):
        main.analyst = FakeAnalyst()
        main._at_rest()
        assert not main.analyst.asked  # the place is noted first: a scrub must not be slowed
        main._at_rest()
        await until(pilot, lambda: main.analyst.known_gaps(GapsAsked()) is not None)


async def test_the_styles_are_read_before_the_key_and_without_the_table():
    async with opened(explorer()) as (pilot, main):
        main.analyst = FakeAnalyst()
        main._import_heatmap()
        await until(
            pilot, lambda: any("analysis.tcss" in str(key[0]) for key in main.app.stylesheet.source)
        )
        assert not main.analyst.asked


async def test_while_steps_are_scrubbed_nothing_is_made_ready():
    async with opened(explorer()) as (pilot, main):
        main.analyst = FakeAnalyst()
        for _ in range(3):
            await pilot.press("right")
            main._at_rest()
        assert not main.analyst.asked


async def test_scores_that_come_while_it_is_open_are_taken_in():
    async with opened(explorer()) as (pilot, main):
        analyst = FakeAnalyst()
        screen = await heatmap(pilot, main, analyst)
        await until(pilot, lambda: "computing" not in title(screen))
        analyst.known.clear()
        analyst.make = lambda asked: make_table(
            asked, {"musiq": {"dongpo": (70.0, 2.0, 0.0), "fog": (70.0, 2.0, 0.0)}}
        )
        screen.look_again()
        await until(pilot, lambda: screen.grid.shown.grid.rows == ("musiq",))


async def test_a_users_key_of_the_heatmap_works_and_is_shown_and_the_old_one_does_not():
    async with opened(explorer(screen_keys={"heatmap.lens": ("n",)})) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("tab")
        assert "Δ5" in title(screen)
        await pilot.press("n")
        assert "Δ10" in title(screen)
        assert "n Δ" in screen_text(main.app)[-1]


async def test_a_key_that_goes_to_another_action_leaves_the_line_of_keys():
    taken = {"heatmap.sort": ("t",), "heatmap.turn": ()}
    async with opened(explorer(screen_keys=taken)) as (pilot, main):
        screen = await heatmap(pilot, main)
        rows = screen.grid.shown.grid.rows
        await pilot.press("t")
        assert set(screen.grid.shown.grid.rows) == set(rows)
        line = screen_text(main.app)[-1]
        assert "t sort" in line and "turn" not in line


async def test_columns_widen_to_their_names_where_all_of_them_fit():
    async with opened(explorer(), (80, 24)) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("t")
        await until(
            pilot, lambda: any("BRISQUE ↓ MUSIQ ↑" in line for line in screen_text(main.app))
        )
        await pilot.click(screen.grid, offset=(screen.grid._label_width + 11, 3))
        assert screen.grid.column == 1


@pytest.mark.parametrize("size", SIZES)
async def test_the_words_about_a_cell_take_the_lines_that_rows_leave(size):
    async with opened(explorer(), size) as (pilot, main):
        screen = await heatmap(pilot, main)
        assert screen.query_one("#heat-cell").size.height >= 6
