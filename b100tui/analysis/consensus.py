"""When did a run begin to change: what its signals agree on, or the one that stands alone."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from b100tui.analysis.onset import Onset, Status, onset
from b100tui.analysis.signals import as_fitted, least, texture_at_hand
from b100tui.analysis.thresholds import table

Series = tuple[Sequence[int], Sequence[float | None]]


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
    several such groups the earliest counts that has two thirds of the largest one's size. The
    step is the group's lower quartile, the interval what the members' intervals have in common
    around it. A signal that stands alone needs a higher threshold, because the best of several
    was picked.
    """
    aligned = texture_at_hand({name: steps for name, (steps, _) in signals.items()})
    found = {
        name: onset(
            steps,
            as_fitted(name, values),
            reference=reference,
            least=least(name, aligned),
            seed=seed,
        )
        for name, (steps, values) in signals.items()
    }
    return agree(found)


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
    group = _agreeing([name for _, name in changed], answers)
    if len(group) > 1:
        return _joined(group, answers)
    tried = sum(one.status != "too_short" for one in answers.values())
    extra = table().signal_margin * math.log(max(1, tried))
    clear = [(name, answers[name]) for _, name in changed if _excess(answers[name]) >= extra]
    if not clear:
        names = ", ".join(name for _, name in changed)
        reason = f"only single signals changed, none clearly enough: {names}"
        return RunOnset(status="none", signals=answers, reason=reason)
    name, _ = max(clear, key=lambda pair: _excess(pair[1]))
    return single_signal(name, answers, f"single signal: {name}")


def single_signal(name: str, answers: Mapping[str, Onset], reason: str = "") -> RunOnset:
    """Return the answer of one signal as that of the run, named as single."""
    alone = answers[name]
    return RunOnset(
        status=alone.status,
        step=alone.step,
        low=alone.low,
        high=alone.high,
        consensus=(name,),
        single=True,
        signals=dict(answers),
        reason=reason,
    )


def _excess(one: Onset) -> float:
    return (one.statistic or 0.0) - (one.threshold or 0.0)


def _within(one: Onset, other: Onset) -> bool:
    if one.step is None or other.low is None or other.high is None:
        return False
    return other.low <= one.step <= other.high


def _agreeing(names: Sequence[str], answers: Mapping[str, Onset]) -> list[str]:
    """Return the earliest set of signals that agree pairwise, at least two thirds as large as any.

    `names` come earliest onset first. Change begins with the first signals that carry it, but two
    of many may be early by chance.
    """
    groups = []
    for seed in names:
        group = [seed]
        for name in names:
            mutual = all(
                _within(answers[name], answers[one]) and _within(answers[one], answers[name])
                for one in group
            )
            if name not in group and mutual:
                group.append(name)
        groups.append(group)
    most = max(len(group) for group in groups)
    best = next(
        group for group in groups if 3 * len(group) >= 2 * most and (len(group) > 1 or most == 1)
    )
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
