"""The palette: opened, left and clicked at the worst moment."""

import pytest
from rich.style import Style
from textual.events import Click

from b100tui.tui.palette import Palette, Rows
from tests.tui.fake import explorer, opened, until


async def test_a_click_on_a_row_that_has_just_gone_does_nothing() -> None:
    async with opened(explorer()) as (pilot, main):
        await pilot.press(":")
        await until(pilot, lambda: isinstance(main.app.screen, Palette))
        rows = main.app.screen.query_one(Rows)
        await until(pilot, lambda: rows.option_count > 3)
        gone = Style(meta={"option": rows.option_count + 5})
        rows.post_message(Click(rows, 1, 1, 0, 0, 1, False, False, False, style=gone))
        await pilot.pause()
        assert isinstance(main.app.screen, Palette)


async def test_escape_and_enter_typed_at_once_leave_only_the_palette() -> None:
    async with opened(explorer()) as (pilot, main):
        for _ in range(3):
            await pilot.press(":", "escape", "escape", "enter", "pagedown")
            await until(pilot, lambda: main.app.screen is main)
        assert not main.explorer.crashed


@pytest.mark.parametrize("columns", [3, 6, 10])
async def test_it_opens_in_a_window_too_narrow_for_a_letter_of_its_rows(columns: int) -> None:
    async with opened(explorer()) as (pilot, main):
        app = main.explorer
        await pilot.resize_terminal(columns, 24)
        await until(pilot, lambda: app.size.width == columns)
        await pilot.press(":")
        await until(pilot, lambda: app.crashed or app.screen.query_one(Rows).option_count > 3)
        await pilot.resize_terminal(columns - 1, 24)
        await until(pilot, lambda: app.crashed or app.size.width == columns - 1)
        await pilot.press("down")
        assert not app.crashed
