"""How fast folders are listed and steps are read, against plain Python doing as little.

Run by hand: python -m tests.bench.bench_sources [runs] [steps]
Yardsticks in the same run: os.walk with os.stat, and Pillow's header plus json.loads.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image

from b100tui.sources import read_step, scan_folder, walk
from tests.bench.bars import tell
from tests.sources.made import own_run


def timed(work: Callable[[], object], repeats: int = 3) -> float:
    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(repeats))


def plain_walk(root: Path) -> int:
    return sum(
        os.stat(os.path.join(folder, name)).st_size
        for folder, _, names in os.walk(root)
        for name in names
    )


def plain_read(root: Path) -> None:
    for path in root.rglob("step-*.json"):
        told = json.loads(path.read_bytes())
        with Image.open(path.with_name(told["output"]["file"])) as image:
            assert image.width


def main() -> None:
    runs, steps = (int(word) for word in (*sys.argv[1:], "40", "100")[:2])
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for number in range(runs):
            own_run(root, f"moss/replicate-2k/run-{number}", steps)
        scan = scan_folder(root)
        jobs = [(source.run, step) for source in scan.runs for step in source.steps]
        files = len(scan.stamps)

        def read_all() -> None:
            for run, step in jobs:
                read_step(root, run, step)

        def read_in_two() -> None:
            with ThreadPoolExecutor(2) as pool:
                halves = (jobs[::2], jobs[1::2])
                list(pool.map(lambda half: [read_step(root, *job) for job in half], halves))

        walked, listed = timed(lambda: walk(root)), timed(lambda: plain_walk(root))
        plain_walked = ("os.walk and stat", files / listed)
        tell("files listed", files / walked, "files/s", peer=plain_walked)
        scanned = timed(lambda: scan_folder(root))
        tell("steps scanned", len(jobs) / scanned, "steps/s")
        one, plain = timed(read_all), timed(lambda: plain_read(root))
        headers = ("Pillow's header and json", len(jobs) / plain)
        tell("steps read", len(jobs) / one, "steps/s", peer=headers)
        tell("steps read in two threads", len(jobs) / timed(read_in_two), "steps/s", peer=headers)


if __name__ == "__main__":
    main()
