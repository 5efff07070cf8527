"""The main screen on what is broken or foreign, and on runs that grow."""

import threading

from b100tui.index.rows import RunRow
from b100tui.model.records import Section
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.pipeline import Pipeline
from b100tui.tui.screens.main import MainScreen
from tests.tui.fake import (
    LAST,
    FakeCatalogue,
    explorer,
    make_row,
    opened,
    screen_text,
    until,
)


async def test_an_answer_of_the_terminal_amid_the_start_is_taken(monkeypatch, tmp_path):
    found = TerminalFacts(graphics="kitty", reason="told late")
    compose = MainScreen.compose

    def answered(self):
        self.explorer.take_facts(found)
        yield from compose(self)

    monkeypatch.setattr(MainScreen, "compose", answered)
    pipeline = Pipeline(tmp_path, TerminalFacts(), preview_folder=tmp_path / "previews")
    async with opened(explorer(pipeline=pipeline)) as (_, main):
        assert (main.explorer.facts, pipeline.facts) == (found, found)
    pipeline.close()


async def test_markup_and_control_characters_stay_words():
    catalogue = FakeCatalogue([make_row("[red]x[/red]", "se\x1b[31mt[/]", 0)])
    catalogue.sections = (Section("[bold]T\x07itle", "a [link=x]text[/link]\x1b]0;gone\x07"),)
    catalogue.prompt = "[/] \u202eprompt"
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("right")
        text = "\n".join(screen_text(main.explorer))
        assert "[red]x[/red]" in text and "[bold]Title" in text
        assert not any(bad in text for bad in "\x1b\x07\u202e")


async def test_missing_and_unreadable_steps_say_so_and_the_rest_goes_on():
    catalogue = FakeCatalogue()
    catalogue.missing = {2}
    catalogue.unreadable = {3: "truncated file"}
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("2", "enter")
        assert "missing" in main.facts.plain
        await pilot.press("right")
        assert "unreadable: truncated file" in main.facts.plain
        await pilot.press("right")
        assert "1408 x 768" in main.facts.plain


async def test_the_cursor_follows_a_growing_run_at_its_end():
    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("end")
        catalogue.last = LAST + 3
        catalogue.listed = [make_row("dongpo", "replicate-2K", 0, steps_planned=50)]
        catalogue.changed.set()
        main.poll()
        await until(pilot, lambda: main.position.step == LAST + 3)


async def test_while_one_look_for_news_waits_for_the_disk_no_other_begins():
    catalogue, asked, answered = FakeCatalogue(), [], threading.Event()

    def poll() -> bool:
        asked.append(1)
        return answered.wait(60.0) and False

    catalogue.poll = poll
    async with opened(explorer(catalogue)) as (pilot, main):
        try:
            main._next_poll = 0.0
            await until(pilot, lambda: asked)
            await main.poll().wait()
            assert len(asked) == 1
        finally:
            answered.set()


async def test_the_cursor_stays_when_it_is_not_at_the_end():
    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("5", "enter")
        catalogue.last = LAST + 3
        catalogue.listed = [make_row("dongpo", "replicate-2K", 0, steps_planned=50)]
        catalogue.changed.set()
        main.poll()
        await until(pilot, lambda: main.trajectory.last == LAST + 3)
        assert main.position.step == 5


async def test_an_unknown_theme_falls_back_and_says_so():
    from b100tui.workspace.settings import Settings

    app = explorer(settings=Settings(theme="nosuch"))
    async with opened(app):
        assert app.theme == "dark"
        assert any("no theme 'nosuch'" in note.message for note in app._notifications)


async def test_t_takes_the_next_theme():
    async with opened(explorer()) as (pilot, main):
        seen = set()
        for _ in range(4):
            await pilot.press("T")
            seen.add(main.app.theme)
        assert seen == {"dark", "light", "ansi", "colour-blind"}


async def test_a_simulated_run_is_labelled():
    row: RunRow = make_row("dongpo", "replicate-2K", 0, simulated=True, onset=None)
    async with opened(explorer(FakeCatalogue([row]))) as (_, main):
        text = "\n".join(screen_text(main.explorer))
        assert "SIMULATED" in text


async def test_a_user_key_works_and_the_old_one_does_not():
    from b100tui.tui.actions import ACTIONS, with_keymap

    actions, _ = with_keymap(ACTIONS, {"step.onset": ("O",)})
    async with opened(explorer(actions=actions)) as (pilot, main):
        await pilot.press("o")
        assert main.position.step == 0
        await pilot.press("O")
        assert main.position.step == 7


async def test_a_broken_worker_is_told_with_its_log_and_the_rest_goes_on(own_places):
    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, main):
        catalogue.verdicts = None  # type: ignore[assignment,method-assign]
        await pilot.press("down")
        await until(pilot, lambda: len(main.app._notifications) > 0)
        said = next(iter(main.app._notifications)).message
        assert "read_run: unexpected TypeError" in said and str(own_places) in said
        await pilot.press("right")
        assert main.position.step == 1
