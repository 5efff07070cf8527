"""Metrics that said "better" while the evidence said "worse" (`b100 lies`).

A metric contradicts the probes when its direction-corrected score improved beyond its repeat
spread over at least three successive comparable steps (or at every one of steps 5, 10, 20)
while aligned fidelity fell and at least one kind of damage moved beyond its own noise. The
improvement's p value comes from the change statistic of `onset`; the false discovery rate is
controlled over the metrics of a run (Benjamini and Hochberg 1995).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, structs

from b100tui.analysis.absurd import absurd_words, believed
from b100tui.analysis.evidence import Moved, Probes, families
from b100tui.analysis.gaps import STEPS, noise_of
from b100tui.analysis.onset import onset
from b100tui.analysis.thresholds import table
from b100tui.model.metric import Metric, corrected_gap, normalised

Status = Literal["contradicts", "consistent", "not_applicable"]
SUCCESSIVE = 3
RATE = 0.05  # false discovery rate over the metrics of a run


class Contradiction(Struct, frozen=True, kw_only=True):
    """What one metric said in one run, held against the probes.

    `step` is where the contradiction is plainest: show its picture beside the reference
    step's. `gap` is the normalised gap there (raw and direction-corrected where the range is
    open), `q` the adjusted p value of the improvement. `word` is what a screen may call it:
    "lie" only with human marks or two independent kinds of evidence.
    """

    metric: str
    status: Status
    step: int | None = None
    reference: int = 1
    gap: float | None = None
    q: float | None = None
    fidelity_drop: float | None = None
    noise_ratio: float | None = None
    cast: float | None = None
    texture_ratio: float | None = None
    halo_ratio: float | None = None
    confidence: float = 0.0
    word: str = ""
    evidence: tuple[str, ...] = ()
    reason: str = ""


class _Claim(Struct, frozen=True):
    step: int | None
    gap: float | None
    p: float
    reason: str = ""
    judged: bool = True


def contradictions(
    metrics: Sequence[Metric],
    scores: Mapping[str, Mapping[int, float | None]],
    signals: Mapping[str, Mapping[int, float | None]],
    comparable: Sequence[int],
    *,
    reference: int = 1,
    spread: Mapping[str, Mapping[int, float]] | None = None,
    marked: Sequence[int] = (),
) -> tuple[Contradiction, ...]:
    """Return one answer for each metric of one run.

    `scores` maps a metric id to {step: raw value}, `signals` a probe id to the same,
    `comparable` lists the steps that may be held against the reference. `spread` gives the
    sd over repeats of the raw gap by metric and step where several runs exist. `marked` are
    steps that people marked as failed. Absurd scores count as missing, and the reason says so.
    """
    probes = Probes(signals, comparable, reference)
    sane = {metric.id: believed(metric, scores.get(metric.id, {})) for metric in metrics}
    claims = {
        metric.id: _claim(metric, sane[metric.id][0], probes, (spread or {}).get(metric.id, {}))
        for metric in metrics
    }
    adjusted = benjamini_hochberg({name: claim.p for name, claim in claims.items() if claim.judged})
    return tuple(
        saying(
            _judged(metric.id, claims[metric.id], adjusted.get(metric.id), probes, marked),
            absurd_words(sane[metric.id][1]),
        )
        for metric in metrics
    )


def saying(found: Contradiction, words: str) -> Contradiction:
    """Return the answer with more words to its reason."""
    if not words:
        return found
    return structs.replace(found, reason="; ".join(filter(None, (found.reason, words))))


def improved_at(
    metrics: Sequence[Metric],
    scores: Mapping[str, Mapping[int, float | None]],
    comparable: Sequence[int],
    *,
    reference: int = 1,
    spread: Mapping[str, Mapping[int, float]] | None = None,
) -> dict[str, int]:
    """Return metric id -> the step of its plainest improvement, for metrics that improved.

    These are the steps at which fidelity has to be known before anything contradicts.
    """
    probes = Probes({}, comparable, reference)
    out: dict[str, int] = {}
    for metric in metrics:
        values, _ = believed(metric, scores.get(metric.id, {}))
        claim = _claim(metric, values, probes, (spread or {}).get(metric.id, {}))
        if claim.step is not None and claim.p <= RATE:
            out[metric.id] = claim.step
    return out


def benjamini_hochberg(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the adjusted p values (q) of the step-up procedure, by name."""
    order = sorted(p_values, key=lambda name: p_values[name])
    count = len(order)
    adjusted: dict[str, float] = {}
    lowest = 1.0
    for rank in range(count, 0, -1):
        name = order[rank - 1]
        lowest = min(lowest, p_values[name] * count / rank)
        adjusted[name] = lowest
    return adjusted


def _claim(
    metric: Metric,
    values: Mapping[int, float | None],
    probes: Probes,
    spread: Mapping[int, float],
) -> _Claim:
    """Return where, by how much and how surely a metric says "better"."""
    if metric.direction == "unknown":
        return _Claim(None, None, 1.0, "the metric's direction is not known", False)
    base = _finite(values.get(probes.reference))
    if base is None:
        reason = f"no score at reference step {probes.reference}"
        return _Claim(None, None, 1.0, reason, False)
    have = [(step, v) for step in probes.steps if (v := _finite(values.get(step))) is not None]
    shortest = table().shortest
    if len(have) + 1 < shortest:
        reason = f"{len(have)} scored comparable steps, at least {shortest - 1} are needed"
        return _Claim(None, None, 1.0, reason, False)
    gains = {step: corrected_gap(metric, base, value) or 0.0 for step, value in have}
    sign = 1.0 if metric.direction == "higher" else -1.0
    found = onset(
        [probes.reference, *gains],
        [base, *(value for _, value in have)],
        reference=probes.reference,
    )
    improved = found.rise is not None and found.rise * sign > 0.0
    p = chance(found.statistic, found.threshold) if improved else 1.0
    step = _plainest(gains, [base, *(value for _, value in have)], probes.reference, spread)
    if step is None:
        return _Claim(None, None, 1.0, "did not improve beyond its repeat spread")
    before, after = normalised(metric, base), normalised(metric, dict(have)[step])
    gap = gains[step] if before is None or after is None else after - before
    return _Claim(step, gap, p)


def chance(statistic: float | None, threshold: float | None) -> float:
    """Return how often a series without change reaches `statistic`.

    The threshold is passed by `level` of such series at most, and beyond it the share falls by a
    factor e every `signal_margin` (`thresholds.toml`).
    """
    if statistic is None or threshold is None:
        return 1.0
    limits = table()
    return min(1.0, limits.level * math.exp(-(statistic - threshold) / limits.signal_margin))


def _plainest(
    gains: Mapping[int, float],
    values: Sequence[float],
    reference: int,
    spread: Mapping[int, float],
) -> int | None:
    """Return the step of the largest gain among those beyond the spread long enough."""
    noise = noise_of(values)

    def beyond(step: int) -> bool:
        size = spread.get(step)
        if size is None:
            size = (noise or 0.0) * math.sqrt(step - reference)
        return gains[step] > size

    steps = list(gains)
    held: set[int] = set()
    for place in range(len(steps) - SUCCESSIVE + 1):
        window = steps[place : place + SUCCESSIVE]
        if all(beyond(step) for step in window):
            held.update(window)
    named = [step for step in STEPS if step in gains]
    if len(named) >= 2 and all(beyond(step) for step in named):
        held.update(named)
    return max(held, key=lambda step: (gains[step], -step)) if held else None


def _judged(
    metric: str, claim: _Claim, q: float | None, probes: Probes, marked: Sequence[int]
) -> Contradiction:
    reference = probes.reference
    if not claim.judged:
        return Contradiction(
            metric=metric, status="not_applicable", reference=reference, reason=claim.reason
        )
    if not probes.has_fidelity:
        reason = "no aligned fidelity against the reference step was measured"
        return Contradiction(
            metric=metric, status="not_applicable", reference=reference, reason=reason
        )
    if claim.step is None or q is None or q > RATE:
        reason = claim.reason or f"its improvement may be chance (q = {q:.2g})"
        return Contradiction(
            metric=metric, status="consistent", reference=reference, q=q, reason=reason
        )
    step = claim.step
    fell = probes.fidelity(step)
    moved = [
        one
        for name in families()
        if name != "fidelity" and (one := probes.moved(name, step)) is not None
    ]
    if fell is None or not moved:
        reason = "it improved, but " + (
            "aligned fidelity did not fall" if fell is None else "no kind of damage moved"
        )
        return Contradiction(
            metric=metric,
            status="consistent",
            step=step,
            reference=reference,
            gap=claim.gap,
            q=q,
            reason=reason,
        )
    return _contradiction(metric, claim, q, step, fell, moved, probes, marked)


def _contradiction(
    metric: str,
    claim: _Claim,
    q: float,
    step: int,
    fell: Moved,
    moved: Sequence[Moved],
    probes: Probes,
    marked: Sequence[int],
) -> Contradiction:
    sources = {one.source for one in moved}
    seen = [at for at in marked if probes.reference < at <= step]
    lie = bool(seen) or len(sources) >= 2
    amounts = {one.family: one.amount for one in moved}
    sentences = [f"says {claim.gap or 0.0:+.3g} better at step {step}"]
    sentences += [one.sentence for one in (fell, *moved)]
    if seen:
        sentences.append(f"a person marked step {seen[0]}")
    return Contradiction(
        metric=metric,
        status="contradicts",
        step=step,
        reference=probes.reference,
        gap=claim.gap,
        q=q,
        fidelity_drop=fell.amount,
        noise_ratio=amounts.get("noise"),
        cast=amounts.get("cast"),
        texture_ratio=amounts.get("texture"),
        halo_ratio=amounts.get("halo"),
        confidence=min(1.0, (1.0 - q) * (0.6 + 0.2 * len(sources) + (0.2 if seen else 0.0))),
        word="lie" if lie else "contradicts the probes",
        evidence=tuple(sentences),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
