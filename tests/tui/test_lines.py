"""Panels of lines by themselves: foreign text in them, and heads without room behind them."""

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult

from b100tui.tui.widgets.lines import TextPanel


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield TextPanel("Words", id="words")


def drawn(panel: TextPanel) -> list[str]:
    return [panel.render_line(y).text for y in range(panel.size.height)]


@pytest.mark.parametrize(
    "foreign", ["\x1b]0;evil\x07", "\x1b[2J", "\x9b2J", "\x00", "\r", "\x1bPq~\x1b\\"]
)
async def test_no_control_character_of_foreign_text_is_drawn(foreign):
    app = Shown()
    async with app.run_test(size=(40, 8)):
        panel = app.query_one(TextPanel)
        panel.show([((f"  before{foreign}after", ""),)])
        (line, *_) = drawn(panel)
        assert line.startswith("  beforeafter") and line.isprintable()


async def test_letters_of_many_code_points_stay_whole():
    app = Shown()
    async with app.run_test(size=(40, 8)):
        panel = app.query_one(TextPanel)
        panel.show([(("  café 漢字 \N{MAN}\N{ZERO WIDTH JOINER}\N{ROCKET}", ""),)])
        assert drawn(panel)[0].startswith("  café 漢字 \N{MAN}\N{ZERO WIDTH JOINER}\N{ROCKET}")


@pytest.mark.parametrize(
    "head", ["a name as long as the panel is wide: ", "漢字漢字漢字漢字漢字漢字: "]
)
async def test_what_a_long_head_says_stands_below_it(head):
    app = Shown()
    async with app.run_test(size=(34, 8)):
        panel = app.query_one(TextPanel)
        panel.show([((head, "text--title"), ("it fails at step 20", ""))])
        assert "it fails at step 20" in panel.plain
        assert all(cell_len(line) <= panel.size.width for line in panel.plain.splitlines())
