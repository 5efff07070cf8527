"""Tables of gaps made in columns: every cell is that of the plain arithmetic."""

import math
import random

import numpy as np
import pytest
from msgspec import structs

from b100tui.analysis.gap_columns import GapCells, GapInput, noises
from b100tui.analysis.gaps import Gap, RunScores, noise_of, score_gap
from b100tui.model.metric import Metric

METRICS = (
    Metric(id="up", name="Up", backend="x", direction="higher", low=0.0, high=10.0),
    Metric(id="down", name="Down", backend="x", direction="lower", low=0.0, high=150.0),
    Metric(id="open", name="Open", backend="x", direction="lower", low=0.0),
    Metric(id="grey", name="Grey", backend="x", direction="unknown", low=0.0, high=1.0),
    Metric(id="empty", name="Empty", backend="x", direction="higher", low=1.0, high=1.0),
)
STEPS = (5, 2, 10)
ODD = (None, None, math.nan, math.inf, -math.inf, 1e305, -1e50)


def _planted(seed: int) -> tuple[GapInput, dict[tuple[str, str, int], Gap]]:
    """Groups of 1 to 6 runs with missing, absurd and incomparable values; and the plain answers."""
    rng = random.Random(seed)
    groups = {f"g{n}": rng.randint(1, 6) for n in range(4)} | {"alone": 1}
    values: list[list[dict[int, float | None]]] = []
    left: list[dict[int, str]] = []
    for count in groups.values():
        for _ in range(count):
            left.append({s: rng.choice(("phase", "size")) for s in STEPS if rng.random() < 0.15})
            values.append(
                [
                    {
                        step: rng.choice(ODD)
                        if rng.random() < 0.1
                        else rng.choice((4.0, rng.gauss(5, 2)))
                        for step in range(1, 12)
                    }
                    for _ in METRICS
                ]
            )
    said = {(0, 1): ("runs differ in editor",)}

    def number(value: float | None) -> float:
        return math.nan if value is None else value

    def noise(places: object) -> np.ndarray:
        out = np.full((len(values), len(METRICS)), np.nan)
        for run, of_run in enumerate(values):
            for metric, series in enumerate(of_run):
                kept = [
                    v
                    for s, v in series.items()
                    if v is not None and abs(v) < 1e4 and s not in left[run]
                ]
                found = noise_of(kept)
                out[run, metric] = math.nan if found is None else found
        return out

    given = GapInput(
        groups=tuple(groups),
        sizes=tuple(groups.values()),
        metrics=METRICS,
        steps=STEPS,
        reference=1,
        first=np.array([[number(one[1]) for one in run] for run in values]),
        later=np.array([[[number(one[s]) for s in STEPS] for one in run] for run in values]),
        left_out=tuple(left),
        noise=noise,
        said=said,
    )
    wanted = {}
    start = 0
    for place, (group, count) in enumerate(groups.items()):
        for at, metric in enumerate(METRICS):
            runs = [
                RunScores(run=str(run), values=values[run][at], left_out=left[run])
                for run in range(start, start + count)
            ]
            for step in STEPS:
                cell = score_gap(metric, runs, step)
                more = said.get((place, at), ())
                note = "; ".join((*((cell.note,) if cell.note else ()), *more))
                wanted[group, metric.id, step] = structs.replace(cell, note=note)
        start += count
    return given, wanted


@pytest.mark.parametrize("seed", range(6))
def test_every_cell_is_that_of_the_plain_arithmetic(seed: int) -> None:
    given, wanted = _planted(seed)
    cells = GapCells(given)
    assert list(cells) == list(wanted) and len(cells) == len(wanted)
    for key, cell in wanted.items():
        assert structs.asdict(cells[key]) == structs.asdict(cell), key


def test_a_table_without_groups_is_empty() -> None:
    given, _ = _planted(1)
    nothing = structs.replace(given, groups=(), sizes=(), left_out=())
    assert dict(GapCells(nothing)) == {}


def test_a_cell_that_is_not_there_is_a_key_error() -> None:
    cells = GapCells(_planted(1)[0])
    assert ("g0", "up", 6) not in cells and cells.get(("no", "up", 5)) is None


def test_the_noise_of_many_series_is_that_of_each() -> None:
    rng = np.random.default_rng(3)
    series = [rng.normal(0, 1 + n, n) for n in (7, 2, 0, 3, 50, 1, 8)]
    order = [3, 0, 4, 1, 6, 5]  # not by number
    keys = np.concatenate([np.full(len(series[n]), n) for n in order])
    found = noises(keys, np.concatenate([series[n] for n in order]), len(series))
    for number, values in enumerate(series):
        wanted = noise_of(values.tolist())
        assert found[number] == wanted if wanted is not None else np.isnan(found[number])
