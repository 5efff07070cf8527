"""Metrics that said "better" while the evidence said "worse", out of the index.

Aligned fidelity is measured where the cache does not hold it yet, at a few steps of those runs
only in which some metric improved.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from b100tui.analysis.absurd import absurd_words, believable
from b100tui.analysis.contradictions import (
    Contradiction,
    Status,
    contradictions,
    improved_at,
    saying,
)
from b100tui.model.comparable import cycle
from b100tui.model.metric import Metric
from b100tui.model.records import Run
from b100tui.report.chosen import chosen_metrics, runs_of
from b100tui.report.drift import DriftSeries, drift_series, kept_signals
from b100tui.report.onsets import RunSignals, seen_by, signals_of

if TYPE_CHECKING:
    from b100tui.analysis.gaps import Gap
    from b100tui.index.store import Index

ALIGNED_STEPS = 14  # spread over a run, besides those where a metric improved most
Spread = dict[str, dict[int, float]]
Progress = Callable[[int, int], None]


class LieRow(Struct, frozen=True, kw_only=True):
    """What one metric said in one run, held against the probes; see `Contradiction`.

    `word` is what it may be called: "lie" only with human marks or two independent kinds of
    evidence. Show the picture at `step` beside that at `reference`.
    """

    run: str
    step: int | None
    metric: str
    gap: float | None
    status: Status
    fidelity_drop: float | None
    noise_ratio: float | None
    cast: float | None
    texture_ratio: float | None
    halo_ratio: float | None
    confidence: float
    evidence: tuple[str, ...]
    reference: int = 1
    q: float | None = None
    word: str = ""
    reason: str = ""


def lies_table(
    index: "Index",
    runs: Sequence[Run],
    *,
    metrics: str | None = None,
    reference: int = 1,
    align: bool = True,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> list[LieRow]:
    """Return one row for each metric of each run, in the order given.

    With `align` aligned fidelity is measured where it is not known yet; `progress` is told
    (runs done, runs). Metrics that compare against a reference are evidence, never accused.
    """
    wanted = accusable(index, metrics)
    marked = _all_marks(index, [run.run for run in runs], reference)
    aligned = kept_signals(index, [run.run for run in runs], reference)
    rows: list[LieRow] = []
    spreads = _Spreads(index, wanted, reference)
    for done, run in enumerate(runs, 1):
        (one,) = signals_of(
            index, [run], reference=reference, aligned={run.run: aligned.get(run.run, {})}
        )
        if cycle(run).kind == "addition":
            # What a metric says of the whole picture has nothing like it in the reference.
            one = structs.replace(one, comparable=())
        spread = spreads.of(run)
        if align:
            one = _with_fidelity(index, run, one, wanted, spread, cancelled)
        found = contradictions(
            wanted,
            one.signals,
            one.signals,
            one.comparable,
            reference=reference,
            spread=spread,
            marked=marked.get(run.run, ()),
        )
        reason = ""
        if not one.comparable:
            reason = "; ".join(one.not_compared) or f"nothing follows reference step {reference}"
        rows += [
            _row(run.run, saying(item, absurd_words(one.absurd.get(item.metric, ()))), reason)
            for item in found
        ]
        if progress is not None:
            progress(done, len(runs))
    return rows


def accusable(index: "Index", metrics: str | None) -> tuple[Metric, ...]:
    """Return the metrics with values and a direction that judge a picture by itself."""
    chosen, _ = chosen_metrics(index, metrics)
    return tuple(one for one in chosen if one.direction != "unknown" and not one.needs_reference)


def verdict_sentence(metric: Metric, gap: "Gap", found: LieRow | None = None) -> str:
    """Return one sentence: what the metric says at a step, what the probes say, and the verdict."""
    value = gap.gap if gap.gap is not None else gap.corrected
    if value is None:
        why = gap.note or "there is no gap"
        return f"{metric.name} at step {gap.step}: no verdict ({why})"
    said = "better" if value > 0 else "worse" if value < 0 else "the same"
    unit = "" if gap.gap is not None else " raw"
    start = f"{metric.name} says {value:+.1f}{unit} ({said}) at step {gap.step}"
    if gap.within_noise:
        start += ", within its own spread"
    if found is None or found.status == "not_applicable":
        why = found.reason if found is not None else ""
        judged = (
            "failure: the picture went through the editor again" if gap.failure else "no failure"
        )
        return f"{start}; {judged}" + (f"; not held against the probes ({why})" if why else "")
    if found.status == "consistent":
        return f"{start}; nothing contradicts it ({found.reason})"
    evidence = "; ".join(found.evidence[1:])
    return f"{start}; {evidence}: {found.word} (confidence {found.confidence:.2f})"


class _Spreads:
    """The sd over repeats of the raw gap, by metric and step; each setting is read once."""

    def __init__(self, index: "Index", metrics: Sequence[Metric], reference: int) -> None:
        self._index = index
        self._metrics = tuple(metrics)
        self._reference = reference
        self._known: dict[tuple[str, str], Spread] = {}
        self._members: dict[tuple[str, str], list[str]] = {}
        for run in runs_of(index):
            self._members.setdefault((run.image, run.setting), []).append(run.run)

    def of(self, run: Run) -> Spread:
        """Return the spread among the repeats of the run's setting; empty for a lone run."""
        key = (run.image, run.setting)
        if key not in self._known:
            members = self._members.get(key, [])
            self._known[key] = self._measured(members) if len(members) > 1 else {}
        return self._known[key]

    def _measured(self, runs: Sequence[str]) -> Spread:
        ends = [believable(metric) for metric in self._metrics]
        rows = self._index.ask(
            _spread_sql(),
            [
                [metric.id for metric in self._metrics],
                [low for low, _ in ends],
                [high for _, high in ends],
                self._reference,
                list(runs),
            ],
        )
        found: Spread = {}
        for metric, step, size in rows:
            found.setdefault(metric, {})[step] = size
        return found


@cache
def _spread_sql() -> str:
    return files("b100tui.report").joinpath("repeat_spread.sql").read_text(encoding="utf-8")


def _with_fidelity(
    index: "Index",
    run: Run,
    one: RunSignals,
    metrics: Sequence[Metric],
    spread: Spread,
    cancelled: Callable[[], bool] | None,
) -> RunSignals:
    """Return the signals with aligned SSIM and PSNR at enough steps, where some metric improved."""
    improved = improved_at(
        metrics, one.signals, one.comparable, reference=one.reference, spread=spread
    )
    if not improved:
        return one
    stride = max(1, len(one.comparable) // ALIGNED_STEPS)
    wanted = {*one.comparable[::stride], *improved.values()}
    if wanted <= set(one.signals.get("ssim", {})):
        return one
    series: DriftSeries = drift_series(
        index.root,
        index.steps(run.run),
        reference=one.reference,
        wanted=sorted(wanted | {one.reference}),
        cancelled=cancelled,
    )
    allowed = set(one.comparable)
    fidelity = {
        name: {
            step: value
            for step, value in {**one.signals.get(name, {}), **values}.items()
            if step in allowed
        }
        for name, values in seen_by(run, series.signals()).items()
    }
    return structs.replace(one, signals={**one.signals, **fidelity})


def _row(run: str, found: Contradiction, reason: str) -> LieRow:
    return LieRow(
        run=run,
        step=found.step,
        metric=found.metric,
        gap=found.gap,
        status=found.status,
        fidelity_drop=found.fidelity_drop,
        noise_ratio=found.noise_ratio,
        cast=found.cast,
        texture_ratio=found.texture_ratio,
        halo_ratio=found.halo_ratio,
        confidence=found.confidence,
        evidence=found.evidence,
        reference=found.reference,
        q=found.q,
        word=found.word,
        reason=reason or found.reason,
    )


def _all_marks(index: "Index", runs: Sequence[str], reference: int) -> dict[str, list[int]]:
    """Return run -> the marked steps after the reference."""
    found: dict[str, list[int]] = {}
    rows = index.ask(
        "SELECT DISTINCT run, step FROM mark WHERE step > ? AND run IN (SELECT unnest(?))"
        " ORDER BY run, step",
        [reference, list(runs)],
    )
    for run, step in rows:
        found.setdefault(run, []).append(step)
    return found
