"""Operating characteristics of the onset on planted truth, and its speed.

`python -m tests.bench.bench_onset [--count N]` prints false alarms per null with the upper
95 % bound (Clopper-Pearson), error, missed share and interval coverage per planted shape,
noise and height, and the time of 280 runs x 8 signals of 100 steps with intervals.
"""

import argparse
import time

import numpy as np
from scipy import stats

from b100tui.analysis.onset import onset
from tests.analysis.planted import NULLS, SHAPES, change, noise
from tests.bench.bars import tell


def upper(bad: int, count: int) -> float:
    """One-sided 95 % Clopper-Pearson bound of a share."""
    return float(stats.beta.ppf(0.95, bad + 1, count - bad)) if bad < count else 1.0


def false_alarms(count: int, seed: int = 7) -> None:
    print(f"false alarms on {count} series without change: share (upper 95 % bound)")
    for kind in (*NULLS, "ar0.95", "level0.5", "level2"):
        cells = []
        for length in (10, 20, 25, 50, 100):
            rng = np.random.default_rng([seed, length])
            steps = range(1, length + 1)
            bad = sum(
                onset(steps, row.tolist()).status in ("onset", "from_start")
                for row in noise(kind, count, length, rng)
            )
            cells.append(f"n={length}: {bad / count:.3f} ({upper(bad, count):.3f})")
        print(f"  {kind:9s}", "  ".join(cells), flush=True)


def planted(count: int, seed: int = 11) -> None:
    print("planted: median |error|, missed share, interval coverage, mean interval width")
    whole: list[tuple[str, float, bool, bool]] = []
    by_height: dict[int, list[bool]] = {}
    for kind in ("white", "ar0.3", "ar0.6"):
        for height in (10, 20, 40):
            for length in (25, 50, 100):
                cells = []
                for shape in (*SHAPES, "from_start"):
                    rng = np.random.default_rng([seed, length, height])
                    rows, errors, covered, widths = noise(kind, count, length, rng), [], 0, []
                    steps = np.arange(1, length + 1)
                    for number, row in enumerate(rows):
                        first = 2 if shape == "from_start" else 4 + number % (length // 2)
                        curve = change("ramp" if shape == "from_start" else shape, steps, first)
                        found = onset(steps.tolist(), (height * curve + row).tolist(), seed=number)
                        if found.step is None or found.low is None or found.high is None:
                            whole.append((shape, np.nan, False, False))
                            by_height.setdefault(height, []).append(False)
                            continue
                        inside = found.low <= first <= found.high
                        errors.append(abs(found.step - first))
                        covered += inside
                        widths.append(found.high - found.low)
                        whole.append((shape, errors[-1], True, inside))
                        by_height.setdefault(height, []).append(True)
                    hits = max(1, len(errors))
                    cells.append(
                        f"{shape} {np.median(errors) if errors else np.nan:.0f} "
                        f"{1 - len(errors) / count:.2f} {covered / hits:.2f} "
                        f"{np.mean(widths) if widths else np.nan:.1f}"
                    )
                print(f"  {kind} x{height} n={length}:", " | ".join(cells), flush=True)
    for height, found_all in by_height.items():
        print(f"  rise of {height} noise sd: missed {1 - np.mean(found_all):.3f}")
    for shape in (*SHAPES, "from_start", "all"):
        mine = [one for one in whole if shape in ("all", one[0])]
        errors_of = np.array([one[1] for one in mine if one[2]])
        print(
            f"  {shape}: median {np.median(errors_of):.0f}, "
            f"90 % within {np.quantile(errors_of, 0.9):.0f}, "
            f"missed {1 - len(errors_of) / len(mine):.3f}, "
            f"coverage {np.mean([one[3] for one in mine if one[2]]):.3f}"
        )


def speed(runs: int = 280, signals: int = 8, length: int = 100) -> None:
    rng = np.random.default_rng(3)
    steps = np.arange(1, length + 1)
    rows = noise("ar0.3", runs * signals, length, rng)
    rows = rows + [20 * change(SHAPES[n % 4], steps, 5 + n % 40) for n in range(len(rows))]
    began = time.perf_counter()
    found = [onset(steps.tolist(), row.tolist()).step for row in rows]
    seconds = time.perf_counter() - began
    note = f"found in {sum(one is not None for one in found)} of {len(found)}"
    tell(f"onset of {runs} runs x {signals} signals x {length} steps", seconds, "s", 30, note=note)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--count", type=int, default=1000)
    count = words.parse_args().count
    speed()
    false_alarms(count)
    planted(max(40, count // 16))


if __name__ == "__main__":
    main()
