"""What the explorer lets go of, however long it runs."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from b100tui.tui.messages import RunsRead
from b100tui.tui.tree import RunTree
from tests.tui.conftest import all_taken
from tests.tui.fake import explorer, opened, rows


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
