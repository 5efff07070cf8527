"""The status line gives its right side the room it needs."""

import pytest
from textual.app import App, ComposeResult

from b100tui.tui.widgets.bars import StatusLine

LEFT = [("demo/", ""), (" 78 runs · 2 406 steps  ", "status--dim")]


class Shown(App[None]):
    """One status line."""

    def compose(self) -> ComposeResult:
        yield StatusLine(id="status")


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (45, "demo/ 78 runs · 2 406 steps     indexing ref "),
        (40, "demo/ 78 runs · 2 406 stepsindexing ref "),
        (38, "demo/ 78 runs · 2 406 s… indexing ref "),
        (16, "d… indexing ref "),
        (9, "indexing "),
    ],
)
async def test_what_has_no_room_on_the_left_is_cut_with_a_sign(width: int, words: str) -> None:
    app = Shown()
    async with app.run_test(size=(width, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.show(left=LEFT, right=[("indexing ref ", "status--warn")])
        await pilot.pause()
        assert line.render_line(0).text == words
