"""Drift alignment: accuracy, wrong confident fits, speed. `python -m tests.bench.bench_align`."""

import time
from collections import Counter

import numpy as np

from b100tui.imaging.align import align, prepare
from tests.bench.bars import tell
from tests.imaging.pairs import Pixels, dunes, fog, gradient, moved, noisy, scene


def accuracy() -> None:
    size = (752, 1408)
    rows = []
    refused: Counter[str] = Counter()
    rng = np.random.default_rng(1)
    for seed in range(12):
        picture = scene(seed, size)
        reference = prepare(picture)
        for sigma in (0, 5, 15, 25):
            zoom, dx, dy = rng.uniform(-0.06, 0.12), rng.uniform(-30, 30), rng.uniform(-20, 20)
            step = noisy(moved(picture, zoom=zoom, dx=dx, dy=dy), sigma, seed)
            found = align(reference, step)
            if found.zoom_pct is None or found.dx_px is None or found.dy_px is None:
                refused[found.reason] += 1
                continue
            rows.append((found.zoom_pct - 100 * zoom, found.dx_px - dx, found.dy_px - dy))
    worst = np.abs(np.array(rows)).max(axis=0)
    print(f"planted moves: {len(rows)} aligned, refused {dict(refused)}")
    print(f"  worst error: zoom {worst[0]:.3f} %, shift {worst[1]:.3f}, {worst[2]:.3f} px")


def low_texture() -> None:
    size = (752, 1408)
    wrong, counts, reasons = [], Counter[str](), Counter[str]()

    def judge(kind: str, one: Pixels, other: Pixels) -> None:
        found = align(prepare(one), other)
        counts[f"{kind}: {found.status}"] += 1
        if found.status == "aligned":
            wrong.append((kind, found))
        else:
            reasons[found.reason.split("(")[0].rstrip(" 0123456789.%+-px")] += 1

    for seed in range(10):
        for name, make in (("fog", fog), ("dunes", dunes)):
            for sigma in (0, 3):
                one = noisy(make(seed, size), sigma, seed)
                other = noisy(make(seed + 100, size), sigma, seed + 1)
                judge(f"different {name}", one, other)
        for sigma in (0, 3):
            one = noisy(gradient(seed * 0.6, size), sigma, seed)
            judge("gradients", one, noisy(gradient(seed * 0.6 + 0.4, size), sigma, seed + 1))
            flat = gradient(seed * 0.6, size)[:, ::-1]
            judge("gradient mirrored", one, noisy(flat, sigma, seed + 2))
        judge("different scenes", scene(seed, size), scene(seed + 100, size))
    print("pairs that must not be aligned:", dict(counts))
    print("  refused for:", dict(reasons))
    for kind, found in wrong:
        print("  WRONG", kind, found)


def same_low_texture() -> None:
    size = (752, 1408)
    counts: Counter[str] = Counter()
    worst = np.zeros(3)
    for seed in range(8):
        for name, make in (("fog", fog), ("dunes", dunes)):
            for mirror in (False, True):
                picture = make(seed, size)
                step = moved(picture, zoom=0.02, dx=6, dy=-4)
                step = noisy(step[:, ::-1] if mirror else step, 2, seed)
                found = align(prepare(noisy(picture, 2, seed + 9)), step)
                if found.status != "aligned" or found.zoom_pct is None or found.dx_px is None:
                    counts[f"{name}: unreliable"] += 1
                    continue
                right = found.mirrored == mirror and abs(found.zoom_pct - 2.0) < 0.2
                counts[f"{name}: {'right' if right else 'WRONG'}"] += 1
                worst[0] = max(worst[0], abs(found.zoom_pct - 2.0))
    print("the same fog and dunes, moved or mirrored:", dict(counts), f"zoom off by {worst[0]:.2f}")


def speed(steps: int = 100) -> None:
    picture = scene(3, (752, 1408))
    pictures = [
        noisy(moved(picture, zoom=0.001 * n, dx=0.2 * n), 1 + n / 8, n) for n in range(steps)
    ]
    began, cpu = time.perf_counter(), time.process_time()
    reference = prepare(picture)
    found = [align(reference, one).status for one in pictures]
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    note = f"{used:.1f} s CPU; {dict(Counter(found))}"
    tell(f"alignment of {steps} previews of 1408x752", seconds, "s", 20, note=note)


def main() -> None:
    speed()
    accuracy()
    same_low_texture()
    low_texture()


if __name__ == "__main__":
    main()
