"""The judging dialog, by keys, on an asker in memory."""

from collections.abc import Sequence

import pytest

from b100tui.index.rows import RunRow
from b100tui.tui.asker import JudgeChoice, Price, Question
from b100tui.tui.scorer import chosen_steps
from b100tui.tui.screens.judge import JudgeScreen
from tests.tui.fake import explorer, opened, screen_text, until
from tests.tui.jobs_made import FakeDesk

RUN = "dongpo/replicate-2K/run-0"


class FakeAsker:
    def __init__(self, usd: float = 0.0, ready: bool = True) -> None:
        self.usd = usd
        self.ready = ready
        self.begun: list[tuple[Question, float | None, str, int]] = []

    def judges(self) -> list[JudgeChoice]:
        lacks = {} if self.ready else {"reason": "no API key", "fix": "set GEMINI_API_KEY"}
        return [
            JudgeChoice(id="flash", model="gemini-x", ready=self.ready, **lacks),
            JudgeChoice(id="local", model="local", ready=self.ready, **lacks),
        ]

    def price(self, rows: Sequence[RunRow], question: Question) -> Price:
        steps = sum(len([n for n in chosen_steps(row, question.steps) if n]) for row in rows)
        return Price(steps=steps, summaries=steps, most=steps * self.usd)

    def begin(self, question: Question, budget: float | None, title: str, total: int) -> str:
        self.begun.append((question, budget, title, total))
        return "judge-1"


async def open_judge(pilot, main) -> JudgeScreen:
    await pilot.press("J")
    await until(pilot, lambda: isinstance(main.app.screen, JudgeScreen) and main.app.screen._price)
    return main.app.screen


def app_with(asker: FakeAsker):
    return explorer(desk=FakeDesk(), asker=lambda _: asker)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_j_shows_judge_runs_steps_and_cost(size):
    async with opened(app_with(FakeAsker(usd=0.01)), size) as (pilot, main):
        await open_judge(pilot, main)
        text = "\n".join(screen_text(main.explorer))
        assert "flash (gemini-x)" in text and text.count(RUN) == 1
        assert "20 steps, 20 with a reasoning summary" in text and "at most $0.20" in text


async def test_paid_questions_need_a_cap_and_a_typed_yes():
    asker = FakeAsker(usd=0.01)
    async with opened(app_with(asker)) as (pilot, main):
        screen = await open_judge(pilot, main)
        await pilot.press("enter")
        assert not asker.begun and screen.focused.id == "yes"
        await pilot.press(*"yes", "enter")
        await until(pilot, lambda: main.app.screen is main)
        question = Question(judge="flash", runs=(RUN,))
        assert asker.begun == [(question, 0.2, f"gemini-x on {RUN}", 20)]


async def test_free_questions_start_at_once_on_the_chosen_runs_and_steps():
    asker = FakeAsker()
    async with opened(app_with(asker)) as (pilot, main):
        screen = await open_judge(pilot, main)
        await pilot.press("right", "down", "right", "down", *"1-5")
        await until(pilot, lambda: screen._price)
        await pilot.press("enter")
        await until(pilot, lambda: asker.begun)
        assert asker.begun[0][0] == Question(judge="local", steps="1-5")
        assert asker.begun[0][3] == 12 * 5


async def test_a_judge_without_a_key_is_priced_but_not_asked():
    asker = FakeAsker(usd=0.01, ready=False)
    async with opened(app_with(asker)) as (pilot, main):
        screen = await open_judge(pilot, main)
        await pilot.press("enter")
        await until(pilot, lambda: main.app._notifications)
        assert not asker.begun and "set GEMINI_API_KEY" in screen.query_one("#plan").plain
