"""Probe throughput: images a second on all processors, with a yardstick in the same run.

Run by hand: python -m tests.bench.bench_probes. The pictures are made here and stored as PNG.
`measure` is the no-reference set on decoded pixels; `b100 score` is everything: worker start,
reading, hashing, decoding, probes with reference, storing. The yardstick is scikit-image's
estimate_sigma alone, one thread.
"""

import os
import resource
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
from PIL import Image
from skimage.restoration import estimate_sigma

from b100tui.metrics import probes
from b100tui.model.records import PictureRef, Step
from b100tui.scoring.plan import choose_metrics
from b100tui.scoring.run import score
from tests.bench.bars import tell
from tests.bench.bench_decode import picture

TARGETS = {(1408, 752): 8.0, (2816, 1504): 2.0}
COUNT = 24


def main() -> None:
    cv2.setNumThreads(1)
    threads = os.cpu_count() or 1
    for size, target in TARGETS.items():
        pixels = picture(size)
        started = time.process_time()
        probes.measure(pixels)
        alone = time.process_time() - started
        started = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(probes.measure, [pixels] * COUNT))
        together = COUNT / (time.perf_counter() - started)
        started = time.process_time()
        estimate_sigma(probes.luma_of(pixels))
        yardstick = time.process_time() - started
        whole, cost = scored(size)
        name = f"probes of {size[0]}x{size[1]}"
        note = f"{threads} processors"
        tell(f"{name}, measured", together, "images/s", target, at_least=True, note=note)
        note = f"{cost:.3f} CPU s an image with its worker's start"
        tell(f"{name}, b100 score", whole, "images/s", target, at_least=True, note=note)
        tell(f"{name}, CPU an image", alone, "s", peer=("estimate_sigma alone", yardstick))


def scored(size: tuple[int, int]) -> tuple[float, float]:
    """Return images a second and CPU seconds an image of scoring COUNT pictures."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        steps = []
        for number in range(COUNT):
            path = root / f"step-{number:03}.png"
            Image.fromarray(picture(size, grain=1.0 + number / 4)).save(path, compress_level=1)
            facts = path.stat()
            ref = PictureRef(path.name, None, facts.st_size, facts.st_mtime_ns)
            steps.append(Step(run="run", step=number, picture=ref))
        before = cpu_of_children()
        started = time.perf_counter()
        report = score(root, steps, choose_metrics("probes")[0])
        seconds = time.perf_counter() - started
        assert report.done == report.wanted, report
        return COUNT / seconds, (cpu_of_children() - before) / COUNT


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
