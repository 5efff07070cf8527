"""Finding things in the main screen: filter, search, help, palette, full screen, leaving."""

import pytest
from msgspec.structs import replace
from textual import events

from b100tui.tui.actions import ACTIONS
from b100tui.tui.remember import Place, recall
from b100tui.tui.screens.help import HelpScreen
from b100tui.tui.screens.search import HitList, SearchScreen
from b100tui.tui.tree import RunTree
from b100tui.tui.widgets.filter_bar import FilterBar
from tests.tui.fake import (
    LAST,
    FakeCatalogue,
    explorer,
    opened,
    rows,
    screen_text,
    until,
)
from tests.tui.jobs_made import FakeDesk


def type_at_once(main, text):
    """Type `text` before the program takes the first key of it, as a slow link delivers it."""
    names = {"/": "slash", "\r": "enter"}
    for character in text:
        main.app.post_message(events.Key(names.get(character, character), character))


# Filter and search


async def test_words_filter_as_they_are_typed_without_asking_the_index():
    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("slash")
        await pilot.press(*"fog")
        assert {main.runs.tree_of_runs.rows[n].image for n in main.runs.lines if n >= 0} == {"fog"}
        assert "run_ids" not in catalogue.asked
        assert "6 of 12" in str(main.query_one("#runs-box").border_subtitle)


async def test_the_filter_line_opens_again_with_the_filter_that_holds():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash", *"fog", "enter")
        main.query_one(FilterBar).remove()
        await until(pilot, lambda: not main.query(FilterBar))
        await pilot.press("slash")
        await until(pilot, lambda: main.query(FilterBar) and main.query_one(FilterBar).display)
        assert main.query_one(FilterBar).value == "fog" and main.filter_text == "fog"


async def test_a_filter_that_nothing_meets_says_so():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash", *"zzz")
        text = "\n".join(screen_text(main.explorer))
        assert "no run matches" in text and "Esc clears the filter" in text


async def test_a_filter_that_shrinks_finds_again_what_it_had_lost():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash", *"fogx")
        assert main.runs.lines == []
        await pilot.press("backspace")
        assert "6 of 12" in str(main.query_one("#runs-box").border_subtitle)


async def test_conditions_are_asked_of_the_index():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash")
        await pilot.press(*"onset<8")
        await until(pilot, lambda: main.runs.wanted is not None and len(main.runs.wanted) == 4)


async def test_a_filter_that_cannot_be_read_says_where():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash")
        await pilot.press(*"nosuchfield:x")
        box = main.query_one("#runs-box")
        await until(pilot, lambda: "nosuchfield" in str(box.border_subtitle))


async def test_escape_takes_the_filter_away():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash", "f", "o", "g", "enter", "escape")
        await until(pilot, lambda: not main.query_one(FilterBar).display)
        assert main.runs.wanted is None and main.query_one(FilterBar).value == ""


async def test_enter_opens_the_run_that_the_filter_leaves():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash", *"rotate-1k/run-2", "enter")
        await until(pilot, lambda: main.opened.run == "dongpo/rotate-1K/run-2")
        assert main.filter_text == "rotate-1k/run-2"


async def test_enter_opens_the_first_run_that_meets_the_conditions_once_they_are_answered():
    catalogue = FakeCatalogue()
    catalogue.run_ids = lambda _: ["fog/rotate-1K/run-0"]
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("slash", *"onset<3", "enter")
        await until(pilot, lambda: main.opened.run == "fog/rotate-1K/run-0")


async def test_escape_closes_the_filter_that_is_typed_before_it_takes_a_look_back():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("z", "slash", *"fog", "escape")
        assert (main.filter_text, main.look.zoom) == ("", 1)


async def test_a_filter_given_up_leaves_the_cursor_on_the_open_run():
    listed = rows(tuple(f"image-{n:02}" for n in range(20)))
    async with opened(explorer(FakeCatalogue(listed))) as (pilot, main):
        await pilot.press("slash", *"image-17", "escape")
        assert main.runs.run.run == main.opened.run == "image-00/replicate-2K/run-0"


async def test_a_run_that_was_found_keeps_the_cursor_when_the_filter_goes():
    listed = rows(tuple(f"image-{n:02}" for n in range(20)))
    async with opened(explorer(FakeCatalogue(listed))) as (pilot, main):
        await pilot.press("slash", *"image-17", "enter", "down")
        await until(pilot, lambda: main.opened.run == "image-17/replicate-2K/run-1")
        await pilot.press("escape")
        assert main.runs.wanted is None
        assert main.runs.run.run == "image-17/replicate-2K/run-1"


async def test_the_filter_key_leaves_the_full_screen():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("f", "slash", *"fog")
        assert main.filter_text == "fog" and main.query_one(FilterBar).size.width > 0


async def test_groups_are_closed_again_when_a_filter_is_rubbed_out():
    listed = rows(tuple(f"image-{n:02}" for n in range(20)))
    async with opened(explorer(FakeCatalogue(listed))) as (pilot, main):
        await pilot.press("slash", *"image-0")
        assert "▾ image-01" in "\n".join(screen_text(main.explorer))
        await pilot.press(*["backspace"] * 7)
        assert "▸ image-01" in "\n".join(screen_text(main.explorer))


async def test_a_list_read_anew_keeps_to_the_filter_meanwhile():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("slash", *"onset<8", "enter")
        await until(pilot, lambda: main.runs.wanted is not None and len(main.runs.wanted) == 4)
        main.runs.show(RunTree(rows(("apple", "dongpo", "fog"))))
        wanted = [main.runs.tree_of_runs.rows[at].run for at in main.runs.wanted]
        assert len(wanted) == 4 and all(run.startswith(("dongpo", "fog")) for run in wanted)


async def test_letters_typed_at_once_with_the_filter_key_are_the_filters():
    async with opened(explorer()) as (pilot, main):
        type_at_once(main, "/fog")
        await until(pilot, lambda: main.filter_text == "fog")
        assert main.app.screen is main and not main.has_class("-full")


async def test_letters_that_waited_with_the_screen_are_the_filters_too():
    async with opened(explorer()) as (pilot, main):
        main.do_run_filter()
        main.post_message(events.Key("f", "f"))
        await until(pilot, lambda: main.filter_text == "f")
        assert not main.has_class("-full")


async def test_letters_typed_at_once_with_the_search_key_are_searched():
    async with opened(explorer()) as (pilot, main):
        main.explorer.last_query = "dish"
        type_at_once(main, "splate")
        await until(pilot, lambda: isinstance(main.app.screen, SearchScreen))
        await until(pilot, lambda: main.app.screen.query_one("#query").value == "plate")


async def test_digits_and_enter_typed_at_once_go_to_the_step():
    async with opened(explorer()) as (pilot, main):
        type_at_once(main, "12\r")
        await until(pilot, lambda: main.position.step == 12)


async def test_search_goes_to_the_step_and_marks_the_words():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("s")
        await pilot.press(*"plate")
        await until(pilot, lambda: bool(main.app.screen.query_one(HitList).hits))
        await pilot.press("enter")
        await until(pilot, lambda: main.trajectory.row.run == "fog/rotate-1K/run-2")
        assert (main.position.step, main.words) == (9, ("plate",))


async def test_a_hit_in_a_closed_group_opens_its_run_at_the_same_step_number():
    listed = rows(tuple(f"image-{n:02}" for n in range(20)))
    async with opened(explorer(FakeCatalogue(listed), place=Place("", 9, 1))) as (pilot, main):
        await pilot.press("s", *"plate")
        await until(pilot, lambda: pilot.app.screen.query_one(HitList).hits)
        await pilot.press("enter")
        await until(pilot, lambda: main.trajectory.row.run == listed[-1].run)
        assert main.position.step == 9
        assert "▾ image-19" in "\n".join(screen_text(main.explorer))


async def test_search_closes_without_moving():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("s", "escape")
        assert not isinstance(main.app.screen, SearchScreen) and main.position.step == 0


# The program


async def test_help_opens_for_the_focused_panel_and_closes():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("tab", "tab")
        await until(pilot, lambda: main.panel() == "metrics")
        await pilot.press("question_mark")
        assert isinstance(main.app.screen, HelpScreen)
        assert "In this panel (metrics)" in main.app.screen.query_one("#help").plain
        await pilot.press("escape")
        assert main.app.screen is main


async def test_a_key_of_a_later_release_says_why():
    actions = [replace(a, later="comes later") if a.id == "act.copy" else a for a in ACTIONS]
    async with opened(explorer(actions=actions)) as (pilot, main):
        await pilot.press("y")
        assert [str(toast.message) for toast in main.app._notifications] == [
            "copy RUN@STEP to the clipboard: comes later"
        ]


async def test_the_palette_runs_an_action():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("colon")
        await pilot.press(*"last step")
        await until(pilot, lambda: main.app.screen is not main)
        await pilot.pause(0.3)
        await pilot.press("enter")
        await until(pilot, lambda: main.position.step == LAST)


async def test_f_gives_the_picture_the_screen_and_escape_takes_it_back():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("f")
        await until(pilot, lambda: main.query_one("#picture").size.width == 120)
        await pilot.press("escape")
        await until(pilot, lambda: main.query_one("#picture").size.width < 100)


async def test_a_screen_closed_twice_leaves_what_lies_below_it():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("question_mark")
        screen = main.app.screen
        screen.dismiss(None)
        screen.dismiss(None)
        await until(pilot, lambda: main.app.screen is main)


async def test_the_palette_can_be_left_while_it_still_gathers():
    async with opened(explorer()) as (pilot, main):
        for _ in range(3):
            await pilot.press("colon", "escape")
        await until(pilot, lambda: main.app.screen is main)


@pytest.mark.parametrize("opens", ["question_mark", "s", "t", "S", "e", "J", "colon"])
async def test_esc_typed_before_a_screen_is_ready_closes_it_when_it_is(opens, monkeypatch):
    async with opened(explorer(desk=FakeDesk())) as (pilot, main):
        pushed, push = [], main.app.push_screen
        monkeypatch.setattr(main.app, "push_screen", lambda *a: (pushed.append(a[0]), push(*a)))
        main.app.post_message(events.Key(opens, None))
        main.app.post_message(events.Key("escape", None))
        await until(pilot, lambda: pushed)
        await until(pilot, lambda: main.app.screen is main)


async def test_ctrl_c_says_which_key_quits():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("ctrl+c")
        assert [note.message for note in main.app._notifications] == ["q quits; jobs go on"]


async def test_quit_remembers_the_place():
    app = explorer()
    async with opened(app) as (pilot, main):
        await pilot.press("down", "7", "enter")
        await until(pilot, lambda: main.trajectory.row.repeat == 1)
        await pilot.press("q")
    assert recall(app.root) == Place("dongpo/replicate-2K/run-1", 7, 1)


async def test_leaving_lets_go_of_the_index():
    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, _):
        await pilot.press("q")
    assert catalogue.closed


async def test_copy_says_what_was_copied_and_where_the_picture_lies():
    async with opened(explorer()) as (pilot, main):
        await pilot.press("3", "enter", "y")
        await until(pilot, lambda: main.app._notifications)
        said = next(iter(main.app._notifications)).message
        assert said == (
            "copied dongpo/replicate-2K/run-0@3; its picture is "
            "/runs/banana/dongpo/replicate-2K/run-0/step-003.png"
        )
