"""When did a run begin to change: what its signals agree on, or the one that stands alone."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from b100tui.analysis.onset import Onset, Status, onset
from b100tui.analysis.thresholds import table

Series = tuple[Sequence[int], Sequence[float | None]]

# What a run is judged by unless the caller says otherwise: grain, texture, colour, fidelity.
SIGNALS = (
    "noise_sigma",
    "laplacian_variance",
    "high_frequency",
    "texture_ratio",
    "colour_cast",
    "lab_a",
    "lab_b",
    "ssim",
)
# Signals that mean something as a ratio: damage multiplies them, and noise that adds in
# quadrature bends them upwards, so that their kink would be found late. They are fitted as
# logarithms.
RATIOS = frozenset(
    {
        "noise_sigma",
        "noise_wavelet",
        "laplacian_variance",
        "gradient_energy",
        "high_frequency",
        "texture_ratio",
        "grid_peak",
        "halo",
    }
)


class RunOnset(Struct, frozen=True, kw_only=True):
    """The onset of a run.

    `consensus` names the signals that agree, earliest first; with `single` it holds the one
    signal that changed without a second to confirm it. `signals` has every signal's answer.
    """

    status: Status
    step: int | None = None
    low: int | None = None
    high: int | None = None
    consensus: tuple[str, ...] = ()
    single: bool = False
    signals: dict[str, Onset]
    reason: str = ""


def run_onset(signals: Mapping[str, Series], *, reference: int = 1, seed: int = 0) -> RunOnset:
    """Return the onset of a run from its signals, each (steps, values).

    At least two signals agree when the onset of each lies in the interval of the other; of
    several such groups the largest counts, then the earliest. The step is the group's lower
    quartile, the interval what the members' intervals have in common around it. A signal that
    stands alone needs a higher threshold, because the best of several was picked.
    """
    found = {
        name: onset(steps, as_fitted(name, values), reference=reference, seed=seed)
        for name, (steps, values) in signals.items()
    }
    return agree(found)


def as_fitted(name: str, values: Sequence[float | None]) -> Sequence[float | None]:
    """Return the values of a signal on the scale they are fitted on: the log of a ratio."""
    if name not in RATIOS:
        return values
    return [math.log(v) if v is not None and 0.0 < v < math.inf else None for v in values]


def agree(found: Mapping[str, Onset]) -> RunOnset:
    """Return the run's onset from the answers of its signals."""
    answers = dict(found)
    changed = sorted((one.step, name) for name, one in answers.items() if one.step is not None)
    if not changed:
        short = bool(answers) and all(one.status == "too_short" for one in answers.values())
        if not answers:
            return RunOnset(status="too_short", signals=answers, reason="no signal was measured")
        reason = next(iter(answers.values())).reason if short else "no signal changed"
        return RunOnset(status="too_short" if short else "none", signals=answers, reason=reason)
    group = _largest([name for _, name in changed], answers)
    if len(group) > 1:
        return _joined(group, answers)
    tried = sum(one.status != "too_short" for one in answers.values())
    extra = table().signal_margin * math.log(max(1, tried))
    clear = [(name, answers[name]) for _, name in changed if _excess(answers[name]) >= extra]
    if not clear:
        names = ", ".join(name for _, name in changed)
        reason = f"only single signals changed, none clearly enough: {names}"
        return RunOnset(status="none", signals=answers, reason=reason)
    name, alone = max(clear, key=lambda pair: _excess(pair[1]))
    return RunOnset(
        status=alone.status,
        step=alone.step,
        low=alone.low,
        high=alone.high,
        consensus=(name,),
        single=True,
        signals=answers,
        reason=f"single signal: {name}",
    )


def _excess(one: Onset) -> float:
    return (one.statistic or 0.0) - (one.threshold or 0.0)


def _within(one: Onset, other: Onset) -> bool:
    if one.step is None or other.low is None or other.high is None:
        return False
    return other.low <= one.step <= other.high


def _largest(names: Sequence[str], answers: Mapping[str, Onset]) -> list[str]:
    """Return the largest set of signals that agree pairwise; names come earliest onset first."""
    best: list[str] = []
    for seed in names:
        group = [seed]
        for name in names:
            mutual = all(
                _within(answers[name], answers[one]) and _within(answers[one], answers[name])
                for one in group
            )
            if name not in group and mutual:
                group.append(name)
        if len(group) > len(best):
            best = group
    order = {name: place for place, name in enumerate(names)}
    return sorted(best, key=order.__getitem__)


def _joined(group: Sequence[str], answers: Mapping[str, Onset]) -> RunOnset:
    members = [answers[name] for name in group]
    steps = sorted(one.step for one in members if one.step is not None)
    # Change begins with the first signals that carry it; the very first of many may be chance.
    step = steps[(len(steps) - 1) // 4]
    low = max(one.low for one in members if one.low is not None)
    high = min(one.high for one in members if one.high is not None)
    middle = next(one for one in members if one.step == step)
    early = [
        f"{name} changed alone before, at step {one.step}"
        for name, one in answers.items()
        if one.high is not None and one.high < steps[0] and name not in group
    ]
    return RunOnset(
        status=middle.status,
        step=step,
        # The members' onsets themselves stay inside: they are part of the doubt.
        low=min(low, steps[0]),
        high=max(high, steps[-1]),
        consensus=tuple(group),
        signals=dict(answers),
        reason="; ".join(early),
    )
