"""The first step at which the judge says yes, with runs that never say it counted as censored.

Kaplan-Meier: a run that never said yes is known only to have lasted until its last judged
step. The paper's mean and sd stand only where no run is censored.
"""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

HELD = 2  # answers in a row that make a yes sustained


class RunYes(Struct, frozen=True, kw_only=True):
    """One run: `first` yes (None: never), `sustained` = first of HELD yes answers in a row.

    `isolated` says that the first yes was followed by a no. `last` is the last step with a yes
    or no answer, `coverage` the share of the asked steps that have one.
    """

    run: str
    first: int | None
    sustained: int | None
    isolated: bool
    last: int | None
    answered: int
    coverage: float


class FirstYes(Struct, frozen=True, kw_only=True):
    """A group of runs. Steps; `median` is None when fewer than half are known to have said yes.

    `restricted_mean` is the mean up to `horizon`, the last step that every run still under
    watch was judged at; mean and sd (ddof 1) only when no run is censored. `n` counts runs with
    at least one answer, `unanswered` those without.
    """

    n: int
    censored: int
    unanswered: int
    median: float | None
    restricted_mean: float | None
    horizon: int | None
    mean: float | None
    sd: float | None
    coverage: float
    runs: tuple[RunYes, ...]


def run_yes(run: str, verdicts: Mapping[int, str | None], asked: Sequence[int] = ()) -> RunYes:
    """Return the first yes of one run from {step: verdict}.

    Only "yes" and "no" are answers; unparsed, failed and missing ones are neither and lower
    the coverage. `asked` are the steps that should have an answer (default: those given).
    """
    answers = [(step, said) for step, said in sorted(verdicts.items()) if said in ("yes", "no")]
    wanted = set(asked) or set(verdicts)
    places = [place for place, (_, said) in enumerate(answers) if said == "yes"]
    held = next(
        (
            place
            for place in places
            if len(answers) >= place + HELD
            and all(said == "yes" for _, said in answers[place : place + HELD])
        ),
        None,
    )
    first = places[0] if places else None
    after = first is not None and first + 1 < len(answers)
    return RunYes(
        run=run,
        first=None if first is None else answers[first][0],
        sustained=None if held is None else answers[held][0],
        isolated=after and first is not None and answers[first + 1][1] == "no",
        last=answers[-1][0] if answers else None,
        answered=len(answers),
        coverage=len(answers) / len(wanted) if wanted else 0.0,
    )


def first_yes(runs: Sequence[RunYes], *, sustained: bool = False) -> FirstYes:
    """Return the group's first-yes step; with `sustained` the first that held counts."""
    known = [one for one in runs if one.last is not None]
    times: list[tuple[int, bool]] = []
    for one in known:
        said = one.sustained if sustained else one.first
        times.append((one.last or 0, False) if said is None else (said, True))
    censored = sum(not event for _, event in times)
    steps = [time for time, event in times if event]
    plain = censored == 0 and bool(steps)
    mean = math.fsum(steps) / len(steps) if plain else None
    curve = kaplan_meier(times)
    horizon = max((time for time, _ in times), default=None)
    return FirstYes(
        n=len(known),
        censored=censored,
        unanswered=len(runs) - len(known),
        median=_median(curve),
        restricted_mean=None if horizon is None else restricted_mean(curve, horizon),
        horizon=horizon,
        mean=mean,
        sd=_sd(steps) if plain else None,
        coverage=math.fsum(one.coverage for one in runs) / len(runs) if runs else 0.0,
        runs=tuple(runs),
    )


def kaplan_meier(times: Sequence[tuple[int, bool]]) -> tuple[tuple[int, float], ...]:
    """Return (step, share still without a yes from that step on) after each step with a yes.

    `times` holds (step, True for a yes, False for the last look at a run that never said it).
    """
    curve: list[tuple[int, float]] = []
    share = 1.0
    for step in sorted({time for time, event in times if event}):
        at_risk = sum(time >= step for time, _ in times)
        said = sum(time == step and event for time, event in times)
        share *= 1.0 - said / at_risk
        curve.append((step, share))
    return tuple(curve)


def restricted_mean(curve: Sequence[tuple[int, float]], horizon: int) -> float:
    """Return the area under the curve from 0 to `horizon`: the mean of min(first yes, horizon)."""
    area, before, share = 0.0, 0, 1.0
    for step, after in curve:
        if step >= horizon:
            break
        area += share * (step - before)
        before, share = step, after
    return area + share * (horizon - before)


def _median(curve: Sequence[tuple[int, float]]) -> float | None:
    for place, (step, share) in enumerate(curve):
        if abs(share - 0.5) < 1e-12 and place + 1 < len(curve):
            # Exactly half: any step up to the next yes is a median; the middle is the custom.
            return (step + curve[place + 1][0]) / 2
        if share <= 0.5 + 1e-12:
            return float(step)
    return None


def _sd(steps: Sequence[int]) -> float | None:
    if len(steps) < 2:
        return None
    mean = math.fsum(steps) / len(steps)
    return math.sqrt(math.fsum((step - mean) ** 2 for step in steps) / (len(steps) - 1))
