"""A gap in sentences: what the metric says, how sure that is, what it rests on. Pure."""

from typing import TYPE_CHECKING

from b100tui.model.metric import Metric
from b100tui.model.text import clean_line
from b100tui.tui.drawing import number

if TYPE_CHECKING:
    from b100tui.analysis.gaps import Gap


def gap_sentences(metric: Metric, gap: "Gap") -> tuple[str, ...]:
    """Return the verdict first, then what it rests on."""
    name = clean_line(metric.name or metric.id)
    return tuple(filter(None, (_verdict(name, metric, gap), _sure(gap), _rests(gap))))


def _verdict(name: str, metric: Metric, gap: "Gap") -> str:
    if gap.raw_gap is None:
        return f"{name}: no value for step {gap.step} against step {gap.reference}"
    if gap.gap is not None:
        size = f"{abs(gap.gap):.1f} points"
    else:
        size = f"{number(abs(gap.raw_gap))} (its own units)"
    if gap.failure is None:
        way = "higher" if gap.raw_gap > 0 else "lower"
        return f"{name} reads {size} {way} at step {gap.step}: no direction, so no judgement"
    if gap.raw_gap == 0:
        return f"{name} sees no difference between step {gap.step} and step {gap.reference}"
    if gap.failure:
        return f"{name} fails: it scores step {gap.step} better than step {gap.reference} by {size}"
    return f"{name} scores step {gap.step} worse than step {gap.reference} by {size}: no failure"


def _sure(gap: "Gap") -> str:
    spread = gap.spread
    if gap.raw_gap is None:
        return ""
    if spread.low is None or spread.high is None:
        return f"n = {gap.n}: its spread is not known"
    if spread.kind == "runs":
        basis = f"sd {number(spread.sd or 0.0)} over {gap.n} runs"
    else:
        basis = "one run only: the spread is an estimate from its own noise"
    inside = "within noise" if gap.within_noise else "beyond noise"
    return f"{inside}: 95 % interval {spread.low:+.3g} to {spread.high:+.3g} ({basis})"


def _rests(gap: "Gap") -> str:
    parts = [f"normalised over {gap.bound}"] if gap.bound and gap.gap is not None else []
    if gap.coverage < 1.0:
        parts.append(f"{gap.coverage:.0%} of the runs have both scores")
    if gap.note:
        parts.append(clean_line(gap.note))
    return "; ".join(parts)
