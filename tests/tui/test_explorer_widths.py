"""What a narrow window shows: one panel, or the picture beside one."""

import pytest

from tests.tui.fake import explorer, opened, until


@pytest.mark.parametrize(
    ("panel", "shown"), [("runs", "runs-box"), ("facts", "words"), ("picture-box", "picture-box")]
)
async def test_80_columns_show_one_panel_at_a_time(panel, shown):
    async with opened(explorer(), (80, 24)) as (pilot, main):
        main.show_panel(panel)
        await until(pilot, lambda: main.panel() == panel)
        visible = [
            name
            for name in ("runs-box", "picture-box", "words")
            if main.query_one("#" + name).region.width > 0 and main.query_one("#" + name).display
        ]
        assert visible == [shown]


@pytest.mark.parametrize(
    ("panel", "beside"),
    [("runs", "runs-box"), ("picture-box", "runs-box"), ("metrics", "runs-box"),
     ("reasoning", "words"), ("facts", "words")],
)  # fmt: skip
async def test_from_84_columns_the_picture_stays_beside_the_panel_that_has_the_focus(panel, beside):
    async with opened(explorer(), (84, 31)) as (pilot, main):
        main.show_panel(panel)
        await until(pilot, lambda: main.panel() == panel)
        boxes = ("runs-box", "picture-box", "words")
        shown = {name: main.query_one("#" + name).region.width for name in boxes}
        assert {name for name, width in shown.items() if width} == {"picture-box", beside}
        assert shown["picture-box"] >= 53


async def test_resized_to_two_columns_with_the_focus_in_the_runs_the_picture_stays():
    async with opened(explorer(), (140, 40)) as (pilot, main):
        main.show_panel("runs")
        await until(pilot, lambda: main.panel() == "runs")
        await pilot.resize_terminal(99, 31)
        await until(pilot, lambda: not main.query_one("#words").region.width)
        assert main.query_one("#picture-box").region.width == 70
        assert main.query_one("#runs-box").region.width == 29


async def test_80_columns_start_with_picture_slider_and_one_metric_row():
    async with opened(explorer(), (80, 24)) as (pilot, main):
        await until(pilot, lambda: main.panel() == "picture-box")
        assert main.query_one("#picture-box").size.height >= 18
        assert (main.slider.size.height, main.metric_panel.size.height) == (1, 1)
