"""The editing dialog, by keys, on a maker in memory."""

import pytest

from b100tui.engine.estimate import Dollars, Estimate
from b100tui.model.errors import StoreError
from b100tui.tui.maker import Begun, Choices, EditorChoice, Order
from b100tui.tui.screens.edit import EditScreen
from tests.tui.fake import LAST, FakeCatalogue, explorer, make_row, opened, screen_text, until
from tests.tui.jobs_made import FakeDesk

RUN = "dongpo/replicate-2K/run-0"


class FakeMaker:
    def __init__(self, usd: float = 0.0, fixed: str = "") -> None:
        self.usd = usd
        self.fixed = fixed
        self.quoted: list[Order] = []
        self.begun: list[tuple[Order, float | None]] = []
        self.fault: StoreError | None = None

    def choices(self, run: str) -> Choices:
        return Choices(
            editors=(
                EditorChoice(
                    id="nano", title="Nano", ready=False, reason="no API key", fix="set K"
                ),
                EditorChoice(id="simulate", title="simulate", simulated=True, seed=False),
                EditorChoice(id="sized", title="Sized", resolutions=("1K", "2K")),
            ),
            recipes=("replicate", "rotate"),
            fixed=self.fixed,
        )

    def quote(self, order: Order) -> Estimate:
        self.quoted.append(order)
        each = Dollars(
            self.usd * order.steps, 2 * self.usd * order.steps, 3 * self.usd * order.steps
        )
        return Estimate(images=order.steps, usd=each, hours=0.01, gigabytes=0.03, limits=(),
                        price_table_date="2026-11-30", runs=1)  # fmt: skip

    def begin(self, order: Order, budget: float | None) -> Begun:
        if self.fault is not None:
            raise self.fault
        self.begun.append((order, budget))
        return Begun("edit-1", "dongpo/new/run-0")


def app_with(maker: FakeMaker, catalogue: FakeCatalogue | None = None):
    return explorer(catalogue, desk=FakeDesk(), maker=lambda _: maker)


async def open_edit(pilot, main) -> EditScreen:
    await pilot.press("e")
    await until(pilot, lambda: isinstance(main.app.screen, EditScreen) and main.app.screen._told)
    return main.app.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_e_shows_the_rows_the_estimate_and_the_keys(size):
    async with opened(app_with(FakeMaker()), size) as (pilot, main):
        await open_edit(pilot, main)
        text = "\n".join(screen_text(main.explorer))
        assert f"Edit from {RUN}@0" in text and "10 pictures, less than a minute, 0.03 GB" in text
        assert "free: nothing leaves this machine" in text and "Enter starts" in text
        assert "SIMULATED" in text


async def test_the_first_editor_that_can_run_is_taken_and_a_fork_is_free_of_the_run():
    maker = FakeMaker()
    async with opened(app_with(maker)) as (pilot, main):
        await open_edit(pilot, main)
        await pilot.press("enter")
        await until(pilot, lambda: maker.begun)
        order = Order(way="fork", run=RUN, step=0, image="dongpo", steps=10, editor="simulate",
                      recipe="replicate")  # fmt: skip
        assert maker.begun == [(order, None)]


async def test_at_its_end_a_run_is_gone_on_with_and_its_own_plan_stands():
    maker = FakeMaker()
    async with opened(app_with(maker)) as (pilot, main):
        await pilot.press("end")
        screen = await open_edit(pilot, main)
        assert screen.order() == Order(way="continue", run=RUN, step=LAST, image="dongpo", steps=10)
        assert screen.query_one("#editor").disabled and screen.query_one("#seed").disabled


async def test_a_run_that_b100_did_not_make_can_only_be_forked():
    async with opened(app_with(FakeMaker(fixed="b100 did not make this run"))) as (pilot, main):
        await pilot.press("end")
        screen = await open_edit(pilot, main)
        await pilot.press("right")
        assert screen.order().way == "fork"
        assert "b100 did not make this run" in screen.query_one("#plan").plain


async def test_rows_are_reached_by_arrows_and_choices_turned():
    async with opened(app_with(FakeMaker())) as (pilot, main):
        screen = await open_edit(pilot, main)
        await pilot.press("down", "right", "down", "right", "down", "backspace", "backspace", "5")
        order = screen.order()
        assert (order.editor, order.recipe, order.steps) == ("sized", "rotate", 5)


async def test_an_own_prompt_replaces_the_recipe():
    maker = FakeMaker()
    async with opened(app_with(maker)) as (pilot, main):
        screen = await open_edit(pilot, main)
        await pilot.press("down", "down", "left")
        assert "write your own prompt" in screen.query_one("#plan").plain
        await pilot.press("down", *"fog")
        await until(pilot, lambda: screen._told)
        assert screen.order().prompt == "fog" and not screen.order().recipe


async def test_resolutions_and_seeds_are_asked_of_editors_that_take_them():
    async with opened(app_with(FakeMaker())) as (pilot, main):
        screen = await open_edit(pilot, main)
        assert screen.query_one("#seed").disabled and screen.query_one("#resolution").disabled
        await pilot.press("down", "right")
        assert not screen.query_one("#resolution").disabled
        screen.query_one("#resolution").focus()
        await pilot.press("right", "right", "right")
        assert screen.order().resolution == "interleaved"


async def test_paid_work_needs_a_cap_and_a_typed_yes():
    maker = FakeMaker(usd=0.1)
    async with opened(app_with(maker)) as (pilot, main):
        screen = await open_edit(pilot, main)
        assert (
            "likely $2.00 ($1.00 to $3.00), prices of 2026-11-30" in screen.query_one("#plan").plain
        )
        await pilot.press("enter")
        assert not maker.begun and screen.focused.id == "yes"
        await pilot.press(*"no", "enter")
        assert not maker.begun
        await pilot.press("backspace", "backspace", *"yes", "enter")
        await until(pilot, lambda: maker.begun)
        assert maker.begun[0][1] == 3.0


async def test_an_editor_that_cannot_run_is_priced_but_not_started():
    maker = FakeMaker()
    async with opened(app_with(maker)) as (pilot, main):
        screen = await open_edit(pilot, main)
        await pilot.press("down", "left")
        await until(pilot, lambda: screen._told)
        await pilot.press("enter")
        await until(pilot, lambda: main.app._notifications)
        assert not maker.begun and "no API key: set K" in screen.query_one("#plan").plain


async def test_words_that_are_no_number_are_named():
    async with opened(app_with(FakeMaker())) as (pilot, main):
        screen = await open_edit(pilot, main)
        await pilot.press("down", "down", "down", "x")
        assert "steps: 'x' is no number from 1" in screen.query_one("#plan").plain


async def test_enter_on_words_typed_since_the_estimate_starts_nothing():
    maker = FakeMaker()
    async with opened(app_with(maker)) as (pilot, main):
        screen = await open_edit(pilot, main)
        screen.word = lambda name: "rpu"
        screen.action_start()
        await pilot.pause()
        assert maker.begun == []
        assert main.app.screen is screen


async def test_a_start_that_fails_says_why_and_can_be_tried_again():
    maker = FakeMaker()
    maker.fault = StoreError("read-only folder", "fork into another one")
    async with opened(app_with(maker)) as (pilot, main):
        screen = await open_edit(pilot, main)
        await pilot.press("enter")
        await until(pilot, lambda: "read-only folder" in screen.query_one("#plan").plain)
        assert main.app.screen is screen


async def test_the_new_run_is_opened_at_its_end_once_it_is_there_and_followed():
    catalogue = FakeCatalogue()
    async with opened(app_with(FakeMaker(), catalogue)) as (pilot, main):
        await open_edit(pilot, main)
        await pilot.press("enter")
        await until(pilot, lambda: main.awaited)
        catalogue.listed = [*catalogue.listed, make_row("dongpo", "new", 0)]
        main.read_runs()
        await until(pilot, lambda: main.trajectory.row.run == "dongpo/new/run-0")
        assert main.position.step == LAST and main.position.following and not main.awaited
