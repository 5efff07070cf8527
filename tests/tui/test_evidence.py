"""The evidence for a cell: its band, its chart, its pictures, and where Enter goes."""

import math

import pytest
from msgspec.structs import replace

from b100tui.metrics.registry import metric
from b100tui.tui.analyst import RunLine, band_of, place_of
from b100tui.tui.chart import chart
from b100tui.tui.screens.evidence import EvidenceScreen
from b100tui.tui.widgets.bars import StatusLine
from b100tui.tui.widgets.picture import PictureView
from tests.tui.analyst_fake import FakeAnalyst
from tests.tui.fake import explorer, opened, screen_text, until

LINES = (RunLine("a", {1: 10.0, 5: 4.0}), RunLine("b", {1: 10.0, 5: 8.0}), RunLine("c", {1: 10.0}))


def test_the_band_is_mean_and_sample_sd_over_the_runs_that_have_the_step():
    band = band_of(LINES)
    assert band.steps == (1, 5) and band.means == (10.0, 6.0) and band.counts == (3, 2)
    assert band.sds == (0.0, pytest.approx(math.sqrt(8.0)))


def test_one_run_has_no_sd():
    assert band_of(LINES[:1]).sds == (None, None)


def test_the_run_that_fails_most_is_shown():
    assert LINES[place_of(LINES, metric("brisque"), 1, 5)].run == "a"
    assert LINES[place_of(LINES, metric("musiq"), 1, 5)].run == "b"


def test_a_wanted_run_is_shown():
    assert place_of(LINES, metric("brisque"), 1, 5, "c") == 2


def test_the_chart_fills_its_rectangle_and_names_its_ends():
    rows = chart(band_of(LINES), 40, 8, {1: "◇", 5: "●"})
    text = ["".join(part for part, _ in row) for row in rows]
    assert len(text) == 8 and {len(line) for line in text} == {40}
    assert "10.0" in text[0] and "3.17" in text[6]
    assert "◇" in text[7] and text[7].endswith("5")


def test_a_flat_series_is_drawn():
    rows = chart(band_of([RunLine("a", {1: 2.0, 9: 2.0})]), 30, 5, {})
    assert any("chart--mean" in style for row in rows for _, style in row)


def test_no_values_are_said():
    assert chart(band_of([]), 30, 5, {})[0][0][0] == "no values to draw"


async def evidence(pilot, main, *keys) -> EvidenceScreen:
    main.analyst = FakeAnalyst()
    await pilot.press("g")
    await until(pilot, lambda: getattr(main.app.screen, "gaps", None) is not None)
    await pilot.press(*keys, "enter")
    await until(pilot, lambda: isinstance(main.app.screen, EvidenceScreen))
    screen = main.app.screen
    await until(pilot, lambda: screen.evidence is not None)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_verdict_and_both_steps_are_told(size):
    async with opened(explorer(), size) as (pilot, main):
        screen = await evidence(pilot, main)
        plain = " ".join(screen.words.plain.split())
        assert "BRISQUE fails: it scores step 5 better than step 1 by 8.0 points" in plain
        assert "75.0 ± 0.00 (sd), n = 3" in plain and "63.0 ± 0.00 (sd), n = 3" in plain
        assert "step 1 (left) and step 5 (right)" in "\n".join(screen_text(main.app))


async def test_the_pictures_are_reference_and_step_side_by_side_and_aligned():
    async with opened(explorer()) as (pilot, main):
        screen = await evidence(pilot, main)
        target = screen.query_one(PictureView)._target
        assert target.ref.path.endswith("/5.png")
        assert target.view.reference.path.endswith("/1.png")
        assert (target.view.show, target.view.align) == ("side", True)


async def test_arrows_move_both_the_step_and_the_pictures():
    async with opened(explorer()) as (pilot, main):
        screen = await evidence(pilot, main)
        await pilot.press("right", "right")
        assert screen.query_one(PictureView)._target.ref.path.endswith("/7.png")
        assert "step 7 against 1" in screen.query_one("#evidence-status", StatusLine).plain


async def test_a_step_beside_the_table_is_judged_too():
    async with opened(explorer()) as (pilot, main):
        screen = await evidence(pilot, main)
        await pilot.press("right", "right")
        # BRISQUE falls by 3 a step from 75: 18 of 150 by step 7.
        told = "scores step 7 better than step 1 by 12.0 points"
        await until(pilot, lambda: told in _plain(screen))


async def test_without_a_reference_picture_the_caption_says_so_and_waits_for_nothing():
    async with opened(explorer()) as (pilot, main):
        screen = await evidence(pilot, main)
        found = screen.evidence
        steps = tuple(step for step in found.steps if step.step != found.reference)
        screen.evidence = replace(found, steps=steps)
        screen.show()
        caption = screen.query_one("#evidence-caption", StatusLine).plain
        assert "step 5: step 1 has no picture" in caption and "aligning" not in caption


def _plain(screen) -> str:
    return " ".join(screen.words.plain.split())


async def test_brackets_walk_over_the_runs_of_the_group():
    async with opened(explorer()) as (pilot, main):
        screen = await evidence(pilot, main)
        before = screen.run
        await pilot.press("]")
        await until(pilot, lambda: screen.run != before)
        assert screen.query_one(PictureView)._target.ref.path.startswith(screen.run)


async def test_v_goes_from_side_by_side_to_difference_to_the_step_alone():
    async with opened(explorer()) as (pilot, main):
        screen = await evidence(pilot, main)
        seen = []
        for _ in range(3):
            await pilot.press("v")
            view = screen.query_one(PictureView)._target.view
            seen.append((view.show, view.difference))
        assert seen == [("", "abs"), ("", ""), ("side", "")]


async def test_enter_goes_to_the_run_and_step_on_the_main_screen():
    async with opened(explorer()) as (pilot, main):
        jumps = []
        main.jump = lambda run, step: jumps.append((run, step))
        await evidence(pilot, main, "right")
        await pilot.press("enter")
        await until(pilot, lambda: main.app.screen is main)
        assert jumps == [("fog/run-0", 5)]


async def test_escape_goes_back_to_the_heatmap():
    async with opened(explorer()) as (pilot, main):
        await evidence(pilot, main)
        await pilot.press("escape")
        await until(pilot, lambda: bool(main.app.screen.query("#heat-grid")))
