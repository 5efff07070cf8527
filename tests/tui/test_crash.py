"""What an unexpected failure leaves behind: a log, and a program that has ended."""

import pytest
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.widget import MountError

from tests.tui.fake import explorer, opened


async def test_an_unexpected_failure_leaves_a_log(monkeypatch):
    app = explorer()

    def broken() -> None:
        raise ZeroDivisionError("planted")

    with pytest.raises(ZeroDivisionError):
        async with opened(app) as (pilot, main):
            monkeypatch.setattr(main, "do_step_on", broken)
            await pilot.press("right")
            await pilot.pause()
    assert app.crashed and app.crash is not None
    assert "ZeroDivisionError: planted" in app.crash.read_text()


@pytest.mark.parametrize("kind", [NoMatches, NoScreen, MountError])
async def test_a_part_that_is_missed_while_the_program_runs_is_a_failure(kind):
    app = explorer()
    with pytest.raises(kind):
        async with opened(app):
            app._handle_exception(kind("planted"))
    assert app.crashed and app.crash is not None
    assert "planted" in app.crash.read_text()


@pytest.mark.parametrize("kind", [NoMatches, NoScreen, MountError])
async def test_a_part_that_is_missed_on_the_way_out_is_none(kind):
    app = explorer()
    async with opened(app):
        app.exit()
        app._handle_exception(kind("planted"))
    assert not app.crashed


async def test_any_other_failure_on_the_way_out_is_told():
    app = explorer()
    with pytest.raises(ZeroDivisionError):
        async with opened(app):
            app.exit()
            app._handle_exception(ZeroDivisionError("planted"))
    assert app.crashed
