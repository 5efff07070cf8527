"""Score gaps: the paper's numbers, spread, open ranges, missing values."""

import csv
import math
from collections import defaultdict

import pytest
from scipy import stats

from b100tui.analysis.gaps import RunScores, bounded, gap_table, noise_of, overlay, score_gap
from b100tui.model.metric import Metric
from tests.shared_data import shared

UP = Metric(id="up", name="Up", backend="x", direction="higher", low=0.0, high=10.0)
DOWN = Metric(id="down", name="Down", backend="x", direction="lower", low=0.0, high=150.0)


def one(values: dict[int, float | None], run: str = "r") -> RunScores:
    return RunScores(run=run, values=values)


def _table2() -> dict[str, Metric]:
    out = {}
    with (shared("paper") / "table2.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            out[row["metric"]] = Metric(
                id=row["metric"],
                name=row["metric"],
                backend="pyiqa",
                direction="higher" if row["higher_is_better"] == "Yes" else "lower",
                low=float(row["range_low"]),
                high=float(row["range_high"]) if row["range_high"] else None,
            )
    return out


def test_raw_scores_built_from_figure_5_give_its_756_gaps_and_figure_6_counts() -> None:
    metrics = _table2()
    metrics["PI"] = bounded(metrics["PI"], high=20.0)
    groups: dict[str, dict[str, dict[int, float | None]]] = defaultdict(dict)
    wanted: dict[tuple[str, str, int], float] = {}
    printed: dict[tuple[str, str, int], str] = {}
    with (shared("paper") / "fig5.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            metric = metrics[row["metric"]]
            assert metric.low is not None and metric.high is not None
            # Six cells print 0.0 or -0.0: their sign comes from unrounded data. "-0.0" is
            # taken as just below zero, "0.0" as the count of Figure 6 has it (not positive).
            value = float(row["value"]) or -0.01
            width = metric.high - metric.low
            first = metric.low + 0.5 * width
            sign = 1 if metric.direction == "higher" else -1
            series = groups[row["image"]].setdefault(row["metric"], {1: first})
            series[int(row["delta"])] = first + sign * value * width / 100
            key = (row["image"], row["metric"], int(row["delta"]))
            wanted[key], printed[key] = value, row["value"]
    table = gap_table(
        [metrics[name] for name in next(iter(groups.values()))],
        {g: {m: [one(v)] for m, v in by.items()} for g, by in groups.items()},
    )
    assert len(table) == 756
    for key, value in wanted.items():
        cell = table[key]
        assert cell.gap == pytest.approx(value, abs=1e-9)
        assert cell.failure is (value > 0)
        assert cell.gap is not None and f"{abs(round(cell.gap, 1)):.1f}" == printed[key].lstrip("-")
    with (shared("paper") / "fig6_derived.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            cells = [table[row["image"], row["metric"], step] for step in (5, 10, 20)]
            assert overlay(cells) == int(row["positive_count"]), row


def test_gaps_are_never_clipped() -> None:
    cell = score_gap(DOWN, [one({1: 34.1, 10: -5.6, 20: -9.8})], 20)
    assert cell.norm_step == pytest.approx(100 * (1 + 9.8 / 150))
    assert cell.gap == pytest.approx(100 * 43.9 / 150) and cell.failure


def test_open_range_has_raw_gap_and_failure_but_no_normalised_gap() -> None:
    pi = Metric(id="pi", name="PI", backend="x", direction="lower", low=0.0)
    cell = score_gap(pi, [one({1: 5.0, 5: 4.0})], 5)
    assert cell.gap is None and cell.raw_gap == -1.0 and cell.failure and "open" in cell.note
    closed = bounded(pi, high=20.0)
    assert score_gap(closed, [one({1: 5.0, 5: 4.0})], 5).gap == pytest.approx(5.0)
    assert "20 (stated)" in closed.range_source


def test_unknown_direction_is_never_a_failure() -> None:
    grey = Metric(id="g", name="G", backend="x", direction="unknown", low=0.0, high=1.0)
    cell = score_gap(grey, [one({1: 0.2, 5: 0.9})], 5)
    assert cell.failure is None and cell.gap is None and cell.raw_gap == pytest.approx(0.7)


def test_several_runs_give_sd_with_ddof_1_and_a_t_interval() -> None:
    gaps = [1.0, 2.0, 4.0]
    cell = score_gap(UP, [one({1: 5.0, 5: 5.0 + g}, str(g)) for g in gaps], 5)
    sd = math.sqrt(sum((g - 7 / 3) ** 2 for g in gaps) / 2) * 10
    half = stats.t.ppf(0.975, 2) * sd / math.sqrt(3)
    assert cell.n == 3 and cell.sd == pytest.approx(sd)
    assert cell.spread.low == pytest.approx(70 / 3 - half)
    assert cell.spread.high == pytest.approx(70 / 3 + half)


def test_one_run_has_no_sd_but_an_estimate_from_first_differences() -> None:
    values: dict[int, float | None] = {step: 5.0 + 0.1 * (-1) ** step for step in range(1, 22)}
    cell = score_gap(UP, [one(values)], 5)
    assert cell.sd is None and cell.spread.kind == "estimate"
    noise = noise_of([value or 0.0 for value in values.values()])
    assert noise is not None
    assert cell.spread.estimate == pytest.approx(noise * 10 * 2.0)
    assert cell.within_noise is True


@pytest.mark.parametrize("metric", [UP, DOWN])
def test_no_difference_is_plainly_zero(metric: Metric) -> None:
    cell = score_gap(metric, [RunScores(run="a", values={1: 4.0, 5: 4.0})], 5)
    assert [str(value) for value in (cell.gap, cell.raw_gap, cell.corrected)] == ["0.0"] * 3
    assert cell.failure is False


def test_gap_beyond_its_interval_is_not_within_noise() -> None:
    runs = [one({1: 5.0, 5: 6.0 + 0.01 * n}, str(n)) for n in range(5)]
    assert score_gap(UP, runs, 5).within_noise is False


def test_missing_scores_lower_coverage_and_are_never_zero() -> None:
    runs = [one({1: 5.0, 5: 6.0}), one({1: 5.0, 5: None}), one({5: 9.0}), one({1: float("nan")})]
    cell = score_gap(UP, runs, 5)
    assert (cell.n, cell.coverage) == (1, 0.25) and cell.gap == pytest.approx(10.0)
    assert "2 without a score at reference step 1" in cell.note
    nothing = score_gap(UP, runs, 10)
    assert nothing.gap is None and nothing.failure is None and nothing.coverage == 0.0


def test_steps_that_may_not_be_compared_are_left_out_with_the_reason() -> None:
    run = RunScores(run="m", values={1: 1.0, 2: 9.0}, left_out={2: "another phase"})
    cell = score_gap(UP, [run], 2)
    assert cell.gap is None and "another phase" in cell.note


def test_no_runs_and_equal_scores_are_answered() -> None:
    assert score_gap(UP, [], 5).failure is None
    equal = score_gap(UP, [one({1: 5.0, 5: 5.0}), one({1: 5.0, 5: 5.0})], 5)
    assert equal.gap == 0.0 and equal.failure is False and equal.within_noise is True
    assert equal.effect is None


def test_another_reference_step() -> None:
    assert score_gap(UP, [one({0: 1.0, 1: 9.0, 5: 2.0})], 5, reference=0).gap == pytest.approx(10)


def test_absurd_scores_and_empty_ranges_never_give_infinite_gaps() -> None:
    absurd = score_gap(UP, [one({1: 1e308, 5: -1e308})], 5)
    assert absurd.note == "1 with an absurd score"
    endless = score_gap(UP, [one({1: 5.0, 5: float("inf")}), one({1: 5.0, 5: 6.0})], 5)
    assert (endless.n, endless.gap, endless.note) == (1, 10.0, "1 with an absurd score")
    assert absurd.gap is None and absurd.failure is None and "absurd" in absurd.note
    empty = Metric(id="e", name="E", backend="x", direction="higher", low=1.0, high=1.0)
    cell = score_gap(empty, [one({1: 1.0, 5: 2.0})], 5)
    assert cell.gap is None and cell.raw_gap == 1.0 and cell.failure
