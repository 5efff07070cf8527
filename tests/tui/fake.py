"""A catalogue in memory with planted runs, and ways to drive the explorer on it."""

import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from textual.css.query import NoMatches
from textual.pilot import Pilot

from b100tui.index.rows import FirstPaint, RunRow, SearchHit, SearchResult, Series
from b100tui.model.errors import StoreError
from b100tui.model.records import MarkRecord, PictureRef, Section, Step, VerdictRecord
from b100tui.tui.app import Explorer
from b100tui.tui.screens.main import MainScreen

LAST = 20
PATIENCE = 240.0  # seconds, on a machine with much else to do
# What was said must still stand there when a test comes to read it.
Explorer.NOTIFICATION_TIMEOUT = 10 * PATIENCE
METRICS = ("brisque", "qualiclip", "noise_sigma", "ssim")


def make_row(image: str, setting: str, repeat: int, **more: Any) -> RunRow:
    fields: dict[str, Any] = {
        "run": f"{image}/{setting}/run-{repeat}",
        "image": image,
        "recipe": setting.split("-", maxsplit=1)[0],
        "setting": setting,
        "editor": "simulate",
        "repeat": repeat,
        "steps": LAST + 1,
        "first_step": 0,
        "last_step": LAST,
        "spark": tuple(range(8)) * 3,
        "onset": 7,
        "steps_planned": LAST,
    }
    return RunRow(**(fields | more))


def rows(images: Sequence[str] = ("dongpo", "fog"), repeats: int = 3) -> list[RunRow]:
    return [
        make_row(image, setting, repeat)
        for image in images
        for setting in ("replicate-2K", "rotate-1K")
        for repeat in range(repeats)
    ]


class FakeCatalogue:
    """Every run has the same 21 steps; brisque improves (a liar), ssim falls."""

    def __init__(self, listed: list[RunRow] | None = None) -> None:
        self.listed = rows() if listed is None else listed
        self.last = LAST
        self.missing: set[int] = set()
        self.unreadable: dict[int, str] = {}
        self.sections: tuple[Section, ...] = (
            Section("Examining the Dish", "I'm looking at the plate and the sauce."),
            Section("Final Check", "Everything matches the request."),
        )
        self.prompt = "Repeat the picture exactly."
        self.changed = threading.Event()
        self.asked: list[str] = []
        self.closed = False

    def runs(self, filter: Any = None) -> list[RunRow]:
        return self.listed

    def run_ids(self, filter: Any) -> list[str]:
        self.asked.append("run_ids")
        return [row.run for row in self.listed if row.repeat == 1]

    def steps(self, run: str) -> list[Step]:
        self.asked.append(run)
        return [self._step(run, number) for number in range(self.last + 1)]

    def _step(self, run: str, number: int) -> Step:
        if number in self.missing:
            return Step(run=run, step=number, status="missing")
        if number in self.unreadable:
            return Step(run=run, step=number, status="unreadable", reason=self.unreadable[number])
        return Step(
            run=run,
            step=number,
            picture=PictureRef(f"{run}/step-{number:03}.png", bytes=123_456),
            width=1408,
            height=768,
            format="png",
            prompt=self.prompt,
            seed=42,
            model="simulated-1",
            sections=self.sections if number else (),
            finish_reason="STOP",
            cost_usd=0.1344,
            seconds=41.2,
        )

    def series(self, run: str) -> list[Series]:
        steps = tuple(n for n in range(self.last + 1) if n not in self.missing)
        planted = {
            "brisque": lambda n: 40.0 - 2.0 * n,
            "qualiclip": lambda n: 0.7 - 0.01 * n,
            "noise_sigma": lambda n: 1.0 + 0.5 * n,
            "ssim": lambda n: 1.0 - 0.02 * n,
        }
        return [
            Series(run=run, metric=name, steps=steps, values=tuple(planted[name](n) for n in steps))
            for name in METRICS
        ]

    def verdicts(self, run: str) -> list[VerdictRecord]:
        return [VerdictRecord(run=run, step=5, verdict="no", model="judge", content_hash="x")]

    def marks(self, run: str) -> list[MarkRecord]:
        return [MarkRecord(id="1", run=run, step=6, mode="tint", by="ada", time="")]

    def search(self, query: str, limit: int = 50, filter: Any = None) -> SearchResult:
        run = self.listed[-1].run
        hit = SearchHit(
            run=run, step=9, section=0, title="Examining the Dish",
            snippet="looking at the plate and", score=1.0, marks=((15, 20),),
        )  # fmt: skip
        return SearchResult(query=query, total=1, seconds=0.001, hits=(hit,))

    def poll(self) -> bool:
        was = self.changed.is_set()
        self.changed.clear()
        return was

    def close(self) -> None:
        self.closed = True


def first_paint(listed: list[RunRow]) -> FirstPaint:
    return FirstPaint(
        generation=1, root="/runs", total_runs=len(listed),
        total_steps=sum(row.steps for row in listed), total_metrics=4, rows=tuple(listed[:200]),
    )  # fmt: skip


def explorer(catalogue: FakeCatalogue | None = None, **more: Any) -> Explorer:
    given = catalogue if catalogue is not None else FakeCatalogue()
    options: dict[str, Any] = {"open_catalogue": lambda root: given, "keep_fresh": False}
    return Explorer(Path("/runs/banana"), **(options | more))


def no_index(root: Path) -> FakeCatalogue:
    raise StoreError(f"{root} has no index yet", "run b100 index first")


async def until(pilot: Pilot[Any], met: Callable[[], Any]) -> None:
    """Let the app work until `met()`; fails when that never comes."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        await pilot.pause(0.005)
        # A screen that is still being put together lacks what is looked for.
        with suppress(NoMatches):
            if met():
                await pilot.pause()
                return
    raise AssertionError("the app never came to the awaited state")


@asynccontextmanager
async def opened(
    app: Explorer, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[Any], MainScreen]]:
    """Run `app` until a run is shown."""
    async with app.run_test(size=size) as pilot:
        main = app.main
        await until(pilot, lambda: main.trajectory is not None)
        yield pilot, main


def screen_text(app: Explorer) -> list[str]:
    """Return what stands on the screen, a string a line."""
    return [
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    ]
