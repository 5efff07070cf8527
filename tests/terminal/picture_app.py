"""A small app around PictureView, run in a pty by tests and benchmarks: ROOT [GRAPHICS].

Keys: right, left step; z zooms to 4:1, h and l pan there; d shows the aligned difference to
the first step; m opens a pop-up, escape closes it; x raises; q quits. Every key that reaches
the app is appended to ROOT/keys. LINK states the speed of the link. With BENCH set, g tells
the longest turn of the event loop since the last g and the memory in use.
"""

import asyncio
import gc
import os
import sys
import time
from pathlib import Path
from typing import ClassVar

from b100tui.terminal.probe import probe_terminal, tell_textual
from b100tui.tui.start import paint_sooner

ROOT = Path(sys.argv[1])
FACTS = probe_terminal(graphics=sys.argv[2] if len(sys.argv) > 2 else "auto")
tell_textual(FACTS, os.environ)
paint_sooner(os.environ)

from msgspec.structs import replace  # noqa: E402
from textual import events  # noqa: E402  # COLORTERM must be set before
from textual.app import App, ComposeResult  # noqa: E402
from textual.screen import ModalScreen, Screen  # noqa: E402
from textual.widgets import Static  # noqa: E402

from b100tui.model.records import PictureRef  # noqa: E402
from b100tui.terminal.facts import TerminalFacts  # noqa: E402
from b100tui.terminal.pipeline import Pipeline  # noqa: E402
from b100tui.terminal.speed import stated  # noqa: E402
from b100tui.terminal.targets import Target, ViewSpec  # noqa: E402
from b100tui.tui.driver import Link  # noqa: E402
from b100tui.tui.widgets.picture import PictureView  # noqa: E402


class Pop(ModalScreen[None]):
    CSS = "Pop { align: center middle; background: transparent; } Static { width: 20; height: 3; }"
    BINDINGS: ClassVar = [("escape", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        yield Static("POP-UP")


class Main(Screen[None]):
    def compose(self) -> ComposeResult:
        yield PictureView()
        yield Static("STATUS", id="status")

    def on_screen_suspend(self) -> None:
        self.query_one(PictureView).cover_changed()

    def on_screen_resume(self) -> None:
        self.query_one(PictureView).cover_changed()


class Pictures(App[None]):
    CSS = "#status { height: 1; }"
    BINDINGS: ClassVar = [
        ("right", "step(1)", "on"),
        ("left", "step(-1)", "back"),
        ("z", "zoom", "zoom"),
        ("h", "pan(-40)", "left"),
        ("l", "pan(40)", "right"),
        ("d", "difference", "difference"),
        ("g", "gap", "gap"),
        ("m", "pop", "pop-up"),
        ("x", "crash", "crash"),
        ("q", "quit", "quit"),
    ]

    def on_mount(self) -> None:
        self.at = 0
        self.said = ""
        self.view = ViewSpec()
        self.gap = 0.0
        self.longest = 0.0
        names = sorted(path.name for path in ROOT.glob("*.png"))
        self.line = [Target(PictureRef(name), name) for name in names]
        self.pipeline = Pipeline(ROOT, FACTS, preview_folder=ROOT / "previews")
        link = Link.of(self)
        if link is not None:
            link.on_facts = self.facts_found
        self.below = Main()
        self.push_screen(self.below)
        self.call_after_refresh(self.begin)
        gc.freeze()  # as the explorer does once its index is read

    def begin(self) -> None:
        self.below.query_one(PictureView).attach(self.pipeline)
        self.action_step(0)
        if "BENCH" in os.environ:
            self.beating = asyncio.create_task(self.beat())

    def facts_found(self, facts: TerminalFacts) -> None:
        self.pipeline.facts = facts
        self.below.query_one(PictureView).again()

    def action_step(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.line) - 1)
        self.show_view()

    def action_difference(self) -> None:
        reference = self.line[0].ref
        self.view = ViewSpec(difference="abs", gain=4.0, reference=reference, align=True)
        self.show_view()

    def action_zoom(self) -> None:
        self.view = ViewSpec(zoom=4, centre=(400, 300))
        self.show_view()

    def action_pan(self, by: int) -> None:
        x, y = self.view.centre or (400, 300)
        self.view = ViewSpec(zoom=4, centre=(x + by, y))
        self.show_view()

    def show_view(self) -> None:
        self.said = ""
        self.tell()
        line = [replace(target, view=self.view) for target in self.line]
        self.below.query_one(PictureView).show(line[self.at], line, self.at)

    def action_gap(self) -> None:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        self.said = f"GAP {self.longest * 1000:.0f} ms {megabytes:.0f} MB."
        self.longest = 0.0
        self.tell()

    async def beat(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.002)
            now = time.monotonic()
            self.longest = max(self.longest, now - last - 0.002)
            last = now

    def tell(self) -> None:
        status = f"AT {self.at}. {self.said}"
        self.below.query_one("#status", Static).update(status, layout=False)

    def action_pop(self) -> None:
        self.push_screen(Pop())

    def action_crash(self) -> None:
        raise RuntimeError("a crash that was asked for")

    def on_picture_view_shown(self, message: PictureView.Shown) -> None:
        self.said = f"SHOWN {self.at} {message.protocol} {message.bytes}."
        frame = message.view.frame
        if frame is not None and frame.quality == "sharp":
            self.said += f" SHARP {self.at}."
        self.tell()

    def on_key(self, event: events.Key) -> None:
        with (ROOT / "keys").open("a", encoding="utf-8") as file:
            file.write(event.key + "\n")


if __name__ == "__main__":
    Link.facts = FACTS
    Link.speed = stated(os.environ.get("LINK", "auto"))
    app = Pictures(driver_class=Link)
    app.run()
    app.pipeline.close()
    sys.exit(app.return_code or 0)
