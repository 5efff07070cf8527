"""The scoring dialog, by keys, on a scorer in memory."""

from collections.abc import Sequence

import pytest

from b100tui.index.rows import RunRow
from b100tui.metrics import registry
from b100tui.model.errors import StoreError
from b100tui.tui.scorer import Choice, Known, Wish
from b100tui.tui.screens.score import MetricTicks, ScoreScreen
from tests.tui.fake import explorer, opened, screen_text, until
from tests.tui.jobs_made import FakeDesk


class FakeScorer:
    def __init__(self) -> None:
        self.begun: list[tuple[Wish, str]] = []
        self.fault: StoreError | None = None

    def choices(self) -> list[Choice]:
        return [
            Choice(registry.metric("niqe")),
            Choice(
                registry.metric("qualiclip"), False, "no weights", "b100 metrics fetch qualiclip"
            ),
            Choice(registry.metric("noise_sigma")),
            Choice(registry.metric("ssim"), usual=False),
        ]

    def known(self, runs: Sequence[RunRow], steps: Sequence[int]) -> Known:
        return Known({"noise_sigma": len(runs) * len(steps)}, {"niqe": 0.5})

    def memory(self, metrics: Sequence[str], pixels: int) -> float:
        return 1.5e9

    def begin(self, wish: Wish, title: str) -> str:
        if self.fault is not None:
            raise self.fault
        self.begun.append((wish, title))
        return "score-1"


async def open_score(pilot, main) -> ScoreScreen:
    await pilot.press("S")
    await until(pilot, lambda: isinstance(main.app.screen, ScoreScreen) and main.app.screen._plan)
    return main.app.screen


def app_with(scorer: FakeScorer):
    return explorer(desk=FakeDesk(), scorer=lambda _: scorer)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_s_shows_metrics_the_plan_and_the_keys(size):
    async with opened(app_with(FakeScorer()), size) as (pilot, main):
        await open_score(pilot, main)
        text = "\n".join(screen_text(main.explorer))
        assert "[x] NIQE" in text and "[ ] SSIM" in text and "Enter starts" in text
        assert "21 values to make, 21 there already" in text
        assert "memory  about 1.5 GB" in text


async def test_a_metric_that_cannot_run_is_grey_with_its_reason_and_takes_no_tick():
    async with opened(app_with(FakeScorer())) as (pilot, main):
        screen = await open_score(pilot, main)
        await pilot.press("down", "down", "down", "space")
        assert "qualiclip" not in screen.wish.metrics
        assert "no weights; b100 metrics fetch qualiclip" in "\n".join(screen_text(main.explorer))


async def test_space_n_a_and_p_tick():
    async with opened(app_with(FakeScorer())) as (pilot, main):
        screen = await open_score(pilot, main)
        seen = []
        for key in ("n", "space", "p", "p", "a"):
            await pilot.press(key)
            seen.append(set(screen.query_one(MetricTicks).ticked))
        one = {"niqe"}
        probes = {"niqe", "noise_sigma"}
        assert seen == [set(), one, probes, one, {"niqe", "noise_sigma", "ssim"}]


async def test_enter_starts_the_ticked_metrics_on_this_run_and_says_where_it_went():
    scorer = FakeScorer()
    async with opened(app_with(scorer)) as (pilot, main):
        await open_score(pilot, main)
        await pilot.press("enter")
        await until(pilot, lambda: main.app.screen is main)
        ((wish, title),) = scorer.begun
        assert wish == Wish((main.trajectory.row.run,), ("niqe", "noise_sigma"))
        assert title == f"2 metrics of {main.trajectory.row.run}"
        assert [n.message for n in main.app._notifications] == [
            "scoring goes on beside you; t shows it"
        ]


async def test_w_asks_for_all_runs_and_tab_for_steps():
    scorer = FakeScorer()
    async with opened(app_with(scorer)) as (pilot, main):
        screen = await open_score(pilot, main)
        await pilot.press("w", "tab", *"1,5")
        await until(pilot, lambda: screen._plan)
        await pilot.press("enter")
        await until(pilot, lambda: scorer.begun)
        assert scorer.begun[0][0] == Wish((), ("niqe", "noise_sigma"), "1,5")
        assert scorer.begun[0][1] == "2 metrics of all 12 runs"


async def test_steps_that_cannot_be_read_are_said_and_nothing_starts():
    scorer = FakeScorer()
    async with opened(app_with(scorer)) as (pilot, main):
        screen = await open_score(pilot, main)
        await pilot.press("tab", *"x")
        await until(pilot, lambda: "'x'" in screen.query_one("#plan").plain)
        await pilot.press("enter")
        await pilot.pause()
        assert main.app.screen is screen and not scorer.begun


async def test_what_is_there_already_is_not_started_again():
    scorer = FakeScorer()
    async with opened(app_with(scorer)) as (pilot, main):
        screen = await open_score(pilot, main)
        await pilot.press("n", "p")
        await until(pilot, lambda: screen._plan)
        await pilot.press("enter")
        await pilot.pause()
        assert "nothing to score" in next(n.message for n in main.app._notifications)
        assert not scorer.begun


async def test_a_job_that_cannot_start_says_why():
    scorer = FakeScorer()
    scorer.fault = StoreError("no space left", "free space")
    async with opened(app_with(scorer)) as (pilot, main):
        screen = await open_score(pilot, main)
        await pilot.press("enter")
        await until(pilot, lambda: "no space left; free space" in screen.query_one("#plan").plain)
