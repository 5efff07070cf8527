"""When is it bad: the first step beyond a stated tolerance that stays beyond."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct, convert, structs

from b100tui.analysis.absurd import is_absurd
from b100tui.model.errors import UsageError

HELD = 2  # comparable steps beyond in a row


class Tolerance(Struct, frozen=True, kw_only=True):
    """One tolerance: `signal` must not go beyond `value`.

    With `ratio` it is the signal divided by its value at the reference step that counts.
    """

    name: str
    signal: str
    value: float
    beyond: Literal["above", "below"]
    ratio: bool = False
    why: str = ""


class Limit(Struct, frozen=True, kw_only=True):
    """The first bad step, None when there is none; `value` is the signal's there.

    `name` is the tolerance that was crossed, `each` the first bad step of every tolerance that
    could be checked; `unchecked` names those without two values.
    """

    step: int | None = None
    name: str | None = None
    value: float | None = None
    tolerance: float | None = None
    each: dict[str, int | None]
    unchecked: tuple[str, ...] = ()
    why: str = ""


class _Row(Struct, frozen=True):
    value: float
    beyond: Literal["above", "below"]
    why: str = ""
    signal: str = ""
    ratio: bool = False


@lru_cache(maxsize=1)
def defaults() -> tuple[Tolerance, ...]:
    """Return the shipped tolerances with the reason for each."""
    text = files("b100tui.analysis").joinpath("limits.toml").read_text(encoding="utf-8")
    rows = convert(tomllib.loads(text), dict[str, _Row])
    return tuple(
        Tolerance(
            name=name,
            signal=row.signal or name,
            value=row.value,
            beyond=row.beyond,
            ratio=row.ratio,
            why=" ".join(row.why.split()),
        )
        for name, row in rows.items()
    )


def tolerances(changes: Mapping[str, float]) -> tuple[Tolerance, ...]:
    """Return the defaults with the given values changed.

    Raises UsageError for a name that is no tolerance or a value that is no finite number.
    """
    known = {one.name: one for one in defaults()}
    for name, value in changes.items():
        if name not in known:
            raise UsageError(f"no tolerance called {name!r}", f"known: {', '.join(known)}")
        if not math.isfinite(value):
            raise UsageError(f"tolerance {name}: {value} is no finite number")
        known[name] = structs.replace(known[name], value=value)
    return tuple(known.values())


def limit(
    signals: Mapping[str, Mapping[int, float | None]],
    comparable: Sequence[int],
    *,
    reference: int = 1,
    using: Sequence[Tolerance] | None = None,
) -> Limit:
    """Return the first step beyond a tolerance that stays beyond for HELD comparable steps.

    `signals` maps a signal to {step: value}; `comparable` lists the steps that may be held
    against the reference. A step without a value (or with an absurd one) neither confirms nor
    breaks a series of steps beyond. Of several tolerances the earliest counts.
    """
    after = sorted(step for step in set(comparable) if step > reference)
    each: dict[str, int | None] = {}
    unchecked: list[str] = []
    best: tuple[int, Tolerance, float] | None = None
    for one in defaults() if using is None else using:
        have = _values(one, signals.get(one.signal, {}), after, reference)
        if len(have) < HELD:
            unchecked.append(one.name)
            continue
        place = _first(one, [value for _, value in have])
        each[one.name] = None if place is None else have[place][0]
        if place is not None and (best is None or have[place][0] < best[0]):
            best = (have[place][0], one, have[place][1])
    if best is None:
        return Limit(each=each, unchecked=tuple(unchecked))
    step, crossed, value = best
    return Limit(
        step=step,
        name=crossed.name,
        value=value,
        tolerance=crossed.value,
        each=each,
        unchecked=tuple(unchecked),
        why=f"{crossed.name} {value:.3g} is {crossed.beyond} {crossed.value:g}",
    )


def _values(
    one: Tolerance, values: Mapping[int, float | None], after: Sequence[int], reference: int
) -> list[tuple[int, float]]:
    have = [
        (step, value)
        for step in after
        if (value := values.get(step)) is not None
        and not math.isnan(value)
        and not is_absurd(None, value)
    ]
    if not one.ratio:
        return have
    base = values.get(reference)
    if base is None or math.isnan(base) or is_absurd(None, base) or base <= 0.0:
        return []
    return [(step, value / base) for step, value in have]


def _first(one: Tolerance, values: Sequence[float]) -> int | None:
    beyond = [v > one.value if one.beyond == "above" else v < one.value for v in values]
    for place in range(len(beyond) - HELD + 1):
        if all(beyond[place : place + HELD]):
            return place
    return None
