"""The palette: opened, left and clicked at the worst moment."""

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
