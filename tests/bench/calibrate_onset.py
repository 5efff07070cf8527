"""Sets `b100tui/analysis/thresholds.toml` on simulated series without any change.

Run by hand: `python -m tests.bench.calibrate_onset [--write]`; the same seed gives the same
table. For every length and every noise coefficient that the best curve may choose there is one
limit, the highest that any null asks for, such that no null alarms more often than LEVEL.
"""

import sys
from pathlib import Path

import numpy as np

from b100tui.analysis import ramp
from tests.analysis.planted import Floats, noise

SEED = 20261201
LEVEL = 0.02
# How the alarms of one null are shared out over the coefficients of ramp.PHI: smooth noise
# under the curve is where true changes lie.
SHARES = (0.3, 0.2, 0.2, 0.13, 0.1, 0.05, 0.02)
SERIES = 12000
LENGTHS = (6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200)
FAMILIES = (
    "white",
    "ar0.3",
    "ar0.5",
    "ar0.7",
    "ar0.8",
    "ar0.9",
    "ar0.95",
    "walk",
    "level0.5",
    "level1",
)


def scaled(series: Floats) -> Floats:
    shifted = series - np.median(series, axis=1, keepdims=True)
    return np.asarray(shifted / np.abs(shifted).max(axis=1, keepdims=True))


def statistics(kind: str, length: int, count: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng([seed, length, sum(kind.encode())])
    family = ramp.curves(tuple(range(1, length + 1)))
    values, chosen = [], []
    for _ in range(0, count, 1000):
        found = ramp.fit(family, scaled(noise(kind, 1000, length, rng)))
        values.append(found.statistic)
        chosen.append(found.phi)
    return np.concatenate(values), np.concatenate(chosen)


def limits(length: int) -> list[float]:
    drawn = [statistics(kind, length, SERIES, SEED) for kind in FAMILIES]
    out = np.zeros(len(ramp.PHI))
    for values, chosen in drawn:
        for number, share in enumerate(SHARES):
            among = np.sort(values[chosen == number])[::-1]
            allowed = int(LEVEL * share * SERIES)
            if len(among) > allowed:
                out[number] = max(out[number], among[allowed])
    # A coefficient that no null chose takes the limit of the next smaller one, and a smaller
    # coefficient never a lower limit than a larger one.
    for number in range(1, len(out)):
        out[number] = out[number] or out[number - 1]
    out = np.maximum.accumulate(out[::-1])[::-1]
    # The shares are an upper bound; what no null uses up is given back evenly.
    spare = np.arange(0.0, 12.0, 0.1)
    worst = [max(np.mean(v > (out - less)[c]) for v, c in drawn) for less in spare]
    less = spare[np.flatnonzero(np.array(worst) <= LEVEL)[-1]]
    return [round(float(v), 1) for v in out - less]


HEAD = """# Limits of the likelihood ratio "flat-ramp-plateau curve against none" by number of
# values (lengths) and AR coefficient of the noise under the curve (noise).
# Set by tests/bench/calibrate_onset.py (seed {seed}, {series} series a null and length) so that
# each of these nulls alarms in at most {level:.1%} of its series: {families}.
# level0.5 and level1 are random walks seen through white noise of half and all of its step.
# The margins were set on such nulls too: look_margin so that a gate that looks after each of
# 100 steps alarms in at most 5 % of runs of 1, 4 and 8 signals (bench_onset prints it),
# signal_margin for the best of several signals.
# tail, block_factor, spent and bent were chosen on planted changes for a coverage of about 95 %.
shortest = 6
"""


def main() -> None:
    rows = []
    for length in LENGTHS:
        rows.append(limits(length))
        print(length, rows[-1], file=sys.stderr, flush=True)
    text = HEAD.format(seed=SEED, series=SERIES, level=LEVEL, families=", ".join(FAMILIES))
    text += f"lengths = {list(LENGTHS)}\nnoise = {list(ramp.PHI)}\nlimits = [\n"
    text += "".join(f"  {row},\n" for row in rows) + "]\n"
    text += "signal_margin = 3.6\nlook_margin = 7.0\nquick_margin = 6.0\n"
    text += "bootstraps = 199\nblock_factor = 1.0\nspent = 4\ntail = 0.02\nbent = 0.5\n"
    if "--write" in sys.argv:
        path = Path(ramp.__file__).with_name("thresholds.toml")
        path.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
