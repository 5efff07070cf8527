"""Keys take effect before a test looks, however little time the machine gives the program."""

import asyncio
import time
from collections.abc import Iterable

import pytest
from textual.app import App

from tests.tui.fake import PATIENCE

# A key goes from app to screen to widget and its message back up: a turn of the loop a hop.
TURNS = 25


async def all_taken(app: App[None]) -> None:
    """Return once no message has waited anywhere in `app` for some turns of its loop.

    One that has failed or is leaving takes no more messages.
    """
    end = time.monotonic() + PATIENCE
    still = 0
    while still < TURNS and time.monotonic() < end and not (app._exit or app._exception):
        await asyncio.sleep(0)
        screens = [screen for stack in app._screen_stacks.values() for screen in stack]
        pumps = [app, *(one for screen in screens for one in screen.walk_children(with_self=True))]
        still = 0 if any(one.message_queue_size for one in pumps) else still + 1


@pytest.fixture(autouse=True)
def keys_take_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pilot deems a starved program idle: hold each key until its messages are taken."""
    press = App._press_keys

    async def press_in_order(app: App[None], keys: Iterable[str]) -> None:
        for key in keys:
            await press(app, (key,))
            await all_taken(app)

    monkeypatch.setattr(App, "_press_keys", press_in_order)
