"""The picture widget without a terminal: half blocks, words, newest wins."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widgets import Static

from b100tui.model.records import PictureRef
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.pipeline import Delivery, Pipeline
from b100tui.terminal.targets import Target
from b100tui.tui.widgets.cell_strip import CellStrip
from b100tui.tui.widgets.picture import PictureView
from tests.terminal.pictures import gradient


class Viewer(App[None]):
    def __init__(self, pipeline: Pipeline) -> None:
        super().__init__()
        self.pipeline = pipeline
        self.shown: list[PictureView.Shown] = []
        self.failed: list[str] = []

    def compose(self) -> ComposeResult:
        yield PictureView(self.pipeline)

    def on_picture_view_shown(self, message: PictureView.Shown) -> None:
        self.shown.append(message)

    def on_picture_view_failed(self, message: PictureView.Failed) -> None:
        self.failed.append(message.reason)


class Pop(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Static("words over the picture")


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(240):
        while not true():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def viewer(root: Path, **facts: Any) -> AsyncIterator[tuple[Viewer, PictureView, Any]]:
    for n in range(5):
        gradient(64, 48).save(root / f"{n}.png")
    (root / "broken.png").write_bytes(b"no picture")
    pipeline = Pipeline(root, TerminalFacts(**facts), preview_folder=root / "previews")
    app = Viewer(pipeline)
    try:
        async with app.run_test(size=(60, 20)) as pilot:
            yield app, app.query_one(PictureView), pilot
    finally:
        pipeline.close()


def target(name: str) -> Target:
    return Target(PictureRef(name), f"step {name}")


def strips(view: PictureView) -> list[Any]:
    return view.render_lines(Region(0, 0, *view.size))


async def test_a_picture_is_shown_in_the_middle(tmp_path: Path) -> None:
    async with viewer(tmp_path) as (app, view, _):
        view.show(target("0.png"))
        await until(lambda: app.shown)
        assert view.frame is not None
        assert (view.frame.columns, view.frame.rows) == (53, 20)
        row = strips(view)[10]
        assert isinstance(row, CellStrip)
        assert row.cell_length == 60
        assert row.render(app.console).count("▀") == 53
        assert app.shown[0].protocol == "half"


async def test_a_step_without_a_picture_says_why(tmp_path: Path) -> None:
    async with viewer(tmp_path) as (app, view, _):
        view.show(Target(None, "step 7", "the editor refused: \x1b[31m[red]no"))
        await until(lambda: app.failed)
        assert view.words == "step 7\nthe editor refused: [red]no"
        assert "the editor refused: [red]no" in "".join(strip.text for strip in strips(view))


async def test_an_unreadable_picture_says_why_and_the_next_one_shows(tmp_path: Path) -> None:
    async with viewer(tmp_path) as (app, view, _):
        view.show(target("broken.png"))
        await until(lambda: app.failed)
        assert "broken.png" in view.words
        view.show(target("0.png"))
        await until(lambda: app.shown)
        assert view.words == ""


async def test_of_many_keys_the_last_one_is_shown(tmp_path: Path) -> None:
    async with viewer(tmp_path) as (_, view, pilot):
        line = [target(f"{n}.png") for n in range(5)]
        for position in (0, 1, 2, 3, 4, 3):
            view.show(line[position], line, position)
        await until(lambda: view.shown == line[3])
        await pilot.pause()
        assert view.shown == line[3]


async def test_without_graphics_the_reason_is_told(tmp_path: Path) -> None:
    async with viewer(tmp_path, graphics="text", reason="TERM=dumb") as (app, view, _):
        view.show(target("0.png"))
        await until(lambda: app.failed)
        assert "TERM=dumb" in view.words


async def test_a_resize_asks_for_the_new_area(tmp_path: Path) -> None:
    async with viewer(tmp_path) as (app, view, pilot):
        view.show(target("0.png"))
        await until(lambda: app.shown)
        await pilot.resize_terminal(30, 20)
        await until(lambda: view.frame is not None and view.frame.columns == 30)


async def test_under_a_modal_the_picture_keeps_its_cells(tmp_path: Path) -> None:
    async with viewer(tmp_path) as (app, view, pilot):
        view.show(target("0.png"))
        await until(lambda: app.shown)
        row = strips(view)[10]
        segments = list(row)
        assert sum(segment.cell_length for segment in segments) == 60
        await app.push_screen(Pop())
        await pilot.pause()
        assert "▀" in app.export_screenshot()


@pytest.mark.parametrize("facts", [{"graphics": "kitty"}, {"graphics": "sixel"}])
async def test_without_a_link_other_protocols_fall_back_to_half_blocks(
    tmp_path: Path, facts: dict[str, Any]
) -> None:
    async with viewer(tmp_path, **facts) as (app, view, _):
        view.show(target("0.png"))
        await until(lambda: app.shown)
        assert app.shown[0].protocol == "half"


def test_a_cropped_row_keeps_picture_and_margins_apart() -> None:
    from rich.style import Style

    from b100tui.terminal.frames import Area
    from b100tui.terminal.halfblock import HalfBlocks

    (row,) = HalfBlocks().encode(gradient(10, 2), Area(10, 1)).rows_of_cells
    strip = CellStrip(row, 5, 5, Style())
    for start in range(20):
        for end in range(start, 21):
            piece = strip.crop(start, end)
            assert piece.cell_length == end - start
            assert piece.text == (" " * 5 + "▀" * 10 + " " * 5)[start:end]


async def test_a_rough_picture_that_comes_late_does_not_replace_the_sharp_one(
    tmp_path: Path,
) -> None:
    async with viewer(tmp_path) as (app, view, pilot):
        view.show(target("0.png"))
        await until(lambda: app.shown)
        sharp = view.frame
        assert sharp is not None
        request = view._frame_request
        assert request is not None
        late = replace(sharp, quality="rough")
        view.post_message(view.Delivered(Delivery(request=request, frame=late)))
        await pilot.pause()
        assert view.frame is sharp
