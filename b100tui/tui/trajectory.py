"""One opened run, ready to be shown at any step. Pure: made in a worker, read by widgets."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from b100tui.index.rows import RunRow, Series
from b100tui.model.comparable import comparable
from b100tui.model.metric import Metric, corrected_gap, normalised
from b100tui.model.records import MarkRecord, Run, Step, VerdictRecord
from b100tui.tui.drawing import levels


class Gap(Struct, frozen=True):
    """The gap of a step to the reference step; `value` None where it has no meaning.

    `failure`: True when the metric calls the later picture better (paper, section 4.1), None
    when the metric has no known direction. `normal`: in normalised points, else in raw units.
    `apart`: what sets the steps apart where they may not be compared (phase, size, edit).
    """

    value: float | None
    normal: bool = False
    failure: bool | None = None
    apart: str = ""


class Comparisons(Struct, eq=False):
    """Which steps of a run may be held against which; asked once a pair of steps."""

    run: Run
    at: Mapping[int, Step]
    _known: dict[tuple[int, int], str] = field(default_factory=dict)

    def apart(self, reference: int, step: int) -> str:
        """Return what sets two steps apart, "" where they may be compared."""
        if (reference, step) not in self._known:
            self._known[reference, step] = self._judged(reference, step)
        return self._known[reference, step]

    def _judged(self, reference: int, step: int) -> str:
        base, one = self.at.get(reference), self.at.get(step)
        if base is None or one is None or step == reference:
            return ""
        answer = comparable(one, base, self.run)
        if answer.ok:
            return "" if answer.region == "all" else "edit"
        if base.status != "ok" or one.status != "ok":
            return "picture"
        return "size" if comparable(one, base, self.run, resampled=True).ok else "phase"


class MetricSeries(Struct, eq=False):
    """One metric over a run, with its sparkline by width."""

    metric: Metric
    values: Mapping[int, float]
    first: int
    last: int
    comparisons: Comparisons | None = None
    _sparks: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def spark(self, width: int) -> tuple[int, ...]:
        """Return the levels of the sparkline in at most `width` cells."""
        found = self._sparks.get(width)
        if found is None:
            found = self._sparks[width] = levels(self.values, self.first, self.last, width)
        return found

    def gap(self, reference: int, step: int) -> Gap:
        """Return the gap of `step` to `reference`."""
        before, after = self.values.get(reference), self.values.get(step)
        if before is None or after is None:
            return Gap(None)
        if self.comparisons and (apart := self.comparisons.apart(reference, step)):
            return Gap(None, apart=apart)
        raw = corrected_gap(self.metric, before, after)
        if raw is None:
            return Gap(after - before)
        failure = raw > 0 if step > reference else None  # nothing fails before the reference
        one, two = normalised(self.metric, before), normalised(self.metric, after)
        if one is None or two is None:
            return Gap(raw, normal=False, failure=failure)
        return Gap(two - one, normal=True, failure=failure)


class Trajectory(Struct, frozen=True, dict=True, eq=False):
    """A run with its steps in ascending order and its metrics by id."""

    row: RunRow
    steps: tuple[Step, ...]
    series: tuple[MetricSeries, ...] = ()
    verdicts: Mapping[int, VerdictRecord] = field(default_factory=dict)
    marks: Mapping[int, tuple[MarkRecord, ...]] = field(default_factory=dict)

    @cached_property
    def at(self) -> dict[int, Step]:
        """The steps by number."""
        return {step.step: step for step in self.steps}

    @property
    def first(self) -> int:
        """The first step's number."""
        return self.steps[0].step if self.steps else 0

    @property
    def last(self) -> int:
        """The last step's number."""
        return self.steps[-1].step if self.steps else 0

    @cached_property
    def failed(self) -> frozenset[int]:
        """Steps that cannot be shown: unreadable or refused."""
        return frozenset(s.step for s in self.steps if s.status in {"unreadable", "refused"})

    @cached_property
    def missing(self) -> frozenset[int]:
        """Steps that are not there."""
        return frozenset(s.step for s in self.steps if s.status == "missing")

    def clamp(self, step: int) -> int:
        """Return `step` inside the run."""
        return max(self.first, min(self.last, step))

    def ordered(self, reference: int) -> tuple[MetricSeries, ...]:
        """Return the series, those that fail most over the run first, then by name.

        The order does not depend on the step, so that rows stand still while scrubbing.
        """

        def rank(series: MetricSeries) -> tuple[int, float, str]:
            gaps = [series.gap(reference, step) for step in series.values if step > reference]
            gaps = [gap for gap in gaps if not gap.apart]
            failing = [gap.value for gap in gaps if gap.failure and gap.value is not None]
            if failing:
                return (0, -len(failing) / max(1, len(gaps)), series.metric.name)
            known = any(gap.failure is not None for gap in gaps)
            return (1 if known else 2, 0.0, series.metric.name)

        return tuple(sorted(self.series, key=rank))


def make_trajectory(
    row: RunRow,
    steps: Sequence[Step],
    series: Sequence[Series],
    metrics: Mapping[str, Metric],
    verdicts: Sequence[VerdictRecord] = (),
    marks: Sequence[MarkRecord] = (),
) -> Trajectory:
    """Return the run ready to be shown; a metric nobody knows keeps its id and no direction."""
    ordered = tuple(sorted(steps, key=lambda step: step.step))
    first = ordered[0].step if ordered else 0
    last = ordered[-1].step if ordered else 0
    run = Run(run=row.run, image=row.image, recipe=row.recipe, setting=row.setting)
    comparisons = Comparisons(run, {step.step: step for step in ordered})
    shown = tuple(
        MetricSeries(
            metrics.get(one.metric) or Metric(id=one.metric, name=one.metric, backend=""),
            dict(zip(one.steps, one.values, strict=True)),
            first,
            last,
            comparisons,
        )
        for one in series
    )
    by_step: dict[int, tuple[MarkRecord, ...]] = {}
    for mark in marks:
        by_step[mark.step] = (*by_step.get(mark.step, ()), mark)
    return Trajectory(row, ordered, shown, {v.step: v for v in verdicts}, by_step)
