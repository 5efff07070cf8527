"""Operating characteristics of the onset and the gate on planted truth, and their speed.

`python -m tests.bench.bench_onset [--count N]` prints false alarms per null with the upper 95 %
bound (Clopper-Pearson), for one look and for a gate that looks after each of 100 steps; error,
missed share beside what an oracle misses, and interval coverage per planted shape, noise and
height; delays of the gate; and the time of 280 runs x 8 signals of 100 steps with intervals.
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np
from scipy import stats

from b100tui.analysis import ramp
from b100tui.analysis.consensus import Series
from b100tui.analysis.gate import gate_onset
from b100tui.analysis.onset import onset
from b100tui.analysis.thresholds import table
from tests.analysis.oracle import missed, missed_knowing_the_curve
from tests.analysis.planted import NULLS, SHAPES, Floats, change, noise
from tests.bench.bars import tell

LENGTHS = (10, 20, 25, 50, 100)
MORE = ("ar0.95", "level0.5", "level1", "level2", "level4")
WATCHED = 100
SIGNALS = 8


def upper(bad: int, count: int) -> float:
    """One-sided 95 % Clopper-Pearson bound of a share."""
    return float(stats.beta.ppf(0.95, bad + 1, count - bad)) if bad < count else 1.0


def false_alarms(count: int, seed: int = 7) -> None:
    print(f"false alarms on {count} series without change: share (upper 95 % bound)")
    worst = 0.0
    for kind in (*NULLS, *MORE):
        cells = []
        for length in LENGTHS:
            rows = noise(kind, count, length, np.random.default_rng([seed, length]))
            steps = tuple(range(1, length + 1))
            ready = np.array([ramp.prepared(steps, row.tolist(), 1)[1] for row in rows])
            family = ramp.curves(steps)
            found = [
                ramp.fit(family, ready[at : at + 500]).statistic for at in range(0, count, 500)
            ]
            bad = int(np.sum(np.concatenate(found) >= table().threshold(length)))
            worst = max(worst, bad / count)
            cells.append(f"n={length}: {bad / count:.3f} ({upper(bad, count):.3f})")
        print(f"  {kind:9s}", "  ".join(cells), flush=True)
    tell("onset, most false alarms of a null", 100 * worst, "%", 5, note=f"{count} series each")


def grid(count: int, seed: int) -> Iterator[tuple[str, int, int, str, Floats, list[int]]]:
    """Noise, height, length and shape with the rows and the planted first changed steps."""
    for kind in ("white", "ar0.3", "ar0.6"):
        for height in (10, 20, 40):
            for length in (25, 50, 100):
                for shape in (*SHAPES, "from_start"):
                    rng = np.random.default_rng([seed, length, height])
                    rows, steps = noise(kind, count, length, rng), np.arange(1, length + 1)
                    first = [4 + n % (length // 2) for n in range(count)]
                    if shape == "from_start":
                        first = [2] * count
                    named = "ramp" if shape == "from_start" else shape
                    curves = np.array([height * change(named, steps, one) for one in first])
                    yield kind, height, length, shape, rows + curves, first


def planted(count: int, seed: int = 11) -> None:
    groups: dict[tuple[str, str], list[tuple[float, bool, bool, int]]] = {}
    for kind, height, length, shape, rows, firsts in grid(count, seed):
        steps = list(range(1, length + 1))
        for number, (row, first) in enumerate(zip(rows, firsts, strict=True)):
            found = onset(steps, row.tolist(), seed=number)
            one = (np.nan, False, False, 0)
            if found.step is not None and found.low is not None and found.high is not None:
                inside = found.low <= first <= found.high
                one = (abs(found.step - first), True, inside, found.high - found.low)
            for key in (
                ("all", "all"),
                ("shape", shape),
                ("rise", f"{height} noise sd"),
                ("steps", str(length)),
                ("noise", kind),
            ):
                groups.setdefault(key, []).append(one)
    beside = oracles(seed)
    print("planted: median |error|, 90 % within, missed (oracle; curve known), covered, width")
    for (what, name), ones in groups.items():
        hits = [one for one in ones if one[1]]
        errors = np.array([one[0] for one in hits])
        best, known = beside[what, name]
        print(
            f"  {what} {name}: {np.median(errors):.0f}, {np.quantile(errors, 0.9):.0f},"
            f" {1 - len(hits) / len(ones):.3f} ({best:.3f}; {known:.3f}),"
            f" {np.mean([one[2] for one in hits]):.3f}, {np.mean([one[3] for one in hits]):.1f}",
            flush=True,
        )
    ones = groups["all", "all"]
    hits = [one for one in ones if one[1]]
    tell("onset, median error", float(np.median([one[0] for one in hits])), "steps", 1)
    tell("onset, missed", 100 * (1 - len(hits) / len(ones)), "%", 10)
    covered = 100 * float(np.mean([one[2] for one in hits]))
    tell("onset, interval coverage", covered, "%", 90, at_least=True, note="and at most 99")


def oracles(seed: int) -> dict[tuple[str, str], tuple[float, float]]:
    """What the oracle misses on the same grid, and the test that knows the curve alone."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    rng = np.random.default_rng(seed)
    for kind, height, length, shape, _, firsts in grid(12, seed):
        steps = np.arange(1, length + 1)
        first = firsts[-1]
        curve = height * change("ramp" if shape == "from_start" else shape, steps, first)
        nulls = (*NULLS, *MORE)
        one = (
            missed(curve, kind, nulls, rng, draws=120) if height == 10 else 0.0,
            missed_knowing_the_curve(curve, kind, nulls, rng, draws=120),
        )
        for key in (
            ("all", "all"),
            ("shape", shape),
            ("rise", f"{height} noise sd"),
            ("steps", str(length)),
            ("noise", kind),
        ):
            groups.setdefault(key, []).append(one)
    return {
        key: (float(np.mean([one[0] for one in ones])), float(np.mean([one[1] for one in ones])))
        for key, ones in groups.items()
    }


def as_run(rows: Floats) -> dict[str, Series]:
    steps = list(range(1, rows.shape[1] + 1))
    return {f"signal{number}": (steps, row.tolist()) for number, row in enumerate(rows)}


def gate_alarms(count: int, seed: int = 17) -> None:
    print(
        f"gate that looks after each of {WATCHED} steps, {count} runs without change:"
        f" crossed (upper 95 % bound) with one signal; {SIGNALS} independent; {SIGNALS} the same"
    )
    worst = 0.0
    for kind in (*NULLS, *MORE):
        cells = []
        for shared, signals in ((False, 1), (False, SIGNALS), (True, SIGNALS)):
            rng = np.random.default_rng([seed, signals, shared])
            bad = 0
            for _ in range(count):
                rows = noise(kind, 1 if shared else signals, WATCHED, rng)
                rows = np.repeat(rows, signals, axis=0) if shared else rows
                bad += bool(gate_onset(as_run(rows), WATCHED).crossed)
            worst = max(worst, bad / count)
            cells.append(f"{bad / count:.3f} ({upper(bad, count):.3f})")
        print(f"  {kind:9s}", "  ".join(cells), flush=True)
    note = f"{count} runs a null, {WATCHED} looks each"
    tell("gate, most false alarms of a null", 100 * worst, "%", 5, note=note)


def gate_delays(count: int = 40, seed: int = 19) -> None:
    """Four signals, three of which carry the change from step 21 on."""
    print(
        "gate, first look that crosses less the planted onset: median (90 % within), never, early"
    )
    for kind in ("white", "ar0.6"):
        for height in (10, 20, 40):
            cells = []
            for shape in SHAPES:
                rng = np.random.default_rng([seed, height])
                steps = np.arange(1, WATCHED + 1)
                delays: list[float] = []
                never = early = 0
                for _ in range(count):
                    rows = noise(kind, 4, WATCHED, rng)
                    rows[:3] += height * change(shape, steps, 21)
                    look = gate_onset(as_run(rows), WATCHED).look
                    never += look is None
                    early += look is not None and look < 21
                    if look is not None and look >= 21:
                        delays.append(look - 21)
                late = np.array(delays or [np.nan])
                cells.append(
                    f"{shape} {np.median(late):.0f} ({np.quantile(late, 0.9):.0f}),"
                    f" {never}, {early}"
                )
            print(f"  {kind} x{height}: " + " | ".join(cells), flush=True)


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
    false_alarms(2 * count)
    planted(max(20, count // 25))
    gate_alarms(max(200, 2 * count // 5))
    gate_delays()


if __name__ == "__main__":
    main()
