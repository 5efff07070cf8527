"""What is ready when: neighbours, a key after a rest, aligned differences, previews, memory.

    python -m tests.bench.bench_rest [ready idle aligned placeholder previews five ...]

As bench_pictures: 80x21 cells over a pty that drains at once; pictures are made here, and have
no previews yet. A figure is from the key to the picture's last byte.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
from PIL import Image

from b100tui.imaging.previews import LEVELS, Cache
from b100tui.model.records import PictureRef
from b100tui.terminal.targets import likely_next
from tests.bench.bars import tell
from tests.bench.bench_decode import picture
from tests.bench.bench_pictures import (
    BARS,
    LEFT,
    RIGHT,
    Figures,
    as_urgent,
    end,
    one,
    rest,
    start,
    times,
)
from tests.bench.pictures import make_steps
from tests.terminal.fake_terminal import FakeTerminal

LARGE, MIDDLE = (5632, 3008), (2816, 1504)
COUNT, FAR = 24, (7, 12, 3, 19)  # steps, and jumps to such as no scrub makes ahead


def main(parts: list[str]) -> None:
    """Print the asked parts."""
    for part in parts:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[part](Path(folder))


def steps(root: Path, count: int, size: tuple[int, int], kind: str = "png") -> None:
    """Write `count` steps of `size`, each with another part of one picture's detail."""
    whole = picture((size[0] + count, size[1]))
    for n in range(count):
        made = Image.fromarray(whole[:, n : n + size[0]])
        if kind == "png":
            made.save(root / f"{n:03}.png", compress_level=1)
        else:  # the app takes any name; what it is stands in the file
            made.save(root / f"{n:03}.png", "JPEG", quality=95)


def ready(root: Path) -> None:
    """After 0.3 s of rest both neighbours are there up to 2816, after 1 s at 5632."""
    for size, kind, seconds in ((MIDDLE, "png", 0.3), (LARGE, "jpg", 0.3), (LARGE, "png", 1.0)):
        folder = root / f"{size[0]}-{kind}"
        folder.mkdir()
        steps(folder, 8, size, kind)
        terminal = start("kitty", folder)
        one(terminal, RIGHT)
        figures = []
        for _ in range(6):
            rest(terminal, seconds)
            figures.append(one(terminal, RIGHT))
        times(f"neighbour after {seconds} s of rest, {size[0]} {kind}", figures, 40, 60)
        end(terminal)


def idle(root: Path) -> None:
    """One key after two seconds in which nothing happened."""
    make_steps(root, 24)
    for kind, (new, again) in BARS.items():
        terminal = start(kind, root)
        fresh = rested(terminal, RIGHT, 10)
        seen = rested(terminal, LEFT, 10)
        times(f"{kind}: a key after a rest, new", fresh, *new)
        times(f"{kind}: a key after a rest, seen", seen, *again)
        end(terminal)


def rested(terminal: FakeTerminal, key: str, count: int) -> Figures:
    """Press `key` `count` times, each after two seconds."""
    figures = []
    for _ in range(count):
        rest(terminal, 2.0)
        figures.append(one(terminal, key))
    return figures


def aligned(root: Path) -> None:
    """Scrubbing aligned differences: the picture does not hold the key up."""
    wide = picture((1408 + 60, 752 + 60))
    for n in range(20):
        factor = 1 + 0.002 * n
        part = wide[30 - n : 30 - n + 752, 30 : 30 + 1408]
        middle = (704.0, 376.0)
        moved = cv2.warpAffine(
            part, cv2.getRotationMatrix2D(middle, 0.0, factor), (1408, 752), flags=cv2.INTER_CUBIC
        )
        Image.fromarray(moved).save(root / f"{n:03}.png", compress_level=1)
    cache = Cache(root / "previews")
    for path in sorted(root.glob("*.png")):
        cache.make(root, PictureRef(path.name))
    for kind, (new, _) in BARS.items():
        terminal = start(kind, root)
        one(terminal, "d")
        terminal.settle()
        figures = [one(terminal, RIGHT) for _ in range(15)]
        times(f"{kind}: aligned differences while scrubbing", figures, *new)
        terminal.settle()
        rest(terminal, 1.5)
        ms, _ = one(terminal, RIGHT, "SHARP" if kind == "half" else "SHOWN")
        tell(f"{kind}: the neighbour's difference after 1.5 s", ms, "ms", new[1])
        end(terminal)


def placeholder(root: Path) -> None:
    """In the explorer, the first sign of a picture of 5632x3008 that nobody has read yet.

    That is the word that it is being read, or the picture: whatever comes first in its place.
    """
    run = root / "pictures" / "run-0"
    run.mkdir(parents=True)
    whole = picture((LARGE[0] + COUNT, LARGE[1]))
    for n in range(COUNT):
        part = Image.fromarray(whole[:, n : n + LARGE[0]])
        shown = part if n in FAR else part.resize((352, 188))
        shown.save(run / f"{n:03}.png", compress_level=1)
    terminal = FakeTerminal("kitty", "b100tui", "explore", str(root / "pictures"), size=(120, 40))
    as_urgent(terminal.process.pid)
    terminal.wait_for("\U0010eeee")
    terminal.settle()
    terminal.press("\t")
    terminal.settle()
    figures = []
    visited: tuple[int, ...] = (0,)
    ready = set(likely_next(0, COUNT, ()))
    for step in FAR:
        assert step not in ready, f"step {step} was made ahead: it tells nothing"
        terminal.press(str(step))
        terminal.settle()
        begin = time.perf_counter()
        terminal.wait_for("reading|\U0010eeee", terminal.press("\r"), patience=10)
        figures.append(((time.perf_counter() - begin) * 1000, 0))
        terminal.settle()
        ready |= set(likely_next(step, COUNT, visited))
        visited = (*visited, step)
    times("first sign of a picture nobody has read, 5632 png", figures, 30, 30)
    end(terminal)


def previews(root: Path) -> None:
    """Two levels of the grainiest step and of plain noise."""
    Image.fromarray(picture(LARGE, grain=12.0)).save(root / "000.png", compress_level=1)
    Image.effect_noise(LARGE, 90).convert("RGB").save(root / "001.png", compress_level=1)
    cache = Cache(root / "previews")
    for name, what in (("000.png", "grainy"), ("001.png", "pure noise")):
        ref = PictureRef(name)
        cache.make(root, ref)
        size = sum(cache.path(ref, level).stat().st_size for level in range(len(LEVELS)))
        tell(f"previews of 5632x3008, {what}, two levels", size / 1000, "kB", 300)


def five(root: Path) -> None:
    """The program with five decoded pictures of 5632x3008, each looked at in 4:1."""
    steps(root, 6, LARGE)
    terminal = start("kitty", root)
    before = memory_of(terminal)
    one(terminal, "z")
    for _ in range(5):
        terminal.settle()
        one(terminal, RIGHT)
    terminal.settle()
    note = f"before them {before:.0f} MB"
    tell("five decoded pictures of 5632x3008", memory_of(terminal), "MB", 400, note=note)
    end(terminal)


def memory_of(terminal: FakeTerminal) -> float:
    """Return the megabytes that the app says it has in memory."""
    place = terminal.press("g")
    terminal.wait_for(r"GAP \d+ ms \d+ MB", place)
    said = terminal.text(place)
    return float(said[said.rindex("GAP") :].split()[3])


PARTS: dict[str, Callable[[Path], None]] = {
    "ready": ready,
    "idle": idle,
    "aligned": aligned,
    "placeholder": placeholder,
    "previews": previews,
    "five": five,
}

if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
