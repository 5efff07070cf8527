"""What the explorer lets go of, however long it runs."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from textual.widget import Widget

from b100tui.tui.messages import RunsRead
from b100tui.tui.tree import RunTree
from tests.tui.conftest import all_taken
from tests.tui.fake import explorer, opened, rows, until


@pytest.fixture
def as_started() -> Iterator[None]:
    """The collector is off, as `b100 explore` switches it for its start."""
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


class Ring:
    """Refers to itself, as a screen does through its parts: only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


async def test_the_collector_works_once_the_runs_are_read(as_started: None) -> None:
    async with opened(explorer()):
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0


async def test_a_newer_run_list_keeps_no_garbage(as_started: None) -> None:
    async with opened(explorer()) as (_, main):
        ring = Ring()
        left = weakref.ref(ring)
        main.post_message(RunsRead(RunTree(rows())))
        await all_taken(main.explorer)
        del ring
        gc.collect()
        assert left() is None


@pytest.mark.parametrize("key", ["c", "x", "s", "?", "t", "m", ":", "w", "e", "S", "J"])
async def test_a_screen_that_was_left_is_let_go_of_with_its_lines(key: str) -> None:
    async with opened(explorer()) as (pilot, main):
        app = main.explorer
        left: list[weakref.ref[object]] = []
        for _ in range(2):  # what was done last may still know its screen
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not main)
            if not left:
                parts = [app.screen, *app.screen.query(Widget)]
                left = [weakref.ref(part) for part in parts]
                left += [weakref.ref(part._styles_cache) for part in parts]
                del parts
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is main)

        def still_there() -> list[object]:
            gc.collect()
            return [one() for one in left if one() is not None]

        await until(pilot, lambda: not still_there())
