"""Redraws 23 metrics of 100 steps in 23x100 cells, against Textual's own 23 Sparklines.

Run by hand: `python -m tests.bench.bench_metric_rows`. CPU milliseconds an update, headless.
"""

import asyncio
import statistics
import time
from collections.abc import Callable
from typing import Any

from textual.app import App, ComposeResult
from textual.widgets import Sparkline

from b100tui.index.rows import RunRow
from b100tui.model.records import Step
from b100tui.tui.trajectory import make_trajectory
from b100tui.tui.widgets.metric_panel import MetricPanel
from tests.bench.bars import tell
from tests.bench.explorer_child import STEPS, plant

ROUNDS = 15


class Ours(App[None]):
    CSS_PATH = "../../b100tui/tui/styles/explorer.tcss"

    def compose(self) -> ComposeResult:
        yield MetricPanel(id="rows")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        names = ("border-dim", "text-dim", "spark", "track", "hit-background")
        return dict.fromkeys(names, "#808080")


class Stock(App[None]):
    CSS = "Sparkline { height: 1; width: 100; }"

    def compose(self) -> ComposeResult:
        for _ in range(23):
            yield Sparkline([])


async def measured(app: App[Any], update: Callable[[int], None]) -> float:
    times = []
    async with app.run_test(size=(140, 45)) as pilot:
        for step in range(ROUNDS):
            began = time.process_time()
            update(step)
            await pilot.pause()
            times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


async def main() -> None:
    series = plant().series("run")
    steps = [Step(run="run", step=n) for n in range(STEPS)]
    shown = make_trajectory(RunRow(run="run"), steps, series, {}).ordered(1)
    ours, stock = Ours(), Stock()

    def ours_at(step: int) -> None:
        ours.query_one("#rows", MetricPanel).show(shown, step * 6, 1)

    def stock_at(step: int) -> None:
        for line, one in zip(stock.query(Sparkline), series, strict=True):
            line.data = list(one.values[step:])

    ours_ms, stock_ms = await measured(ours, ours_at), await measured(stock, stock_at)
    tell("23 series x 100 redrawn, CPU", ours_ms, "ms", 25, peer=("23 Sparklines", stock_ms))


if __name__ == "__main__":
    asyncio.run(main())
