"""What the engine adds to an editor's own time, how full it keeps the limiter, how fast it resumes.

Run by hand: python -m tests.bench.bench_engine
"""

import io
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from b100tui.editors.protocol import Capabilities, Outcome, Parameters, ReceivedImage
from b100tui.editors.table import Row
from b100tui.engine.edit import make, plan
from b100tui.engine.events import Progress
from b100tui.engine.request import Ask, Limits, New, Resume
from b100tui.model.records import RunPlan
from b100tui.workspace.atomic import write_atomic
from tests.bench import bars

SIZE = (2816, 1504)
STEPS = 20


class Ready:
    """An editor that has its answers ready: all time is the engine's."""

    name, model, kind = "nano-banana-pro", "ready", "gemini"
    capabilities = Capabilities(seed=True, temperature=True, resolutions=("1K", "2K", "4K"))

    def __init__(self, pictures: list[bytes], seconds: float = 0.0) -> None:
        self.pictures = pictures
        self.seconds = seconds
        self.spent = 0.0
        self.busy: list[tuple[float, float]] = []

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        begin = time.perf_counter()
        if self.seconds:
            time.sleep(self.seconds)
        data = self.pictures[parameters.step % len(self.pictures)]
        thoughts = ("**Looking**\n\nI see it.\n\n\n",) * 4
        outcome = Outcome(image=ReceivedImage(data=data), cost_usd=0.14, thoughts=thoughts)
        end = time.perf_counter()
        self.spent += end - begin
        self.busy.append((begin, end))
        return outcome


def pictures(kind: str, size: tuple[int, int], count: int) -> list[bytes]:
    made = []
    for seed in range(count):
        random = np.random.default_rng(seed)
        small = random.integers(0, 255, (size[1] // 16 + 1, size[0] // 16 + 1, 3), dtype=np.uint8)
        image = Image.fromarray(small).resize(size, Image.Resampling.BICUBIC)
        pixels = np.asarray(image, np.int16) + random.integers(-6, 7, (size[1], size[0], 3))
        buffer = io.BytesIO()
        noisy = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        noisy.save(buffer, kind, quality=90, compress_level=1)
        made.append(buffer.getvalue())
    return made


def overhead(kind: str, folder: Path) -> None:
    ready = Ready(pictures(kind, SIZE, 3))
    root = folder / kind
    root.mkdir()
    first = root / "first.png"
    first.write_bytes(ready.pictures[0])
    ask = Ask(editor="nano-banana-pro", steps=STEPS)
    planned = plan(root, New(images=(first,), ask=ask))
    times = [time.perf_counter()]
    busy = [time.thread_time()]

    def tell(event: Progress) -> None:
        if event.kind == "committed":
            times.append(time.perf_counter())
            busy.append(time.thread_time())

    make(root, planned, tell=tell, opener=opener(ready))
    steps = [later - earlier for earlier, later in itertools.pairwise(times[1:])]
    own = ready.spent / STEPS
    cpu = statistics.median(later - earlier for earlier, later in itertools.pairwise(busy[1:]))
    yardstick = []
    for number in range(STEPS):
        begin = time.perf_counter()
        write_atomic(root / f"y{number}", ready.pictures[0])
        yardstick.append(time.perf_counter() - begin)
    median, write = statistics.median(steps) - own, statistics.median(yardstick)
    size = len(ready.pictures[0]) / 1e6
    durable = ("one durable write of the bytes", 1000 * write)
    p90 = statistics.quantiles(steps, n=10)[8]
    note = f"{1000 * cpu:.1f} ms of it computing, p90 {1000 * p90:.1f}, {size:.1f} MB a picture"
    bars.tell(
        f"engine beyond the editor, 2K {kind}", 1000 * median, "ms", 20, peer=durable, note=note
    )


def opener(ready: Ready) -> object:
    def opened(name: str, row: Row, frozen: RunPlan) -> Ready:
        return ready

    return opened


def saturation(folder: Path) -> None:
    ready = Ready(pictures("JPEG", (352, 188), 3), seconds=4.0)
    write_concurrency(64)
    root = folder / "wide"
    root.mkdir()
    first = root / "first.jpg"
    first.write_bytes(ready.pictures[0])
    ask = Ask(editor="nano-banana-pro", steps=4, repeats=64)
    planned = plan(root, New(images=(first,), ask=ask))
    make(root, planned, Limits(jobs=64), opener=opener(ready))
    begin = min(start for start, _ in ready.busy)
    end = max(stop for _, stop in ready.busy)
    share = sum(stop - start for start, stop in ready.busy) / (64 * (end - begin))
    note = f"over {end - begin:.1f} s"
    bars.tell("64 runs at once, slots busy", 100 * share, "%", 95, at_least=True, note=note)


def write_concurrency(number: int) -> None:
    config = Path(os.environ["B100_CONFIG_DIR"])
    config.mkdir(parents=True, exist_ok=True)
    text = f"[editors.nano-banana-pro]\nconcurrency = {number}\n"
    (config / "editors.toml").write_text(text)


def resuming(folder: Path) -> None:
    root = folder / "many"
    root.mkdir()
    data = pictures("JPEG", (704, 376), 3)
    first = root / "first.jpg"
    first.write_bytes(data[0])
    ready = Ready(data)
    ask = Ask(editor="nano-banana-pro", steps=10, repeats=280)
    make(root, plan(root, New(images=(first,), ask=ask)), opener=opener(ready))
    for path in root.glob("*/*/run-*"):
        (path / "step-010.json").unlink()
    asked: list[float] = []

    def tell(event: Progress) -> None:
        if event.kind == "asking":
            asked.append(time.perf_counter())

    begin = time.perf_counter()
    make(root, plan(root, Resume()), Limits(jobs=8), opener=opener(ready), tell=tell)
    bars.tell("280 runs resumed, first call after", asked[0] - begin, "s", 2)


def imports() -> None:
    code = (
        "import sys, b100tui.engine.edit, b100tui.cli.edit, b100tui.editors.gemini;"
        "print(sum(m.startswith('google') for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    bars.tell("google modules before a live edit", float(done.stdout), "", 0)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place in ("CACHE", "STATE", "CONFIG", "DATA"):
            os.environ[f"B100_{place}_DIR"] = str(folder / place.lower())
        overhead("JPEG", folder)
        overhead("PNG", folder)
        saturation(folder)
        resuming(folder)
        imports()


if __name__ == "__main__":
    main()
