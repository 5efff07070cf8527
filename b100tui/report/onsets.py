"""When runs began to change and when they became bad, out of the index."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from b100tui.analysis.absurd import absurd_words, believed
from b100tui.analysis.consensus import RunOnset, run_onset
from b100tui.analysis.limit import Limit, Tolerance, defaults, limit, tolerances
from b100tui.analysis.onset import Onset, Status
from b100tui.analysis.signals import ALIGNED_TEXTURE, SIGNALS
from b100tui.model.comparable import comparable_steps, cycle
from b100tui.model.records import Run, Step
from b100tui.report.chosen import left_out, light_steps, metric_of

if TYPE_CHECKING:
    from b100tui.index.store import Index

Select = Callable[[Iterable[int]], list[int]]
Signals = dict[str, dict[int, float | None]]
# Drift gives these; SSIM and PSNR as scored are unaligned.
ALIGNED = frozenset({"ssim", "psnr", ALIGNED_TEXTURE, "zoom"})
OUTSIDE = "outside_"  # of the aligned ones: without the region that the step changed
ADDS = (
    "every step adds something: judged outside the changed region only,"
    " at the steps whose drift was measured (b100 drift RUN)"
)


class SignalOnset(Struct, frozen=True, kw_only=True):
    """What one signal says."""

    status: Status
    step: int | None = None
    low: int | None = None
    high: int | None = None
    rise: float | None = None
    reason: str = ""


class OnsetRow(Struct, frozen=True, kw_only=True):
    """When one run began to change (`step`, within `low` to `high`) and became bad (`limit`).

    `consensus` names the signals that agree; with `single` the one that stands alone. `marked`
    is the first step that a person marked: a third answer, shown beside the other two.
    `not_compared` counts the steps left out and says why.
    """

    run: str
    status: Status
    step: int | None
    low: int | None
    high: int | None
    limit: int | None
    consensus: tuple[str, ...]
    signals: dict[str, SignalOnset]
    single: bool = False
    reference: int = 1
    limit_by: str | None = None
    limit_why: str = ""
    limit_unchecked: tuple[str, ...] = ()
    marked: int | None = None
    reason: str = ""
    not_compared: dict[str, int] = {}


class RunSignals(Struct, frozen=True, kw_only=True):
    """The signals of one run at its comparable steps (and the reference), step to value.

    `absurd` names by signal the steps whose value was left out as no possible score.
    """

    run: Run
    reference: int
    comparable: tuple[int, ...]
    signals: Signals
    not_compared: dict[str, int]
    absurd: dict[str, tuple[int, ...]] = {}


def signals_of(
    index: "Index",
    runs: Sequence[Run],
    *,
    reference: int = 1,
    select: Select | None = None,
    aligned: Mapping[str, Signals] | None = None,
) -> list[RunSignals]:
    """Return every probe and metric of `runs` at the steps that may be compared.

    Signals measured against a reference step hold against step 1 only, and have no value at
    the reference itself. `aligned` gives SSIM and PSNR after drift alignment by run.
    """
    ids = [run.run for run in runs]
    known = light_steps(index, ids)
    series: dict[str, Signals] = {run: {} for run in ids}
    for run, metric, at, values in index.ask(
        'SELECT run, metric, steps, "values" FROM series WHERE run IN (SELECT unnest(?))', [ids]
    ):
        series[run][metric] = dict(zip(at, values, strict=True))
    names = {name for one in series.values() for name in one}
    against = frozenset(name for name in names if metric_of(name).needs_reference)
    return [
        prepared(
            run,
            list(known[run.run].values()),
            {**series[run.run], **(aligned or {}).get(run.run, {})},
            reference=reference,
            select=select,
            aligned=bool(aligned and aligned.get(run.run)),
            against=against | ALIGNED,
        )
        for run in runs
    ]


def prepared(
    run: Run,
    steps: Sequence[Step],
    series: Mapping[str, Mapping[int, float | None]],
    *,
    reference: int = 1,
    select: Select | None = None,
    aligned: bool = False,
    against: frozenset[str] | None = None,
) -> RunSignals:
    """Return the signals of one run, reduced to the steps that may be compared.

    `against` names the signals that are measured against a reference step (default: ask the
    registry). A run that adds something at every step keeps what alignment says outside the
    changed region, and nothing else.
    """
    good, out = comparable_steps(steps, reference, run)
    series = seen_by(run, series)
    adds = cycle(run).kind == "addition"
    if adds:
        good = tuple(step for step in sorted(out) if any(step in one for one in series.values()))
        out = {step: ADDS for step in out if step not in good}
    chosen = set(select(good)) if select is not None else set(good)
    with_reference = chosen | {reference}
    signals: Signals = {}
    absurd: dict[str, tuple[int, ...]] = {}
    for name, values in series.items():
        if name in ALIGNED and not aligned:
            continue
        compares = metric_of(name).needs_reference if against is None else name in against
        if compares and reference != 1 and name not in ALIGNED:
            continue
        allowed = chosen if compares else with_reference
        at_hand = {step: values[step] for step in sorted(values) if step in allowed}
        held, wrong = believed(metric_of(name), at_hand)
        if held:
            signals[name] = dict(held)
        if wrong:
            absurd[name] = wrong
    by_step = {one.step: one for one in steps}
    reasons: dict[str, int] = {}
    for reason in (out if adds else left_out(run, by_step, out, reference)).values():
        reasons[reason] = reasons.get(reason, 0) + 1
    return RunSignals(
        run=run,
        reference=reference,
        comparable=tuple(step for step in good if step in chosen),
        signals=signals,
        not_compared=reasons,
        absurd=absurd,
    )


def seen_by(
    run: Run, series: Mapping[str, Mapping[int, float | None]]
) -> Mapping[str, Mapping[int, float | None]]:
    """Return the signals that mean something for a run: see OUTSIDE."""
    if cycle(run).kind == "addition":
        return {
            name.removeprefix(OUTSIDE): values
            for name, values in series.items()
            if name.startswith(OUTSIDE)
        }
    return {name: values for name, values in series.items() if not name.startswith(OUTSIDE)}


def onset_of(one: RunSignals) -> RunOnset:
    """Return the onset of one run: by the probes, or by all its metrics where it has none."""
    return run_onset(
        {
            name: (list(one.signals[name]), list(one.signals[name].values()))
            for name in _judging(one.signals)
        },
        reference=one.reference,
    )


def limit_series(one: RunSignals) -> Signals:
    """Return the signals of one run as tolerances are held against them.

    Texture is held against the warped reference at the steps where alignment gave it.
    """
    texture = {**one.signals.get("texture_ratio", {}), **one.signals.get(ALIGNED_TEXTURE, {})}
    return {**one.signals, "texture_ratio": texture}


def limit_of(one: RunSignals, using: Sequence[Tolerance] | None = None) -> Limit:
    """Return the first step of one run beyond a tolerance."""
    return limit(
        limit_series(one),
        one.comparable,
        reference=one.reference,
        using=defaults() if using is None else using,
    )


def onset_table(
    index: "Index",
    runs: Sequence[Run],
    *,
    reference: int = 1,
    select: Select | None = None,
    using: Sequence[Tolerance] | None = None,
    aligned: Mapping[str, Signals] | None = None,
) -> list[OnsetRow]:
    """Return onset and limit of each run, in the order given."""
    marked = first_marks(index, [run.run for run in runs], reference)
    rows = []
    for one in signals_of(index, runs, reference=reference, select=select, aligned=aligned):
        rows.append(onset_row(one, using, marked.get(one.run.run)))
    return rows


def onset_row(
    one: RunSignals, using: Sequence[Tolerance] | None = None, marked: int | None = None
) -> OnsetRow:
    """Return onset and limit of one run."""
    found = onset_of(one)
    bad = limit_of(one, using)
    reason = found.reason
    if not one.comparable:
        why = "; ".join(f"{count} steps: {words}" for words, count in one.not_compared.items())
        reason = f"no step can be compared with step {one.reference}" + (f" ({why})" if why else "")
    elif found.signals and not set(found.signals) & set(SIGNALS):
        reason = "; ".join(filter(None, (reason, "no probes: judged by the scored metrics")))
    parts = [reason, absurd_note(one, found.signals, using)]
    if one.comparable:
        parts += [
            f"{count} {'step' if count == 1 else 'steps'} left out: {why}"
            for why, count in one.not_compared.items()
        ]
    reason = "; ".join(filter(None, parts))
    return OnsetRow(
        run=one.run.run,
        status=found.status,
        step=found.step,
        low=found.low,
        high=found.high,
        limit=bad.step,
        consensus=found.consensus,
        signals={name: _signal(value) for name, value in found.signals.items()},
        single=found.single,
        reference=one.reference,
        limit_by=bad.name,
        limit_why=bad.why,
        limit_unchecked=bad.unchecked,
        marked=marked,
        reason=reason,
        not_compared=one.not_compared,
    )


def absurd_note(
    one: RunSignals, judging: Iterable[str], using: Sequence[Tolerance] | None = None
) -> str:
    """Return what is to be said of absurd values of signals that decide, or would have."""
    deciding = {*judging, *SIGNALS}
    deciding |= {tolerance.signal for tolerance in (defaults() if using is None else using)}
    return "; ".join(
        absurd_words(steps, name) for name, steps in one.absurd.items() if name in deciding
    )


def tolerances_of(config: str | None = None) -> tuple[Tolerance, ...]:
    """Return the tolerances in force: the shipped ones as the settings change them."""
    from b100tui.workspace import settings

    return tolerances(settings.load(config).limit)


def first_marks(index: "Index", runs: Sequence[str], reference: int) -> dict[str, int]:
    """Return run -> the first step after the reference that a person marked as failed."""
    rows = index.ask(
        "SELECT run, min(step) FROM mark WHERE step > ? AND run IN (SELECT unnest(?)) GROUP BY run",
        [reference, list(runs)],
    )
    return dict(rows)


def _judging(signals: Mapping[str, object]) -> tuple[str, ...]:
    probes = tuple(name for name in SIGNALS if name in signals)
    return probes or tuple(signals)


def _signal(found: Onset) -> SignalOnset:
    return SignalOnset(
        status=found.status,
        step=found.step,
        low=found.low,
        high=found.high,
        rise=found.rise,
        reason=found.reason,
    )
