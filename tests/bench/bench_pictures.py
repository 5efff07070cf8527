"""Key to last byte of a picture, and bytes, in a pty: ours beside textual-image's widget.

    python -m tests.bench.bench_pictures [half kitty sixel iterm peer ...]

The pty drains at once and answers; the terminal's own drawing is not in the figures. New:
first visit, made ahead or on demand; revisited: the way back. Half blocks fill 140x40 cells
(bar: p50/p95 30/50 ms when cached), the others 80x21 (bars: Kitty new 40/60, revisited
15/25; iTerm 25/50; sixel made ahead 60/120).
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from tests.terminal.fake_terminal import FakeTerminal

STEPS = 14
QUIET = 0.06
RIGHT, LEFT = "\x1b[C", "\x1b[D"
SIZES = {"half": (140, 41), "peer": (140, 41)}
OTHER = (80, 22)


def main(kinds: list[str]) -> None:
    """Print one line a protocol and way."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            size = SIZES.get(kind, OTHER)
            root = Path(folder) / kind
            root.mkdir()
            make_pictures(root, size)
            for pause in (0.0, 0.35):
                for name, figures in measure(kind, root, size, pause):
                    report(f"{kind} {name}, {pause * 1000:.0f} ms between keys", figures)


def make_pictures(root: Path, size: tuple[int, int]) -> None:
    """Write grainy steps of the area's shape, 1408 pixels wide."""
    height = 1408 * (size[1] - 1) * 20 // (size[0] * 10)
    base = Image.linear_gradient("L").resize((1408, height))
    for step in range(STEPS):
        grain = [Image.effect_noise((1408, height), 20 + 3 * step) for _ in range(3)]
        bands = [Image.blend(base.rotate(90 * n), grain[n], 0.35) for n in range(3)]
        Image.merge("RGB", bands).save(root / f"{step:03}.png", compress_level=1)


def measure(
    kind: str, root: Path, size: tuple[int, int], pause: float
) -> list[tuple[str, list[tuple[float, int]]]]:
    """Walk to the end and back twice; return (way, [(ms, bytes)])."""
    terminal = (
        FakeTerminal(
            "half",
            "tests.bench.bench_pictures",
            "--peer",
            str(root),
            size=size,
            environment={"COLORTERM": "truecolor"},
        )
        if kind == "peer"
        else FakeTerminal(kind, "tests.terminal.picture_app", str(root), size=size)
    )
    with terminal:
        terminal.wait_for("SHOWN 0")
        settle(terminal)
        ways = [("new", RIGHT), ("revisited", LEFT), ("revisited again", RIGHT)]
        if kind == "peer":
            ways = ways[:2]
        found = []
        for name, key in ways:
            figures = []
            for _ in range(STEPS - 1):
                figures.append(one(terminal, key))
                wait(terminal, pause)
            found.append((name, figures))
        terminal.press("q")
        terminal.finish()
    return found


def one(terminal: FakeTerminal, key: str) -> tuple[float, int]:
    """Press `key`; return ms until the last byte before silence, and bytes."""
    start = time.perf_counter()
    place = terminal.press(key)
    last = start
    limit = QUIET * 10
    while terminal.read(limit):
        last = time.perf_counter()
        limit = QUIET
    return (last - start) * 1000, len(terminal.written) - place


def wait(terminal: FakeTerminal, seconds: float) -> None:
    """Drain for `seconds`: the sharp frame of the step goes out meanwhile."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        terminal.read(left)


def settle(terminal: FakeTerminal) -> None:
    """Drain until half a second of silence."""
    while terminal.read(0.5):
        pass


def report(name: str, figures: list[tuple[float, int]]) -> None:
    """Print p50, p95 and the median of bytes."""
    times = sorted(ms for ms, _ in figures)
    p95 = times[min(int(len(times) * 0.95), len(times) - 1)]
    size = statistics.median(size for _, size in figures)
    print(f"{name:<44} p50 {statistics.median(times):6.1f}  p95 {p95:6.1f} ms  {size:9,.0f} bytes")


def peer(root: Path) -> None:
    """textual-image's own half-cell widget with the same pictures and keys."""
    from typing import ClassVar

    from textual.app import App, ComposeResult
    from textual.widgets import Static
    from textual_image.widget import HalfcellImage  # it asks the terminal: before Textual runs

    class Peer(App[None]):
        CSS = "HalfcellImage { width: 140; height: 40; }"
        BINDINGS: ClassVar = [("right", "step(1)"), ("left", "step(-1)"), ("q", "quit")]

        def compose(self) -> ComposeResult:
            self.files = sorted(root.glob("*.png"))
            self.at = 0
            yield HalfcellImage(self.files[0])
            yield Static("SHOWN 0", id="status")

        def action_step(self, by: int) -> None:
            self.at = min(max(self.at + by, 0), len(self.files) - 1)
            self.query_one(HalfcellImage).image = self.files[self.at]

    Peer().run()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(Path(sys.argv[2]))
    else:
        main(sys.argv[1:] or ["half", "kitty", "sixel", "iterm", "peer"])
