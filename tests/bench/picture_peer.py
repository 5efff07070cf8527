"""textual-image's own widget as a program: ROOT KIND; the pictures and keys of ours."""

import sys
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import Static
from textual_image.widget import (  # it asks the terminal: before Textual runs
    HalfcellImage,
    SixelImage,
    TGPImage,
)

WIDGETS = {"half": HalfcellImage, "kitty": TGPImage, "sixel": SixelImage}
ROOT, WIDGET = Path(sys.argv[1]), WIDGETS[sys.argv[2]]


class Peer(App[None]):
    CSS = "#picture { width: 80; height: 21; }"
    BINDINGS: ClassVar = [("right", "step(1)"), ("left", "step(-1)"), ("q", "quit")]

    def compose(self) -> ComposeResult:
        self.files = sorted(ROOT.glob("*.png"))
        self.at = 0
        yield WIDGET(self.files[0], id="picture")
        yield Static("SHOWN 0", id="status")

    def action_step(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.files) - 1)
        self.query_one("#picture", WIDGET).image = self.files[self.at]


if __name__ == "__main__":
    Peer().run()
