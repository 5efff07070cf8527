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
        print(f"walk: {files / walked:,.0f} files/s, {listed / walked:.2f} x os.walk and stat")
        scanned = timed(lambda: scan_folder(root))
        print(f"scan: {len(jobs) / scanned:,.0f} steps/s")
        one, plain = timed(read_all), timed(lambda: plain_read(root))
        print(f"read_step: {len(jobs) / one:,.0f} steps/s, {plain / one:.2f} x Pillow and json")
        print(f"read_step in two threads: {len(jobs) / timed(read_in_two):,.0f} steps/s")


if __name__ == "__main__":
    main()
