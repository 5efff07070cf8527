"""What a plan will cost before it is begun: pictures, dollars, hours, disk, provider limits."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from b100tui.editors.prices import edit_cost
from b100tui.editors.table import Row, Table, table
from b100tui.engine.planning import planned_run
from b100tui.engine.plans import Experiment
from b100tui.engine.runplan import PlannedRun, resolution_of

# Megabytes of one picture as received (JPEG mostly); noise makes later steps larger.
_MEGABYTES = {"512": 0.3, "1K": 0.9, "2K": 3.2, "4K": 12.0}
_USUAL_SECONDS = (5.0, 30.0, 120.0)
_SIMULATED_SECONDS = (0.3, 0.8, 2.0)
_TIERS = ("tier 1", "tier 2")


class Dollars(Struct, frozen=True):
    """Pictures only; with the usual thoughts; the most that a budget would reserve."""

    low: float
    likely: float
    high: float


class EditorPart(Struct, frozen=True, kw_only=True):
    """The share of one editor in an estimate."""

    editor: str
    runs: int
    images: int
    usd: Dollars
    hours: float


class Estimate(Struct, frozen=True, kw_only=True):
    """The first six fields are the contract. `longest_run_hours`: nothing shortens one run."""

    images: int
    usd: Dollars
    hours: float
    gigabytes: float
    limits: tuple[str, ...]
    price_table_date: str
    runs: int = 0
    longest_run_hours: float = 0.0
    editors: tuple[EditorPart, ...] = ()
    assumptions: tuple[str, ...] = ()

    @property
    def is_free(self) -> bool:
        """Whether no call of it can cost money."""
        return self.usd.high <= 0


class _Sum:
    def __init__(self) -> None:
        self.runs = self.images = 0
        self.low = self.likely = self.high = 0.0
        self.seconds = self.longest = self.megabytes = 0.0


def estimate(
    planned: Sequence[PlannedRun], *, jobs: int = 8, assumptions: Sequence[str] = ()
) -> Estimate:
    """Return what the steps still missing from `planned` will take with `jobs` runs at once."""
    known = table()
    sums: dict[str, _Sum] = defaultdict(_Sum)
    for run in planned:
        _count(sums[run.plan.editor], known.editor(run.plan.editor), run)
    parts = []
    for name, one in sums.items():
        row = known.editor(name)
        at_once = max(1, min(jobs, row.concurrency if row.kind != "simulate" else 2, one.runs))
        hours = max(one.longest, one.seconds / at_once) / 3600
        parts.append(
            EditorPart(
                editor=name,
                runs=one.runs,
                images=one.images,
                usd=Dollars(_cents(one.low), _cents(one.likely), _cents(one.high)),
                hours=round(hours, 2),
            )
        )
    total = Dollars(
        _cents(sum(one.low for one in sums.values())),
        _cents(sum(one.likely for one in sums.values())),
        _cents(sum(one.high for one in sums.values())),
    )
    gemini = sum(one.likely for name, one in sums.items() if known.editor(name).kind == "gemini")
    return Estimate(
        images=sum(one.images for one in sums.values()),
        usd=total,
        hours=max((part.hours for part in parts), default=0.0),
        gigabytes=round(sum(one.megabytes for one in sums.values()) / 1000, 2),
        limits=tuple(_limits(known, gemini)),
        price_table_date=known.date,
        runs=sum(one.runs for one in sums.values()),
        longest_run_hours=round(max((one.longest for one in sums.values()), default=0) / 3600, 2),
        editors=tuple(parts),
        assumptions=tuple(assumptions),
    )


def experiment_runs(experiment: Experiment) -> list[PlannedRun]:
    """Return the runs of a plan without looking for its images: enough for an estimate."""
    known = table()
    nowhere = Path("/")
    return [
        planned_run(nowhere, ask, known, name, repeat, b"")
        for name, ask in experiment.settings()
        for repeat in range(ask.repeats)
    ]


def _count(total: _Sum, row: Row, run: PlannedRun) -> None:
    total.runs += 1
    seconds = 0.0
    usual = _SIMULATED_SECONDS if row.kind == "simulate" else _USUAL_SECONDS
    for step in range(max(0, run.done) + 1, run.last + 1):
        resolution = resolution_of(run.plan, step)
        turns = step - 1 if run.plan.session == "single" else 0
        cost = edit_cost(row, resolution, turns=turns)
        total.images += 1
        total.low += cost.low
        total.likely += cost.likely
        total.high += cost.worst
        times = row.seconds.get(resolution or "1K") or next(iter(row.seconds.values()), usual)
        seconds += times[1]
        total.megabytes += _MEGABYTES.get(resolution or "1K", _MEGABYTES["2K"])
    total.seconds += seconds
    total.longest = max(total.longest, seconds)


def _limits(known: Table, usd: float) -> Iterator[str]:
    if usd < min(known.limits.ten_minutes, default=0.0) or usd <= 0:
        return  # a sum that no window of the provider can hold back
    for tier, window, month in zip(
        _TIERS, known.limits.ten_minutes, known.limits.month, strict=False
    ):
        hours = usd / window / 6
        months = math.ceil(usd / month)
        yield (
            f"{tier} (${window:g} in 10 minutes, ${month:,.0f} a month): "
            f"at least {hours:,.1f} hours, {months} month{'s' if months > 1 else ''}"
        )
    yield from known.limits.text


def _cents(usd: float) -> float:
    return round(usd, 4)
