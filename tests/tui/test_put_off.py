"""What is put off until the next refresh is done, whatever screen comes and goes meanwhile."""

from functools import partial

from b100tui.tui.screens.help import HelpScreen
from tests.tui.fake import explorer, opened, until


async def test_what_the_main_screen_put_off_outlives_a_screen_that_lay_over_it() -> None:
    async with opened(explorer()) as (pilot, main):
        app = main.explorer
        await app.push_screen(HelpScreen(app.actions, "runs"))
        done: list[str] = []
        over = app.screen
        over._invoke_later(lambda: done.append("of the main screen"), main)
        over._invoke_later(lambda: done.append("of the screen that leaves"), over)
        app.pop_screen()
        await until(pilot, lambda: done)
        assert done == ["of the main screen"]


async def test_what_a_screen_put_off_is_not_done_once_it_has_gone() -> None:
    async with opened(explorer()) as (pilot, main):
        app = main.explorer
        await app.push_screen(HelpScreen(app.actions, "runs"))
        gone = app.screen
        await app.pop_screen()
        done: list[str] = []
        main._invoke_later(lambda: done.append("of the screen that has gone"), gone)
        main._invoke_later(partial(gone.query_one, "#no"), app)  # type: ignore[arg-type]  # as a key's action does
        main._invoke_later(lambda: done.append("of the main screen"), main)
        await until(pilot, lambda: "of the main screen" in done)
        assert done == ["of the main screen"]
