"""Infinite and absurd scores: every analysis says that it left them out, and is right without."""

import csv
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.store import Index, open_index
from b100tui.metrics.registry import metric
from b100tui.report.comparison import compare_groups
from b100tui.report.curves import curves
from b100tui.report.evidence import gap_table, lies_table, onset_table, runs_of, verdict_sentence
from b100tui.report.gate import decide, known_scores, own_run, wanted_signals
from b100tui.report.origin import Wanted
from b100tui.report.report import make_report
from b100tui.report.tables import agreement_table, notice_table, notices
from tests.index.folder import add_step, record, score

ODD, SANE = "dongpo/replicate-2k/run-0", "dongpo/replicate-2k/run-1"
BREAK = 7
ABSURD = {
    "brisque": {7: -1e305, 8: -1e305, 9: -1e305},  # "better" without end, three steps running
    "musiq": {20: 1e305},
    "niqe": {5: -1e50, 6: -1e50},
    "pi": {10: -1e200},  # an open range
    "noise_sigma": {12: 1e300},
}


def write(root: Path) -> None:
    """Two repeats that break at BREAK; one of them with absurd scores."""
    rng = random.Random(1)
    for run in (ODD, SANE):
        records = []
        for step in range(1, 31):
            add_step(root, run, step)
            rise = max(0, step - BREAK + 1)
            values = {
                "brisque": 40.0 + 0.6 * rise + rng.gauss(0, 0.3),
                "musiq": 60.0 - 0.5 * rise + rng.gauss(0, 0.4),
                "niqe": 4.0 + 0.05 * rise + rng.gauss(0, 0.05),
                "pi": 5.0 + 0.02 * rise + rng.gauss(0, 0.03),
                "noise_sigma": 2.0 * 1.08**rise * (1.0 + rng.gauss(0, 0.01)),
            }
            if step > 1:
                values["colour_cast"] = 0.4 + 0.3 * rise + rng.gauss(0, 0.05)
            if run == ODD:
                for name, wrong in ABSURD.items():
                    values[name] = wrong.get(step, values[name])
            records += [score(run, step, name, value) for name, value in values.items()]
        record(root, "scores", *records)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("absurd") / "runs"
    write(made)
    return made


@pytest.fixture
def index(root: Path) -> Iterator[Index]:
    refresh(root)
    opened = open_index(root)
    yield opened
    opened.close()


def test_gaps_leave_them_out_and_say_so(index: Index) -> None:
    table = gap_table(index, steps=(5, 8, 10), by="run")
    better = table.cell(ODD, "brisque", 8)
    assert (better.gap, better.failure, better.note) == (None, None, "1 with an absurd score")
    assert table.cell(ODD, "pi", 10).raw_gap is None
    assert table.cell(SANE, "brisque", 8).failure is False
    assert "absurd scores of brisque left out of 1 cell" in table.notes


def test_a_mean_over_runs_rests_on_the_sane_one(index: Index) -> None:
    both = gap_table(index, steps=(20,)).cell("dongpo", "musiq", 20)
    alone = gap_table(index, steps=(20,), by="run").cell(SANE, "musiq", 20)
    assert (both.gap, both.n, both.coverage) == (alone.gap, 1, 0.5)


def test_the_noise_of_a_run_is_not_that_of_its_absurd_scores(index: Index) -> None:
    spread = gap_table(index, steps=(20,), by="run").cell(ODD, "niqe", 20).spread
    assert spread.estimate is not None and spread.estimate < 5.0


def test_the_sentence_gives_no_verdict_on_them(index: Index) -> None:
    cell = gap_table(index, steps=(8,), by="run").cell(ODD, "brisque", 8)
    told = verdict_sentence(metric("brisque"), cell)
    assert told == "BRISQUE at step 8: no verdict (1 with an absurd score)"


def test_the_run_list_names_no_absurd_gap(index: Index) -> None:
    for row in index.runs():
        assert row.worst_gap is None or abs(row.worst_gap) < 100.0
        assert row.onset in range(BREAK - 2, BREAK + 3)


def test_onset_and_limit_are_those_without_them(index: Index) -> None:
    odd, sane = onset_table(index, runs_of(index, (ODD, SANE)))
    assert odd.step == sane.step == BREAK and odd.limit == sane.limit
    assert odd.reason == "1 absurd score of noise_sigma left out (step 12)"
    assert sane.reason == ""


def test_lies_are_not_made_of_them(index: Index) -> None:
    rows = {
        (row.run, row.metric): row for row in lies_table(index, runs_of(index, (ODD,)), align=False)
    }
    row = rows[ODD, "brisque"]
    assert row.status != "contradicts" and row.gap is None
    assert row.reason.endswith("3 absurd scores left out (steps 7, 8, 9)")


@pytest.mark.parametrize("on", ["onset", "limit"])
def test_the_gate_decides_without_them(on: str, root: Path) -> None:
    from b100tui.analysis.limit import defaults

    answers = {}
    for run in (ODD, SANE):
        one = own_run(root, run)
        assert one is not None
        scored = known_scores(root, one, wanted_signals(on, defaults()))  # type: ignore[arg-type]
        answers[run] = decide(one, scored, 30, on)  # type: ignore[arg-type]
    assert answers[ODD].crossed and answers[ODD].value == answers[SANE].value
    assert answers[ODD].why.endswith("1 absurd score of noise_sigma left out (step 12)")
    assert "absurd" not in answers[SANE].why


def test_groups_are_compared_without_them(index: Index) -> None:
    found = compare_groups(index, f"run:{ODD}", f"run:{SANE}", steps=(10, 20))
    assert "1 absurd score of musiq left out" in found.notes
    assert found.first.metrics["musiq"][1] == (None, None, 0)
    assert all(abs(one.value) < 100.0 for one in found.differences if one.value is not None)


def test_the_first_to_notice_is_ranked_without_them(index: Index) -> None:
    runs = runs_of(index, (ODD, SANE))
    found = notices(index, runs, onset_table(index, runs))
    absurd = {one.metric: one.absurd for one in found}
    assert absurd == {"brisque": 3, "musiq": 1, "niqe": 2, "pi": 1}
    (_, note) = notice_table(found).notes
    assert note.startswith("absurd scores left out:") and "brisque (3)" in note


def test_agreement_ranks_without_them(index: Index) -> None:
    table = agreement_table(index, runs_of(index))
    assert "brisque (3)" in table.notes[-1]
    n = {(one, other): n for one, other, _, n, _ in table.rows}
    assert n["brisque", "niqe"] == 60 - 3 - 2


def test_curves_have_a_hole_there(index: Index) -> None:
    (curve,) = [
        one
        for one in curves(index, gap_table(index, by="run"))
        if (one.group, one.metric) == (ODD, "brisque")
    ]
    assert set(range(1, 31)) - set(curve.steps) == {7, 8, 9}
    assert max(abs(value) for value in curve.mean) < 100.0


def test_the_report_says_so(index: Index, tmp_path: Path) -> None:
    make_report(index, tmp_path, Wanted(figures=("5",), tables=(), formats=("csv",)))
    with (tmp_path / "figure-5.csv").open(encoding="utf-8") as lines:
        notes = {
            row["note"] for row in csv.DictReader(lines) if row["metric"] in ("musiq", "MUSIQ")
        }
    assert "1 with an absurd score" in notes
