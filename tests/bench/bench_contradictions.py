"""Precision and recall of contradictions on planted runs.

`python -m tests.bench.bench_contradictions`: each run has twelve metrics, four planted to
improve while fidelity falls, four that fall with it and four that only wander; then the same
runs without damage, where every contradiction is a false one.
"""

import numpy as np

from b100tui.analysis.contradictions import contradictions
from tests.analysis.test_contradictions import COMPARABLE, planted_run, probes
from tests.bench.bars import tell


def main(runs: int = 60) -> None:
    right = wrong = missed = 0
    for seed in range(1000, 1000 + runs):
        metrics, scores, liars = planted_run(seed)
        signals = probes(8, np.random.default_rng(seed + 5000))
        found = contradictions(metrics, scores, signals, COMPARABLE)
        named = {one.metric for one in found if one.status == "contradicts"}
        right, wrong, missed = (
            right + len(named & liars),
            wrong + len(named - liars),
            missed + len(liars - named),
        )
    note = f"{runs} damaged runs: {right} right, {wrong} wrong, {missed} missed"
    precision, recall = right / (right + wrong), right / (right + missed)
    tell("contradictions, precision", precision, "", 0.9, at_least=True, note=note)
    tell("contradictions, recall", recall, "", 0.9, at_least=True)
    false = 0
    for seed in range(1000, 1000 + runs):
        metrics, scores, _ = planted_run(seed, damaged=False)
        signals = probes(8, np.random.default_rng(seed + 5000), damaged=False)
        found = contradictions(metrics, scores, signals, COMPARABLE)
        false += sum(one.status == "contradicts" for one in found)
    note = f"of {12 * runs} answers on {runs} runs without damage"
    tell("contradictions, false ones", false, "", note=note)


if __name__ == "__main__":
    main()
