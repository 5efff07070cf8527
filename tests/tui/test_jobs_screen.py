"""The jobs, by keys, on jobs in memory."""

import pytest
from msgspec.structs import replace

from b100tui.tui.screens.jobs import JobsScreen
from tests.tui.fake import explorer, opened, screen_text, until
from tests.tui.jobs_made import FakeDesk, make_job


def shown(main) -> str:
    return "\n".join(screen_text(main.explorer))


async def open_jobs(pilot, main) -> JobsScreen:
    await pilot.press("t")
    await until(
        pilot, lambda: isinstance(main.app.screen, JobsScreen) and main.app.screen.listed.jobs
    )
    return main.app.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_t_shows_progress_failures_and_the_log(size):
    async with opened(explorer(desk=FakeDesk(make_job())), size) as (pilot, main):
        await open_jobs(pilot, main)
        text = shown(main)
        assert "312/2 400, 3 failed" in text and "too small: 8x8" in text
        assert "p pause" in text and "4 min left" in text


async def test_the_log_is_foreign_text_and_never_markup():
    async with opened(explorer(desk=FakeDesk(make_job(by={}, failures={})))) as (pilot, main):
        await open_jobs(pilot, main)
        assert "[red]not markup[/red]" in main.app.screen.query_one("#job").plain


async def test_without_jobs_it_says_how_to_start_one():
    async with opened(explorer(desk=FakeDesk())) as (pilot, main):
        await pilot.press("t")
        await until(pilot, lambda: "no jobs yet" in shown(main))


async def test_p_and_r_pause_and_resume_the_job_under_the_cursor():
    desk = FakeDesk(make_job("a"), make_job("b"))
    async with opened(explorer(desk=desk)) as (pilot, main):
        screen = await open_jobs(pilot, main)
        await pilot.press("down", "p")
        await until(pilot, lambda: screen.listed.job.state == "paused")
        await pilot.press("r")
        await until(pilot, lambda: screen.listed.job.state == "running")
        assert desk.asked == [("pause", "b"), ("resume", "b")]


async def test_cancel_wants_its_key_twice():
    desk = FakeDesk(make_job())
    async with opened(explorer(desk=desk)) as (pilot, main):
        await open_jobs(pilot, main)
        await pilot.press("c")
        assert desk.asked == []
        assert "c again" in str(main.app.screen.query_one("#jobs").border_subtitle)
        await pilot.press("c")
        await until(pilot, lambda: desk.asked == [("cancel", "score-1")])


async def test_a_job_that_cannot_be_paused_says_why():
    async with opened(explorer(desk=FakeDesk(make_job(state="done")))) as (pilot, main):
        await open_jobs(pilot, main)
        await pilot.press("p")
        await until(pilot, lambda: main.app._notifications)
        said = [note.message for note in main.app._notifications]
        assert said == ["job score-1 is done, not running; b100 jobs"]


async def test_reopening_tells_how_far_jobs_are_and_the_status_line_keeps_it():
    async with opened(explorer(desk=FakeDesk(make_job()))) as (pilot, main):
        await until(pilot, lambda: main.jobs_said)
        assert "score 312/2 400, 3 failed" in main.status.plain
        assert [note.message for note in main.app._notifications] == [
            "score 312/2 400, 3 failed (4 min left); t shows jobs"
        ]


async def test_the_end_of_a_job_is_told():
    desk = FakeDesk(make_job())
    async with opened(explorer(desk=desk)) as (pilot, main):
        await until(pilot, lambda: main.jobs_said)
        desk.listed[0] = replace(desk.listed[0], state="done", done=2400, failed=0)
        main.look_for_jobs()
        await until(pilot, lambda: not main.jobs_said)
        assert [note.message for note in main.app._notifications][-1] == "score done, 2 400/2 400"


async def test_a_reader_that_breaks_is_told_with_its_log_and_the_screen_stays():
    desk = FakeDesk(make_job())
    async with opened(explorer(desk=desk)) as (pilot, main):
        screen = await open_jobs(pilot, main)
        desk.listed = None  # type: ignore[assignment]
        screen._look()
        await until(pilot, lambda: any("TypeError" in n.message for n in main.app._notifications))
        assert main.app.screen is screen
