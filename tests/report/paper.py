"""Raw scores that have the gaps of the paper's Figure 5, as a folder of runs."""

import csv
from pathlib import Path

from b100tui.metrics.registry import metric
from tests.index.folder import add_step, record, score
from tests.shared_data import shared

PI_BOUND = 20.0
STEPS = (5, 10, 20)
NUDGE = 0.01  # a cell printed 0.0 or -0.0 counts as not positive in Figure 6


def printed() -> dict[tuple[str, str, int], float]:
    """(image, metric id, step) -> gap as printed."""
    with (shared("paper") / "fig5.csv").open(encoding="utf-8") as lines:
        return {
            (row["image"].lower(), metric(row["metric"]).id, int(row["delta"])): float(row["value"])
            for row in csv.DictReader(lines)
        }


def positives() -> dict[tuple[str, str], int]:
    """(image, metric id) -> count of positive gaps (Figure 6)."""
    with (shared("paper") / "fig6_derived.csv").open(encoding="utf-8") as lines:
        return {
            (row["image"].lower(), metric(row["metric"]).id): int(row["positive_count"])
            for row in csv.DictReader(lines)
        }


def write_runs(root: Path) -> None:
    """Write one replication run an image, scored so that its gaps are the printed ones."""
    gaps = printed()
    records = []
    for image in sorted({image for image, _, _ in gaps}):
        run = f"{image}/replicate-2k/run-0"
        for step in (1, *STEPS):
            add_step(root, run, step)
        for name in sorted({name for _, name, _ in gaps}):
            of = metric(name)
            low = of.low if of.low is not None else 0.0
            width = (of.high if of.high is not None else PI_BOUND) - low
            sign = 1.0 if of.direction == "higher" else -1.0
            first = low + 0.5 * width
            records.append(score(run, 1, name, first))
            for step in STEPS:
                gap = gaps[image, name, step] or -NUDGE
                records.append(score(run, step, name, first + sign * gap * width / 100))
    record(root, "scores", *records)
