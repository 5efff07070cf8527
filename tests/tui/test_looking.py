"""The looking and comparing keys on the main screen."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from b100tui.sources import open_picture
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.pipeline import Pipeline
from b100tui.tui.app import Explorer
from b100tui.tui.screens import look_actions
from tests.tui.fake import PATIENCE, FakeCatalogue, explorer, opened, rows, until


async def test_zoom_pan_and_back() -> None:
    async with opened(explorer()) as (pilot, main):
        await pilot.press("z", "z", "z")
        assert main.look.zoom == 4
        await pilot.press("l", "j")
        x, y = main.look.centre or (0, 0)
        assert x > 1408 // 2 and y > 768 // 2
        await pilot.press("escape")
        assert (main.look.zoom, main.look.centre) == (0, None)


async def test_j_and_k_pan_only_while_zoomed() -> None:
    async with opened(explorer()) as (pilot, main):
        first = main.trajectory.row.run
        await pilot.press("j")
        await until(pilot, lambda: main.trajectory.row.run != first)
        moved = main.runs.run
        await pilot.press("z", "j", "j")
        assert main.look.zoom == 1
        assert main.runs.run == moved


async def test_the_loupe_goes_with_the_run_unless_it_is_kept() -> None:
    async with opened(explorer()) as (pilot, main):
        first = main.trajectory.row.run
        await pilot.press("z", "right")
        assert main.look.zoom == 1
        await pilot.press("]")
        await until(pilot, lambda: main.trajectory.row.run != first)
        assert main.look.zoom == 0
        second = main.trajectory.row.run
        await pilot.press("z", "b", "]")
        await until(pilot, lambda: main.trajectory.row.run != second)
        assert main.look.zoom == 1


async def test_the_title_says_how_the_picture_is_looked_at() -> None:
    async with opened(explorer()) as (pilot, main):
        await pilot.press("5", "enter", "i", "d", "+")
        assert main.picture_words() == "step 5 · red · difference ×8"


async def test_a_pinned_reference_stays_in_every_run() -> None:
    async with opened(explorer()) as (pilot, main):
        first = main.trajectory.row.run
        await pilot.press("3", "enter", "R", "]")
        await until(pilot, lambda: main.trajectory.row.run != first)
        reference = main.reference_step()
        assert reference is not None and (reference.run, reference.step) == (first, 3)
        await pilot.press("R")
        reference = main.reference_step()
        assert reference is not None and reference.run == main.trajectory.row.run


async def test_without_a_reference_picture_comparing_says_so() -> None:
    catalogue = FakeCatalogue()
    catalogue.missing = set(range(21))
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("d", "v", "a", "space")
        assert (main.look.difference, main.look.compare, main.look.align) == ("", "", False)
        assert not main.flicker_reference


class PicturesOnDisk(FakeCatalogue):
    """Two of the fake's runs, with a real picture for each step."""

    def __init__(self, root: Path) -> None:
        super().__init__(rows()[:2])
        for row in self.listed:
            folder = root / row.run
            folder.mkdir(parents=True)
            for number in range(self.last + 1):
                colour = (12 * number, 90, 120)
                Image.new("RGB", (140, 76), colour).save(folder / f"step-{number:03}.png")


def with_pictures(root: Path) -> tuple[Explorer, Pipeline]:
    catalogue = PicturesOnDisk(root)
    pipeline = Pipeline(
        root, TerminalFacts(), preview_folder=root / "previews", opener=open_picture
    )
    options: dict[str, Any] = {"open_catalogue": lambda _: catalogue, "keep_fresh": False}
    return Explorer(root, pipeline=pipeline, **options), pipeline


async def test_flicker_changes_the_picture_in_the_same_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_actions, "FLICKER_SECONDS", PATIENCE)
    app, pipeline = with_pictures(tmp_path)
    try:
        async with opened(app) as (pilot, main):
            await pilot.press("3", "enter")
            await until(pilot, lambda: main.picture.frame is not None and not main.reading)
            step = main.picture.frame
            await pilot.press("space")
            await until(pilot, lambda: main.flicker_reference and not main.reading)
            other = main.picture.frame
            assert step is not None and other is not None
            assert (step.columns, step.rows) == (other.columns, other.rows)
            assert step.rows_of_cells != other.rows_of_cells
            await pilot.press("escape")
            await until(pilot, lambda: not main.reading)
            assert main.picture.frame == step
    finally:
        pipeline.close()


async def test_a_flat_picture_cannot_be_aligned_and_the_title_says_so(tmp_path: Path) -> None:
    app, pipeline = with_pictures(tmp_path)
    try:
        async with opened(app) as (pilot, main):
            await pilot.press("3", "enter", "a")
            await until(pilot, lambda: "misaligned, unreliable" in main.picture_words())
    finally:
        pipeline.close()
