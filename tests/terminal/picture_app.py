"""A small app around PictureView, run in a pty by tests and benchmarks: ROOT [GRAPHICS].

Keys: right, left step; m opens a pop-up, escape closes it; x raises; q quits. Every key that
reaches the app is appended to ROOT/keys.
"""

import os
import sys
from pathlib import Path
from typing import ClassVar

from b100tui.terminal.probe import probe_terminal, tell_textual

ROOT = Path(sys.argv[1])
FACTS = probe_terminal(graphics=sys.argv[2] if len(sys.argv) > 2 else "auto")
tell_textual(FACTS, os.environ)

from textual import events  # noqa: E402  # COLORTERM must be set before
from textual.app import App, ComposeResult  # noqa: E402
from textual.screen import ModalScreen, Screen  # noqa: E402
from textual.widgets import Static  # noqa: E402

from b100tui.model.records import PictureRef  # noqa: E402
from b100tui.terminal.facts import TerminalFacts  # noqa: E402
from b100tui.terminal.pipeline import Pipeline  # noqa: E402
from b100tui.terminal.targets import Target  # noqa: E402
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
        ("m", "pop", "pop-up"),
        ("x", "crash", "crash"),
        ("q", "quit", "quit"),
    ]

    def on_mount(self) -> None:
        self.at = 0
        names = sorted(path.name for path in ROOT.glob("*.png"))
        self.line = [Target(PictureRef(name), name) for name in names]
        self.pipeline = Pipeline(ROOT, FACTS, preview_folder=ROOT / "previews")
        link = Link.of(self)
        if link is not None:
            link.on_facts = self.facts_found
        self.push_screen(Main())
        self.call_after_refresh(self.begin)

    def begin(self) -> None:
        self.screen.query_one(PictureView).attach(self.pipeline)
        self.action_step(0)

    def facts_found(self, facts: TerminalFacts) -> None:
        self.pipeline.facts = facts
        self.screen.query_one(PictureView).again()

    def action_step(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.line) - 1)
        self.screen.query_one(PictureView).show(self.line[self.at], self.line, self.at)

    def action_pop(self) -> None:
        self.push_screen(Pop())

    def action_crash(self) -> None:
        raise RuntimeError("a crash that was asked for")

    def on_picture_view_shown(self, message: PictureView.Shown) -> None:
        self.screen.query_one("#status", Static).update(
            f"SHOWN {self.at} {message.protocol} {message.bytes}.", layout=False
        )

    def on_key(self, event: events.Key) -> None:
        with (ROOT / "keys").open("a", encoding="utf-8") as file:
            file.write(event.key + "\n")


if __name__ == "__main__":
    Link.facts = FACTS
    app = Pictures(driver_class=Link)
    app.run()
    app.pipeline.close()
    sys.exit(app.return_code or 0)
