"""Precision and recall of contradictions on planted runs, each kind of damage on pictures.

`python -m tests.bench.bench_contradictions`: each run has twelve metrics, four planted to
improve while fidelity falls, four that fall with it and four that only wander. First signals of
a formula, then probes measured on pictures with one kind of damage at a time; then runs without
damage, where every contradiction is a false one: clean, and zoomed only.
"""

from collections.abc import Sequence

import numpy as np

from b100tui.analysis.contradictions import contradictions
from tests.analysis.pictures import DAMAGE, LAST, Series, probed, trajectory
from tests.analysis.test_contradictions import COMPARABLE, planted_run, probes
from tests.bench.bars import tell

FIRST = 8  # where planted_run lets its metrics improve


def of_formulas(runs: int, damaged: bool) -> tuple[int, int, int]:
    """Right, wrong and missed contradictions on signals that follow a formula."""
    counts = np.zeros(3, dtype=int)
    for seed in range(1000, 1000 + runs):
        signals = probes(FIRST, np.random.default_rng(seed + 5000), damaged=damaged)
        counts += judged(seed, signals, COMPARABLE, damaged)
    right, wrong, missed = counts.tolist()
    return right, wrong, missed


def of_pictures(kind: str, runs: int) -> tuple[int, int, int]:
    """The same on pictures with one kind of damage; zoom and none are no damage."""
    counts = np.zeros(3, dtype=int)
    for seed in range(2000, 2000 + runs):
        signals = probed(trajectory(kind, FIRST, seed), aligned=range(2, LAST + 1))
        # Several sets of metrics look at the same pictures.
        for more in range(3):
            counts += judged(10 * seed + more, signals, range(2, LAST + 1), kind in DAMAGE)
    right, wrong, missed = counts.tolist()
    return right, wrong, missed


def judged(seed: int, signals: Series, comparable: Sequence[int], damaged: bool) -> list[int]:
    metrics, scores, liars = planted_run(seed, damaged=damaged)
    last = max(comparable)
    known = {name: {at: v for at, v in row.items() if at <= last} for name, row in scores.items()}
    found = contradictions(metrics, known, signals, comparable)
    named = {one.metric for one in found if one.status == "contradicts"}
    return [len(named & liars), len(named - liars), len(liars - named)]


def told(name: str, right: int, wrong: int, missed: int, what: str) -> None:
    note = f"{what}: {right} right, {wrong} wrong, {missed} missed"
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    tell(f"contradictions, {name}, precision", precision, "", 0.9, at_least=True, note=note)
    tell(f"contradictions, {name}, recall", recall, "", 0.9, at_least=True)


def main(runs: int = 60, pictures: int = 4) -> None:
    told("formulas", *of_formulas(runs, True), f"{runs} damaged runs")
    for kind in DAMAGE:
        told(kind, *of_pictures(kind, pictures), f"{pictures} runs of pictures x 3 sets of metrics")
    _, false, _ = of_formulas(runs, False)
    note = f"of {12 * runs} answers on {runs} runs without damage"
    tell("contradictions, false ones", false, "", note=note)
    for kind in ("none", "zoom"):
        _, false, _ = of_pictures(kind, pictures)
        note = f"of {36 * pictures} answers on {pictures} runs of pictures"
        tell(f"contradictions, false ones, {kind}", false, "", note=note)


if __name__ == "__main__":
    main()
