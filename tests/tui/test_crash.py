"""What an unexpected failure leaves behind: a log, and a program that has ended."""

import pytest

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
