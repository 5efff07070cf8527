"""Rows of tiles: how many fit, which steps, and the screens that show them."""

import pytest

from b100tui.model.errors import StoreError
from b100tui.model.records import PictureRef, Step
from b100tui.terminal.frames import Area
from b100tui.tui.grid import last_at_or_before, layout, page_of, spread
from b100tui.tui.screens.grid import MatrixScreen, SheetScreen
from b100tui.tui.widgets.picture_row import Captions
from tests.tui.fake import FakeCatalogue, explorer, opened, until


def step(number: int, status: str = "ok") -> Step:
    ref = PictureRef(f"{number}.png") if status == "ok" else None
    return Step(run="r", step=number, status=status, picture=ref)  # type: ignore[arg-type]


def test_tiles_fill_the_area_in_the_pictures_shape() -> None:
    plan = layout(Area(120, 38, 10, 20), 20, 16 / 9)
    assert (plan.columns, plan.width, plan.height, plan.rows) == (6, 20, 5, 6)
    assert plan.columns * plan.width <= 120
    assert plan.rows * (plan.height + 1) <= 38


def test_never_more_columns_than_there_is_to_show() -> None:
    assert layout(Area(120, 38, 10, 20), 20, 1.0, most=2).columns == 2


def test_the_last_picture_at_or_before_a_step() -> None:
    steps = [step(0), step(1), step(2, "missing"), step(3, "unreadable"), step(9)]
    found = [last_at_or_before(steps, n) for n in (0, 1, 2, 5, 9, 50)]
    assert [one.step if one else None for one in found] == [0, 1, 1, 1, 9, 9]
    assert last_at_or_before(steps[1:], 0) is None


@pytest.mark.parametrize(
    ("first", "last", "count", "wanted", "steps"),
    [
        (0, 100, 6, 0, (0, 20, 40, 60, 80, 100)),
        (0, 100, 6, 42, (0, 20, 42, 60, 80, 100)),
        (0, 2, 6, 1, (0, 1, 2)),
        (5, 5, 6, 5, (5,)),
    ],
)
def test_steps_across_are_evenly_spread_with_the_wanted_one(
    first: int, last: int, count: int, wanted: int, steps: tuple[int, ...]
) -> None:
    assert spread(first, last, count, wanted) == steps


def test_a_page_begins_at_a_multiple_of_its_size() -> None:
    assert [page_of(n, 18) for n in (0, 17, 18, 40)] == [0, 0, 18, 36]


async def test_the_sheet_opens_at_the_step_and_goes_where_it_is_told() -> None:
    async with opened(explorer()) as (pilot, main):
        await pilot.press("4", "enter", "c")
        sheet = main.app.screen
        assert isinstance(sheet, SheetScreen)
        await until(pilot, lambda: len(sheet.rows) > 0)
        assert sheet.place() == (main.trajectory.row.run, 4)
        await pilot.press("right", "down", "enter")
        await until(pilot, lambda: main.app.screen is main)
        assert main.position.step == 5 + sheet.plan.columns


async def test_escape_leaves_the_sheet_where_it_came_from() -> None:
    async with opened(explorer()) as (pilot, main):
        await pilot.press("4", "enter", "c", "right", "escape")
        await until(pilot, lambda: main.app.screen is main)
        assert main.position.step == 4


async def test_the_matrix_has_one_cursor_over_runs_and_steps() -> None:
    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("x")
        matrix = main.app.screen
        assert isinstance(matrix, MatrixScreen)
        await until(pilot, lambda: matrix.known and matrix.across)
        column = matrix.across.index(matrix.step)
        await pilot.press("down", "right")
        assert matrix.place() == (matrix.listed[1].run, matrix.across[column + 1])
        await pilot.press("enter")
        await until(pilot, lambda: main.trajectory.row.run == matrix.listed[1].run)
        assert main.position.step == matrix.across[column + 1]


async def test_the_matrix_names_the_last_picture_where_a_step_is_missing() -> None:
    catalogue = FakeCatalogue()
    catalogue.missing = {20, 19}
    async with opened(explorer(catalogue)) as (pilot, main):
        await pilot.press("x")
        matrix = main.app.screen
        assert isinstance(matrix, MatrixScreen)
        await until(pilot, lambda: matrix.known and matrix.across)
        await pilot.press("end")
        assert matrix.step == 20
        run, step = matrix.place() or ("", -1)
        assert (run, step) == (matrix.listed[matrix.at].run, 18)


async def test_steps_that_cannot_be_read_are_told_and_leave_empty_tiles() -> None:
    def steps(run: str) -> list[Step]:
        raise StoreError("the index is gone", "b100 index")

    catalogue = FakeCatalogue()
    async with opened(explorer(catalogue)) as (pilot, main):
        catalogue.steps = steps  # type: ignore[method-assign]
        await pilot.press("x")
        matrix = main.app.screen
        assert isinstance(matrix, MatrixScreen)
        await until(pilot, lambda: matrix.known)
        await until(pilot, lambda: main.app._notifications)
        told = {note.message for note in main.app._notifications}
        assert f"reading {matrix.listed[0].run}: the index is gone" in told


async def test_below_the_sheet_nothing_is_painted_but_below_a_pop_up_it_is() -> None:
    """Else each change down there would send all pictures of the sheet again."""
    async with opened(explorer()) as (pilot, main):
        await pilot.press("c")
        assert isinstance(main.app.screen, SheetScreen)
        assert not main.is_current
        await pilot.press("escape", "?")
        assert main.app.screen is not main
        assert main.is_current


async def test_a_page_may_be_shown_while_its_rows_are_being_taken_away() -> None:
    async with opened(explorer()) as (pilot, main):
        await pilot.press("c")
        sheet = main.app.screen
        assert isinstance(sheet, SheetScreen)
        await until(pilot, lambda: len(sheet.rows) > 0 and sheet.rows[0].query(Captions))
        await sheet.rows[0].query_one(Captions).remove()
        sheet.show_page()
        assert not main.explorer.crashed
