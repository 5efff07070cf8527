"""The program that bench_explorer watches: an explorer on 28,000 planted runs, or one Static."""

import gc
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

RUNS, STEPS, METRICS = 28_000, 100, 23


def plant() -> Any:
    from b100tui.index.rows import RunRow, Series
    from b100tui.model.records import Section, Step

    class Planted:
        def __init__(self) -> None:
            self.rows = [
                RunRow(
                    run=f"image-{n // 200:03}/replicate-2k-{n // 50 % 4}/run-{n % 50}",
                    image=f"image-{n // 200:03}",
                    recipe="replicate",
                    setting=f"replicate-2k-{n // 50 % 4}",
                    editor="nano-banana-pro",
                    repeat=n % 50,
                    steps=STEPS,
                    first_step=0,
                    last_step=STEPS - 1,
                    spark=tuple((n + k) % 8 for k in range(24)),
                    onset=n % 30,
                )
                for n in range(RUNS)
            ]

        def runs(self, filter: Any = None) -> list[RunRow]:
            return self.rows

        def steps(self, run: str) -> list[Step]:
            text = "I am looking at the plate, the sauce and the light on the table. " * 6
            return [
                Step(
                    run=run, step=n, width=1408, height=768, format="png", prompt=text[:200],
                    sections=(Section("Examining", f"Step {n}. {text}"), Section("Check", text)),
                )
                for n in range(STEPS)
            ]  # fmt: skip

        def series(self, run: str) -> list[Series]:
            steps = tuple(range(STEPS))
            return [
                Series(
                    run=run,
                    metric=f"metric_{m}",
                    steps=steps,
                    values=tuple(((n * (m + 3)) % 37) + n * 0.1 for n in steps),
                )
                for m in range(METRICS)
            ]

        def verdicts(self, run: str) -> list[Any]:
            return []

        marks = verdicts

        def poll(self) -> bool:
            return False

        def close(self) -> None:
            """Nothing is held."""

    return Planted()


def heartbeat(app: Any, report: Path) -> None:
    """Write the longest turn of the event loop since the last beat was asked for."""
    gaps: list[float] = []
    last = time.perf_counter()

    def beat() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
        if len(gaps) % 100 == 0:
            new = report.with_suffix(".new")
            new.write_text(json.dumps(gaps[-20_000:]))
            new.replace(report)

    app.set_interval(0.002, beat)


def static() -> None:
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    class One(App[None]):
        def compose(self) -> ComposeResult:
            yield Static("image-000")

        def on_key(self) -> None:
            self.exit()

    One().run()


def main() -> None:
    kind = sys.argv[1]
    if kind == "static":
        static()
        return
    root = Path(sys.argv[2])
    if kind == "first":
        from b100tui.tui.start import explore

        explore(root)
        return
    from b100tui.tui.start import paint_sooner

    paint_sooner(os.environ)
    from b100tui.terminal.facts import TerminalFacts
    from b100tui.tui.app import Explorer
    from b100tui.tui.driver import Link

    gc.disable()  # as `explore` does until the runs are read
    planted = plant()
    app = Explorer(
        root,
        facts=TerminalFacts(graphics="text"),
        open_catalogue=lambda _: planted,
        keep_fresh=False,
        driver_class=Link,
    )
    if kind == "beat":
        app.call_later(heartbeat, app, Path(sys.argv[3]))
    app.run()


if __name__ == "__main__":
    main()
