"""An analyst in memory: planted scores through the real gap arithmetic."""

from collections.abc import Callable, Mapping, Sequence

from b100tui.analysis.gaps import RunScores, score_gap
from b100tui.metrics.registry import metric
from b100tui.model.records import PictureRef, Step
from b100tui.report.gap_table import GapTable
from b100tui.report.lies import LieRow
from b100tui.tui.analyst import CellEvidence, GapsAsked, RunLine, band_of, place_of
from b100tui.tui.verdict import gap_sentences

STEPS = (5, 10, 20)
GROUPS = ("dongpo", "fog", "rice")
RUNS = 3

# metric -> group -> (value at the reference, change a step, change a step and repeat)
Planted = Mapping[str, Mapping[str, tuple[float, float, float]]]
PLANTED: Planted = {
    # BRISQUE, lower is better, 0 to 150: falls by 3 a step everywhere, so it always fails.
    "brisque": dict.fromkeys(GROUPS, (75.0, -3.0, 0.0)),
    # MUSIQ, higher is better, 0 to 100: falls, but rises for fog.
    "musiq": {"dongpo": (70.0, -1.0, 0.0), "fog": (70.0, 0.5, 0.0), "rice": (70.0, 0.1, 2.0)},
    # NIQE: nobody scored rice.
    "niqe": {"dongpo": (5.0, 0.1, 0.0), "fog": (5.0, 0.1, 0.0)},
}


def values_of(planted: tuple[float, float, float], repeat: int) -> dict[int, float | None]:
    base, a_step, a_repeat = planted
    return {
        step: base + (step - 1) * (a_step + a_repeat * (repeat - 1)) for step in (1, *range(2, 22))
    }


def make_table(asked: GapsAsked, planted: Planted = PLANTED) -> GapTable:
    metrics = tuple(metric(name) for name in planted)
    cells = {}
    members = {group: tuple(f"{group}/run-{n}" for n in range(RUNS)) for group in GROUPS}
    for one in metrics:
        for group in GROUPS:
            runs = [
                RunScores(run=run, values=values_of(planted[one.id][group], repeat))
                if group in planted[one.id]
                else RunScores(run=run, values={})
                for repeat, run in enumerate(members[group])
            ]
            for step in STEPS:
                cells[group, one.id, step] = score_gap(one, runs, step, reference=asked.reference)
    return GapTable(
        by=asked.by, reference=asked.reference, steps=STEPS, groups=GROUPS, metrics=metrics,
        cells=cells, members=members,
    )  # fmt: skip


class FakeAnalyst:
    """Knows three groups of three runs; `asked` lists what it was asked for."""

    def __init__(self, make: Callable[[GapsAsked], GapTable] = make_table) -> None:
        self.make = make
        self.asked: list[GapsAsked] = []
        self.known: dict[GapsAsked, GapTable] = {}

    def known_gaps(self, asked: GapsAsked) -> GapTable | None:
        return self.known.get(asked)

    def gaps(self, asked: GapsAsked) -> GapTable:
        self.asked.append(asked)
        return self.known.setdefault(asked, self.make(asked))

    def evidence(
        self, table: GapTable, group: str, metric: str, step: int, run: str = ""
    ) -> CellEvidence:
        one = next(found for found in table.metrics if found.id == metric)
        lines = tuple(
            RunLine(name, {s: v for s, v in values_of(PLANTED[metric][group], n).items() if v})
            for n, name in enumerate(table.members[group])
        )
        shown = place_of(lines, one, table.reference, step, run)
        runs = [RunScores(run=line.run, values=line.values) for line in lines]
        gap = score_gap(one, runs, step, reference=table.reference)
        return CellEvidence(
            group=group, metric=one, reference=table.reference, step=step, lines=lines,
            band=band_of(lines), shown=shown, steps=pictures(lines[shown].run),
            sentences=gap_sentences(one, gap), failure=gap.failure,
        )  # fmt: skip

    def runs(self, filter: str) -> list[str]:
        return [run for group in GROUPS for run in make_table(GapsAsked()).members[group]]

    def lies(self, run, reference, *, align, cancelled=None) -> list[LieRow]:
        return []


def pictures(run: str, steps: Sequence[int] = range(22)) -> tuple[Step, ...]:
    return tuple(
        Step(run=run, step=n, picture=PictureRef(f"{run}/{n}.png"), width=640, height=480)
        for n in steps
    )
