"""What harmless passes do to the signals, and how often the gate calls drift damage.

`python -m tests.bench.bench_harmless [--runs N]` prints how far JPEG passes and one zoom move each
signal of `analysis/signals.toml`, beside the least change that counts; then how often a gate that
looks after each of 100 steps crosses on runs that zoom without damage, with and without the
texture against the warped reference.
"""

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cv2
import numpy as np

from b100tui.analysis.gate import gate_onset
from b100tui.analysis.signals import ALIGNED_TEXTURE, as_fitted, judged
from b100tui.imaging.align import Alignment
from b100tui.imaging.aligned import measure as measure_aligned
from b100tui.metrics.probes import measure
from tests.bench.bars import tell
from tests.bench.bench_onset import upper
from tests.imaging.pairs import Pixels, moved, noisy, scene

STEPS = 100
SHAPE = (128, 176)
PROBES = ("noise_sigma", "laplacian_variance", "high_frequency", "lab_a", "lab_b")
AGAINST = ("texture_ratio", "colour_cast")


def jpeg(picture: Pixels, passes: int) -> Pixels:
    for _ in range(passes):
        data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1]
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return picture


def lanczos(picture: Pixels, zoom: float) -> Pixels:
    height, width = picture.shape[:2]
    matrix = np.array(
        [
            [1 + zoom, 0, -zoom * (width - 1) / 2 + 0.3],
            [0, 1 + zoom, -zoom * (height - 1) / 2 + 0.3],
        ]
    )
    flags = cv2.INTER_LANCZOS4
    out = cv2.warpAffine(
        picture, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(out, np.uint8)


HARMLESS: dict[str, Callable[[Pixels], Pixels]] = {
    "20 JPEG passes": lambda picture: jpeg(picture, 20),
    "zoom 1 %, Lanczos": lambda picture: lanczos(picture, 0.01),
    "zoom 1 %, cubic": lambda picture: moved(picture, zoom=0.01, dx=0.3, dy=0.3),
    "zoom 4 %, cubic": lambda picture: moved(picture, zoom=0.04, dx=0.3, dy=0.3),
}


def harmless() -> None:
    pictures = [noisy(scene(seed), 2.0, seed) for seed in range(1, 7)]
    for name in (*PROBES, *AGAINST):
        one = judged()[name]
        cells = []
        for what, done in HARMLESS.items():
            moves = []
            for picture in pictures:
                step = done(picture)
                if name in PROBES:
                    before, after = measure(picture, [name])[name], measure(step, [name])[name]
                else:
                    before = 1.0 if name == "texture_ratio" else 0.0
                    after = measure(step, [name], picture)[name]
                first, last = as_fitted(name, [before, after])
                if first is not None and last is not None:
                    moves.append(last - first)
            cells.append(f"{what} {min(moves):+.2f} to {max(moves):+.2f}")
        print(
            f"  {name} (counts from +{one.rise:g}, -{one.fall:g}): " + "; ".join(cells), flush=True
        )


Watched = dict[str, tuple[list[int], list[float | None]]]


def drifting(seed: int) -> Watched:
    """A run whose content only grows: cubic zooms of up to 0.6 % at a few steps, redrawn grain."""
    rng = np.random.default_rng(seed)
    base = scene(seed, SHAPE)
    zoom, tone = 0.0, 0.0
    first = noisy(base, 2.0, 1000 * seed)
    values: dict[str, dict[int, float | None]] = {}
    for step in range(1, STEPS + 1):
        if step > 1 and rng.random() < 0.06:
            zoom += float(rng.uniform(0.002, 0.006))
        tone = 0.5 * tone + rng.normal(0, 0.1)
        placed = moved(base, zoom=zoom) if zoom else base
        toned = np.clip(np.round(placed + tone), 0, 255).astype(np.uint8)
        picture = first if step == 1 else noisy(toned, 2.0, 1000 * seed + step)
        found = measure(picture, PROBES)
        if step > 1:
            found.update(measure(picture, AGAINST, first))
            grow = 1.0 / (1.0 + zoom)
            x, y = (SHAPE[1] - 1) / 2 * (1 - grow), (SHAPE[0] - 1) / 2 * (1 - grow)
            known = Alignment(status="aligned", matrix=(grow, 0.0, x, 0.0, grow, y))
            left = measure_aligned(first, picture, known)
            if left is not None and left.texture_ratio is not None:
                found[ALIGNED_TEXTURE] = left.texture_ratio
        for name, value in found.items():
            values.setdefault(name, {})[step] = value
    return {name: (list(row), list(row.values())) for name, row in values.items()}


def crossed(seed: int) -> tuple[bool, bool]:
    """Return whether the gate crossed on a run, without and with the aligned texture."""
    cv2.setNumThreads(1)
    watched = drifting(seed)
    alone = {name: series for name, series in watched.items() if name != ALIGNED_TEXTURE}
    return bool(gate_onset(alone, STEPS).crossed), bool(gate_onset(watched, STEPS).crossed)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--runs", type=int, default=200)
    runs = words.parse_args().runs
    print("change of a signal by what does no harm, least to most of six pictures")
    harmless()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        found = list(pool.map(crossed, range(1, runs + 1), chunksize=4))
    for aligned in (False, True):
        bad = sum(both[aligned] for both in found)
        with_or = "with" if aligned else "without"
        note = (
            f"{bad} of {runs} runs, {with_or} the aligned texture; at most {upper(bad, runs):.3f}"
        )
        tell("gate, drift without damage crossed", 100 * bad / runs, "%", 5, note=note)


if __name__ == "__main__":
    main()
