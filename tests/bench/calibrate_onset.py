"""Sets `b100tui/analysis/thresholds.toml` on simulated series without any change.

Run by hand: `python -m tests.bench.calibrate_onset [--write]`; the same seed gives the same
table (a few minutes on two cores). Every number under "derived" comes out of here, every
number under "chosen" stands here with its reason. `bench_onset` holds all of them against
series that were not used here.
"""

import sys
from pathlib import Path

import numpy as np

from b100tui.analysis import looks, ramp
from tests.analysis.planted import Floats, noise

SEED = 20261201
LEVEL = 0.04  # single signal, one look: leaves room below 5 % for the bound of a finite sample
RUN_LEVEL = 0.025  # a run watched for WATCHED steps
QUICK_LEVEL = 0.01  # one signal in the run list
SERIES = 10000
LENGTHS = (6, 7, 8, 10, 12, 15, 20, 30, 50, 100, 200)
WATCHED = 100
RUNS = 4000  # a null, for the gate
COUNTS = (1, 2, 4, 8)  # signals of a run
FAMILIES = (
    *("white", "ar0.3", "ar0.5", "ar0.7", "ar0.9", "ar0.95", "walk"),
    *("level0.5", "level1", "level2", "level4"),
)


def scaled(series: Floats) -> Floats:
    shifted = series - np.median(series, axis=1, keepdims=True)
    return np.asarray(shifted / np.abs(shifted).max(axis=1, keepdims=True))


def drawn(kind: str, count: int, length: int) -> Floats:
    return noise(kind, count, length, np.random.default_rng([SEED, length, sum(kind.encode())]))


def limits() -> tuple[list[float], list[float], list[float]]:
    """Return by length the limit, the limit of the run list and the tail's scale beyond it."""
    out, quick, scale = [], [], []
    for length in LENGTHS:
        count = SERIES if length <= 50 else SERIES // 2
        family = ramp.curves(tuple(range(length)))
        worst, high, tail = 0.0, 0.0, 0.0
        for kind in FAMILIES:
            rows = scaled(drawn(kind, count, length))
            values = np.concatenate(
                [ramp.fit(family, rows[at : at + 500]).statistic for at in range(0, count, 500)]
            )
            worst = max(worst, float(np.quantile(values, 1.0 - LEVEL)))
            high = max(high, float(np.quantile(values, 1.0 - QUICK_LEVEL)))
            # Over its own quantile an exponential tail has the mean excess as its scale.
            edge = np.quantile(values, 1.0 - LEVEL)
            tail = max(tail, float(np.mean(values[values > edge] - edge)))
        out.append(round(worst, 1))
        quick.append(high - worst)
        scale.append(tail)
        print(length, out[-1], f"{quick[-1]:.1f} {tail:.2f}", file=sys.stderr, flush=True)
    return out, quick, scale


def look_margin(bars: list[float], signal_margin: float) -> float:
    """Return what has to be added so that a watched run without change rarely crosses.

    Signals are independent or one and the same: real ones lie between. A look crosses when two
    signals are over the bar, or one of s by signal_margin * ln s.
    """
    steps = tuple(range(1, WATCHED + 1))
    lengths = np.arange(1, WATCHED + 1)
    bar = np.interp(np.log(lengths), np.log(LENGTHS), bars)
    needed: list[float] = []
    for kind in FAMILIES:
        rows = scaled(drawn(kind, RUNS, WATCHED))
        excess = np.array(looks.statistics([(steps, row) for row in rows])) - bar
        excess[:, : LENGTHS[0] - 1] = -np.inf
        one = excess.max(axis=1)
        # Shared by all signals of a run: two are over the bar as soon as one is.
        worst = {1: float(np.quantile(one, 1.0 - RUN_LEVEL))}
        for count in COUNTS[1:]:
            runs = excess[: RUNS // count * count].reshape(-1, count, WATCHED)
            ranked = np.sort(runs, axis=1)
            alone = ranked[:, -1] - signal_margin * np.log(count)
            most = np.maximum(ranked[:, -2], alone).max(axis=1)
            worst[count] = float(np.quantile(most, 1.0 - RUN_LEVEL))
        needed.append(max(worst.values()))
        words = ", ".join(f"{count}: {value:.1f}" for count, value in worst.items())
        print("gate", kind, words, file=sys.stderr, flush=True)
    return round(max(needed), 1)


HEAD = """# Limits of twice the log likelihood ratio "curve or none" by number of values.
# Written by tests/bench/calibrate_onset.py; tests/bench/bench_onset.py holds it against other
# series and prints false alarms (one look, and a gate that looks after each of {watched} steps),
# misses beside what an oracle misses, coverage and delays.
#
# Derived, on {families}
# (a level is a random walk seen through white noise of so many of its steps):
#   limits        {series} series a null and length ({half} from {long} values on): the {level:.1%}
#                 quantile of the worst null.
#   signal_margin how slowly the worst null's tail falls beyond its limit (mean excess): the best
#                 of s signals needs signal_margin * ln s more.
#   look_margin   {runs} runs a null of {counts} signals, independent or all the same, watched for
#                 {watched} steps: at most {run_level:.1%} cross.
#   quick_margin  at most {quick:.0%} of each null, for the point estimate in run lists.
# Chosen:
#   shortest      6 values: a level, a kink, a slope, a noise and two to judge them by.
#   bootstraps    199: an interval's tail of {tail:.0%} rests on four draws on either side.
#   block_factor  blocks of n^(1/3) (Hall, Horowitz and Jing 1995); the noise is whitened before.
#   spent         level, slope, kink and ramp length.
#   tail, bent    coverage on planted changes between 90 and 99 % (bench_onset): bent is the
#                 smoothness of the noise from which a curve's pieces do not follow a bend.
"""


def main() -> None:
    bars, quick, scale = limits()
    signal_margin = round(max(scale), 1)
    margin = look_margin(bars, signal_margin)
    text = HEAD.format(
        families=", ".join(FAMILIES),
        series=SERIES,
        half=SERIES // 2,
        long=next(length for length in LENGTHS if length > 50),
        level=LEVEL,
        runs=RUNS,
        counts=", ".join(map(str, COUNTS)),
        watched=WATCHED,
        run_level=RUN_LEVEL,
        quick=QUICK_LEVEL,
        tail=0.02,
    )
    text += f"shortest = 6\nlengths = {list(LENGTHS)}\nlimits = {bars}\nlevel = {LEVEL}\n"
    text += f"signal_margin = {signal_margin}\nlook_margin = {margin}\n"
    text += f"quick_margin = {round(max(quick), 1)}\n"
    text += "bootstraps = 199\nblock_factor = 1.0\nspent = 4\ntail = 0.02\nbent = 0.35\n"
    if "--write" in sys.argv:
        path = Path(ramp.__file__).with_name("thresholds.toml")
        path.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
