"""Two groups side by side: lines and screen, on scores planted through the real arithmetic."""

import pytest

from b100tui.analysis.groups import GroupRun, compare
from b100tui.metrics.registry import metric
from b100tui.model.errors import UsageError
from b100tui.report.comparison import Changed, GroupComparison, GroupSide, TableComparison
from b100tui.tui.groups import group_lines
from b100tui.tui.screens.groups import GroupsScreen
from b100tui.tui.widgets.bars import StatusLine
from tests.tui.analyst_fake import FakeAnalyst
from tests.tui.fake import explorer, opened, until


def planted(name, gains, *, onset, usd):
    """Runs whose BRISQUE falls from 75 by `gains` up to step 5: normalised by 150."""
    return [
        GroupRun(
            run=f"{name}-{n}", last=20, onset=onset, limit=None, usd=usd,
            scores={"brisque": {1: 75.0, 5: 75.0 - gain}},
        )
        for n, gain in enumerate(gains)
    ]  # fmt: skip


def comparison(first="a", second="b") -> GroupComparison:
    found = compare(
        (metric("brisque"),),
        planted("a", (30.0, 33.0), onset=4, usd=1.5),
        planted("b", (-15.0, -12.0), onset=None, usd=None),
        steps=(5,),
    )
    sides = [
        GroupSide(
            group=name, runs=side.runs, steps=found.steps, onset=side.onset, limit=side.limit,
            usd=side.usd, usd_known=side.usd_known,
            metrics={m: tuple((c.mean, c.sd, c.n) for c in cells)
                     for m, cells in side.metrics.items()},
        )
        for name, side in ((first, found.first), (second, found.second))
    ]  # fmt: skip
    return GroupComparison(
        reference=1, steps=found.steps, first=sides[0], second=sides[1],
        differences=found.differences, notes=("runs of 'a' differ in editor",),
    )  # fmt: skip


def lines():
    _, found = group_lines(comparison())
    return ["".join(text for text, _ in line) for line in found]


def test_onset_limit_and_cost_stand_side_by_side():
    assert lines()[1].split() == ["onset", "4", "never", "in", "2/2"]
    assert lines()[2].split() == ["limit", "never", "in", "2/2", "never", "in", "2/2"]
    assert lines()[3].split() == ["cost", "$3.00", "not", "known"]


def test_gaps_carry_sd_and_n_and_the_failing_side_its_sign():
    # Gains of 30 and 33 of 150 are 20 and 22 points; losses of 15 and 12 are -10 and -8.
    assert "+21.0 ±1.4 (2) ✗" in lines()[5] and "-9.0 ±1.4 (2)" in lines()[5]


def test_a_difference_beyond_the_spread_says_so():
    assert "-30.0 ≠ [" in lines()[5]


class Comparing(FakeAnalyst):
    def __init__(self) -> None:
        super().__init__()
        self.compared: list[tuple[str, str]] = []

    def compare(self, first, second, reference):
        self.compared.append((first, second))
        if first == "nobody":
            raise UsageError("no run matches 'nobody'", "b100 runs --filter EXPR shows what does")
        return comparison(first, second)

    def compare_saved(self, first, second):
        return TableComparison(
            cells=9, changed=(Changed(group="fog", metric="brisque", step=5, before=1.0, after=-1.0,
                                      failure_before=True, failure_after=False),),
            turned=1, new=0, gone=2,
        )  # fmt: skip


async def groups(pilot, main) -> GroupsScreen:
    if main.analyst is None:
        main.analyst = Comparing()
    await pilot.press("G")
    await until(pilot, lambda: isinstance(main.app.screen, GroupsScreen))
    return main.app.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_two_expressions_are_compared(size):
    async with opened(explorer(), size) as (pilot, main):
        screen = await groups(pilot, main)
        await pilot.press(*"image:a", "enter", *"image:b", "enter")
        await until(pilot, lambda: "+21.0" in screen.lines.plain)
        assert main.analyst.compared == [("image:a", "image:b")]
        told = screen.query_one("#groups-status", StatusLine).plain
        assert "2 runs and 2 runs · 1 of 1 gaps differ" in told
        assert "differ in editor" in screen.words.plain


async def test_x_changes_sides():
    async with opened(explorer()) as (pilot, main):
        screen = await groups(pilot, main)
        await pilot.press("a", "enter", "b", "enter")
        await until(pilot, lambda: "+21.0" in screen.lines.plain)
        await pilot.press("x")
        await until(pilot, lambda: main.analyst.compared[-1] == ("b", "a"))


async def test_a_group_without_runs_says_so():
    async with opened(explorer()) as (pilot, main):
        screen = await groups(pilot, main)
        await pilot.press(*"nobody", "enter", "b", "enter")
        await until(pilot, lambda: "no run matches" in screen.lines.plain)


async def test_the_screen_opens_again_with_its_groups():
    async with opened(explorer()) as (pilot, main):
        screen = await groups(pilot, main)
        await pilot.press("a", "enter", "b", "enter")
        await until(pilot, lambda: "+21.0" in screen.lines.plain)
        await pilot.press("escape")
        await until(pilot, lambda: main.app.screen is main)
        again = await groups(pilot, main)
        await until(pilot, lambda: "+21.0" in again.lines.plain)


async def test_a_saved_table_is_compared_with_now():
    async with opened(explorer()) as (pilot, main):
        screen = await groups(pilot, main)
        await pilot.press(*"@y.json", "enter", *"now", "enter")
        await until(pilot, lambda: "+1.0✗" in screen.lines.plain)
        told = screen.query_one("#groups-status", StatusLine).plain
        assert "9 cells in both · 1 changed · 1 turned · 0 new, 2 gone" in told
