"""The writing dialog, by keys; its commands are run in place."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import b100tui.jobs
from b100tui.cli.main import main as run_b100
from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.model.errors import UsageError
from b100tui.tui.screens.write import WriteScreen
from b100tui.tui.writer import RootWriter, Sheet, sheet_words, shown, target
from tests.tui.fake import explorer, opened, screen_text, until
from tests.tui.jobs_made import FakeDesk

RUN = "dongpo/replicate-2K/run-0"


class FakeWriter:
    def __init__(self) -> None:
        self.begun: list[Sheet] = []

    def begin(self, sheet: Sheet) -> str:
        self.begun.append(sheet)
        return "strip-1"


def app_with(writer: FakeWriter):
    return explorer(desk=FakeDesk(), writer=writer)


async def open_write(pilot, main) -> WriteScreen:
    await pilot.press("w")
    await until(pilot, lambda: "b100 strip" in main.app.screen.query_one("#plan").plain)
    return main.app.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_w_shows_what_where_and_the_command(size, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with opened(app_with(FakeWriter()), size) as (pilot, main):
        await open_write(pilot, main)
        text = "\n".join(screen_text(main.explorer))
        assert "a strip of this run's steps" in text and "dongpo-replicate-2K-run-0.png" in text
        assert f"b100 strip {RUN}" in text and "--steps=1,5,10,20,50,100" in text


async def test_enter_begins_and_steps_let_out_keep_the_filter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    writer = FakeWriter()
    async with opened(app_with(writer)) as (pilot, main):
        main.filter_text = "onset<8"
        screen = await open_write(pilot, main)
        await pilot.press("right", "down", "right")
        assert screen.query_one("#caption").disabled
        await pilot.press("enter")
        await until(pilot, lambda: main.app.screen is main)
        assert writer.begun == [Sheet(what="jsonl", run=RUN, out="dongpo-replicate-2K-run-0",
                                      steps="1,5,10,20,50,100", until="onset",
                                      filter="onset<8")]  # fmt: skip


async def test_what_is_there_already_is_named_before_anything_starts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dongpo-replicate-2K-run-0.png").touch()
    async with opened(app_with(FakeWriter())) as (pilot, main):
        await pilot.press("w")
        await until(pilot, lambda: "there already" in main.app.screen.query_one("#plan").plain)


def test_a_filter_that_begins_with_a_dash_stays_a_filter():
    sheet = Sheet(what="hf", run=RUN, out="out", until="onset", filter="-mark:tint")
    words = sheet_words(sheet, Path("/out"))
    assert words == ["export", "--format", "hf", "--until=onset", "--filter=-mark:tint",
                     "--out", "/out"]  # fmt: skip
    assert shown(["strip", "a b"]) == "b100 strip 'a b'"


def test_a_strip_is_a_png_with_a_name():
    with pytest.raises(UsageError, match="is no PNG"):
        target(Sheet(what="strip", run=RUN, out="strip.jpg"))
    with pytest.raises(UsageError, match="no name"):
        target(Sheet(what="strip", run=RUN, out=" "))


@pytest.mark.parametrize(("what", "out"), [("strip", "strip.png"), ("files", "picked")])
def test_what_it_begins_writes(tmp_path, monkeypatch, what: Any, out: str):
    root = tmp_path / "root"
    (root / "plate").mkdir(parents=True)
    for step in range(3):
        Image.new("RGB", (64, 48), (60 * step, 0, 0)).save(
            root / "plate" / f"plate_step_{step}.png"
        )
    refresh(root)
    started: list[list[str]] = []

    def start(root: Path, kind: str, argv: Any, **_: Any) -> str:
        started.append(list(argv)[3:])
        return kind

    monkeypatch.setattr(b100tui.jobs, "start", start)
    run = open_index(root).runs()[0].run
    sheet = Sheet(what=what, run=run, out=str(tmp_path / out), steps="1,2")
    RootWriter(root, None).begin(sheet)
    assert run_b100(started[0]) == 0
    assert (tmp_path / out).exists()
