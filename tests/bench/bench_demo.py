"""How long `b100 demo` takes and how much it fills, beside a yardstick of the same machine.

Run by hand: python -m tests.bench.bench_demo [small|paper]
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from b100tui.engine.demo import ensure_demo
from tests.bench.bars import tell


def yardstick() -> float:
    """Seconds to code and decode 200 noisy JPEGs of the demo's size on one core."""
    cv2.setNumThreads(1)
    pixels = np.random.default_rng(1).integers(0, 255, (307, 550, 3), dtype=np.uint8)
    began = time.process_time()
    for _ in range(200):
        cv2.imdecode(cv2.imencode(".jpg", pixels)[1], cv2.IMREAD_COLOR)
    return time.process_time() - began


def main() -> None:
    scale = sys.argv[1] if len(sys.argv) > 1 else "small"
    unit = yardstick()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        report = ensure_demo(Path(folder) / "d", scale)
        wall = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        size = sum(path.stat().st_blocks * 512 for path in files) / 1e6
    cores = len(os.sched_getaffinity(0))
    busy = used.ru_utime + used.ru_stime
    bars = ((30,), (200,)) if scale == "small" else ((), ())
    note = f"{busy / cores:.1f} s on {cores} idle cores; {report.runs} runs, {report.steps} steps"
    tell(f"{scale} demo", wall, "s", bars[0], peer=("200 JPEG round trips", unit), note=note)
    tell(f"{scale} demo on disk", size, "MB", bars[1])


if __name__ == "__main__":
    main()
