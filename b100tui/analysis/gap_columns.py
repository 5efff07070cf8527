"""The gaps of many groups, metrics and steps at once; cell by cell the arithmetic of `gaps`.

A table of 280 runs by 21 metrics by three steps has 18,000 cells: their numbers are made in
columns, and a cell becomes an object when somebody looks at it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.analysis.absurd import believable
from b100tui.analysis.gaps import (
    NORMAL,
    Gap,
    Spread,
    SpreadKind,
    bound_of,
    is_closed,
    missing_notes,
    standing_notes,
    t_reach,
)
from b100tui.model.metric import Metric

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Key = tuple[str, str, int]


class GapInput(Struct, frozen=True, kw_only=True):
    """What a table is made of. R runs, grouped one after the other; M metrics; S steps.

    `sizes` counts the runs of each group, in the order of `groups`. `first` (R, M) and `later`
    (R, M, S) are raw scores, NaN where missing. `left_out` names by run the steps that may not
    be compared, and why. `noise` gives for the places of some runs, which stand alone in some
    cell, an array (R, M) with the sd of one step's random part, NaN where unknown.
    `said` (group, metric place) -> notes that every step of that cell carries.
    """

    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    metrics: tuple[Metric, ...]
    steps: tuple[int, ...]
    reference: int
    first: Floats
    later: Floats
    left_out: tuple[Mapping[int, str], ...]
    noise: Callable[[Sequence[int]], Floats]
    said: Mapping[tuple[int, int], tuple[str, ...]] = {}


class GapCells(Mapping[Key, Gap]):
    """The cells by (group, metric id, step), each made when it is first asked for."""

    def __init__(self, given: GapInput) -> None:
        self._given = given
        self._groups = {name: place for place, name in enumerate(given.groups)}
        self._metrics = {one.id: place for place, one in enumerate(given.metrics)}
        self._steps = {step: place for place, step in enumerate(given.steps)}
        self._made: dict[Key, Gap] = {}
        self._starts = np.concatenate([[0], np.cumsum(given.sizes)]).astype(np.int64)
        self._columns = _columns(given) if given.groups and given.metrics and given.steps else None

    def __getitem__(self, key: Key) -> Gap:
        found = self._made.get(key)
        if found is None:
            group, metric, step = key
            place = self._groups[group], self._metrics[metric], self._steps[step]
            found = self._made[key] = self._cell(*place)
        return found

    def __iter__(self) -> Iterator[Key]:
        for group in self._groups:
            for metric in self._metrics:
                for step in self._steps:
                    yield group, metric, step

    def __len__(self) -> int:
        return len(self._groups) * len(self._metrics) * len(self._steps)

    def absurd(self) -> dict[str, int]:
        """Return metric id -> in how many cells a score was left out as absurd, where any was."""
        if self._columns is None:
            return {}
        counts = np.count_nonzero(self._columns.absurd, axis=(0, 2)).tolist()
        names = [one.id for one in self._given.metrics]
        return {name: count for name, count in zip(names, counts, strict=True) if count}

    def _cell(self, group: int, metric: int, step: int) -> Gap:
        assert self._columns is not None
        given = self._given
        one, at = given.metrics[metric], given.steps[step]
        row = self._columns.rows[(group * len(given.metrics) + metric) * len(given.steps) + step]
        n, coverage, norm_reference, norm_step, gap, raw, corrected, *rest = row
        sd, estimate, low, high, effect = rest
        notes = self._missing(group, metric, step)
        notes += (standing_notes(one) if n else ()) + given.said.get((group, metric), ())
        kind: SpreadKind = "none"
        if n >= 2:
            kind = "runs"
        elif estimate is not None:
            kind = "estimate"
        directed = one.direction != "unknown"
        return Gap(
            metric=one.id,
            reference=given.reference,
            step=at,
            n=n,
            coverage=coverage,
            norm_reference=norm_reference,
            norm_step=norm_step,
            gap=gap,
            raw_gap=raw,
            corrected=corrected if directed else None,
            failure=corrected > 0.0 if directed and corrected is not None else None,
            spread=Spread(kind=kind, n=n, sd=sd, estimate=estimate, low=low, high=high),
            within_noise=None if low is None or high is None else low <= 0.0 <= high,
            effect=effect,
            bound=bound_of(one),
            note="; ".join(notes),
        )

    def _missing(self, group: int, metric: int, step: int) -> tuple[str, ...]:
        """Return why runs of a group are not in a cell."""
        assert self._columns is not None
        given, columns = self._given, self._columns
        if columns.complete[group, metric, step]:
            return ()
        at = given.steps[step]
        reasons: dict[str, int] = {}
        for run in range(self._starts[group], self._starts[group + 1]):
            reason = given.left_out[run].get(at)
            if reason is not None:
                reasons[reason] = reasons.get(reason, 0) + 1
        where = group, metric, step
        return tuple(
            missing_notes(
                reasons,
                int(columns.without_first[where]),
                int(columns.without_later[where]),
                int(columns.absurd[where]),
                step=at,
                reference=given.reference,
            )
        )


class _Columns(Struct, frozen=True):
    """Arrays are (G, M, S); `rows` are the numbers of each cell in order, None for NaN."""

    without_first: Counts
    without_later: Counts
    absurd: Counts
    complete: Flags
    rows: list[tuple[Any, ...]]


def _columns(given: GapInput) -> _Columns:
    sizes = np.array(given.sizes, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    first, later = given.first[:, :, np.newaxis], given.later
    out = np.array(
        [[step in left for step in given.steps] for left in given.left_out], dtype=np.bool_
    )[:, np.newaxis, :]
    ends = np.array([believable(one) for one in given.metrics]).T[:, np.newaxis, :, np.newaxis]
    no_first = np.isnan(first)
    no_later = ~no_first & np.isnan(later)
    there = ~no_first & ~no_later
    with np.errstate(invalid="ignore"):
        sane = (ends[0] <= first) & (first <= ends[1]) & (ends[0] <= later) & (later <= ends[1])
    pair = there & sane & ~out

    def count(flags: Flags) -> Counts:
        return np.add.reduceat(np.broadcast_to(flags, later.shape), starts, axis=0, dtype=np.int64)

    n = count(pair)
    groups = _grouped(sizes, starts)
    lower = np.array([one.direction == "lower" for one in given.metrics])[:, np.newaxis]
    # What does not count may be infinite: it is put aside before anything is subtracted.
    raw = np.where(pair, later, 0.0) - np.where(pair, first, 0.0)
    # Turned, not negated: a difference of nothing is 0.0, never -0.0.
    corrected = np.where(lower & (raw != 0.0), -raw, raw)
    known = np.where(n > 0, n, 1)
    mean_raw, mean = _sum(raw, n, groups) / known, _sum(corrected, n, groups) / known
    closed = np.array([is_closed(one) for one in given.metrics])[:, np.newaxis]
    low = np.array([one.low if is_closed(one) else 0.0 for one in given.metrics])[:, np.newaxis]
    high = np.array([one.high if is_closed(one) else 1.0 for one in given.metrics])[:, np.newaxis]
    scale = np.where(closed, 100.0 / (high - low), 1.0)

    def norm(values: Floats) -> Floats:
        share = (np.where(pair, values, 0.0) - low) / (high - low)
        points = np.where(pair, 100.0 * np.where(lower, 1.0 - share, share), 0.0)
        return np.where(closed & (n > 0), _sum(points, n, groups) / known, np.nan)

    centre = mean * scale
    squares = _sum(
        np.where(pair, (corrected - np.repeat(mean, sizes, axis=0)) ** 2, 0.0), n, groups
    )
    several = n >= 2
    sd = np.where(several, np.sqrt(squares / np.maximum(n - 1, 1)) * scale, np.nan)
    reach = np.zeros(int(n.max()) + 1)
    for freedom in np.unique(n[several]) - 1:
        reach[freedom + 1] = t_reach(int(freedom))
    half = reach[n] * sd / np.sqrt(known)
    where = np.where(pair, np.arange(len(later))[:, np.newaxis, np.newaxis], -1)
    lone = np.where(n == 1, np.maximum.reduceat(where, starts, axis=0), -1)
    alone = np.unique(lone[lone >= 0]).tolist()
    noise = given.noise(alone) if alone else np.full(given.first.shape, np.nan)
    noise = noise[lone, np.arange(len(given.metrics))[:, np.newaxis]]
    away = np.array([float(np.sqrt(abs(step - given.reference))) for step in given.steps])
    estimate = np.where(n == 1, noise * scale * away, np.nan)
    half = np.where(n == 1, NORMAL * estimate, half)
    size = np.where(several, sd, estimate)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = np.where(size != 0.0, centre / size, np.nan)
    none = np.where(n > 0, 0.0, np.nan)
    total = sizes[:, np.newaxis, np.newaxis]
    columns = (
        norm(np.broadcast_to(first, later.shape)),
        norm(later),
        np.where(closed, centre, np.nan) + none,
        mean_raw + none,
        mean + none,
        sd,
        estimate,
        centre - half,
        centre + half,
        effect,
    )
    rows = zip(
        n.ravel().tolist(), (n / total).ravel().tolist(), *map(_listed, columns), strict=True
    )
    return _Columns(
        count(no_first & ~out),
        count(no_later & ~out),
        count(there & ~sane & ~out),
        n == total,
        list(rows),
    )


def noises(keys: Counts, values: Floats, rows: int) -> Floats:
    """Return for each of `rows` series the sd of one step's random part, NaN below three values.

    `values` (n,) are finite, those of a series in order and together; `keys` (n,) say whose.
    The arithmetic of `gaps.noise_of`, for thousands of series at once.
    """
    out = np.full(rows, np.nan)
    same = keys[1:] == keys[:-1]
    owner, differences = keys[1:][same], np.diff(values)[same]
    counts = np.bincount(owner, minlength=rows)
    known = np.flatnonzero(counts >= 2)
    if not len(known):
        return out
    # One row a series, ascending with NaN last: the middle is read off by its count.
    begins = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    lengths = np.diff(np.concatenate([begins, [len(owner)]]))
    places = np.arange(len(owner)) - np.repeat(begins, lengths)
    square = np.full((rows, int(counts.max())), np.nan)
    square[owner, places] = differences
    square = square[known]
    middle = _middles(np.sort(square, axis=1), counts[known])
    away = np.sort(np.abs(square - middle[:, np.newaxis]), axis=1)
    out[known] = 1.4826 * _middles(away, counts[known])
    return out


def _middles(ascending: Floats, counts: Counts) -> Floats:
    rows = np.arange(len(counts))
    return np.asarray((ascending[rows, (counts - 1) // 2] + ascending[rows, counts // 2]) / 2)


def _listed(column: Floats) -> list[float | None]:
    """Return a column as plain numbers, None for NaN."""
    flat = column.ravel()
    gone = np.isnan(flat)
    plain: list[float | None] = list(flat.tolist())
    for place in np.flatnonzero(gone).tolist():
        plain[place] = None
    return plain


def _grouped(sizes: Counts, starts: Counts) -> list[tuple[Counts, Counts]]:
    """Return for the first, second, ... member: which groups have one, and its run."""
    out = []
    for place in range(int(sizes.max())):
        groups = np.flatnonzero(sizes > place)
        out.append((groups, starts[groups] + place))
    return out


def _sum(values: Floats, n: Counts, members: Sequence[tuple[Counts, Counts]]) -> Floats:
    """Return the sums (G, M, S) over the runs of each group, rounded once as `math.fsum` does.

    What an addition loses is carried along (Neumaier 1974).
    """
    total, lost = np.zeros(n.shape), np.zeros(n.shape)
    for groups, runs in members:
        have, add = total[groups], values[runs]
        new = have + add
        part = new - have
        lost[groups] += (have - (new - part)) + (add - part)
        total[groups] = new
    return total + lost
