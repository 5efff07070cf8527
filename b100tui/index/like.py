"""Which steps of a run may be held against step 1, for the gaps and the run rows of the index."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from b100tui.model.comparable import comparable
from b100tui.model.records import Run, Step

if TYPE_CHECKING:
    from b100tui.index.tables import Connection

REFERENCE = 1
_PARAMETERS = msgspec.json.Decoder(dict[str, Any])
Signals = Mapping[str, tuple[list[int], list[float]]]


class Like(Struct, frozen=True):
    """The steps that may not be compared with step 1; empty where there is no step 1."""

    apart: frozenset[int]


def comparable_by_run(con: "Connection") -> dict[str, Like]:
    """Return the answer for every run in `pending`."""
    runs = {
        run: Run(
            run=run,
            image="",
            recipe=recipe or "",
            setting=setting or "",
            parameters=_PARAMETERS.decode(parameters) if parameters else {},
        )
        for run, recipe, setting, parameters in con.execute(
            "SELECT run, recipe, setting, parameters FROM run"
            " WHERE run IN (SELECT run FROM pending)"
        ).fetchall()
    }
    steps: dict[str, list[Step]] = {}
    for run, step, status, width, height in con.execute(
        "SELECT run, step, status, width, height FROM step WHERE run IN (SELECT run FROM pending)"
    ).fetchall():
        one = Step(run=run, step=step, status=status, width=width, height=height)
        steps.setdefault(run, []).append(one)
    return {run: _like(runs[run], many) for run, many in steps.items() if run in runs}


def held(signals: Signals, like: Like | None) -> dict[str, tuple[list[int], list[float]]]:
    """Return the signals without the steps that may not be compared.

    A signal measured against step 1 has no value of its own there.
    """
    from b100tui.metrics.registry import known

    out: dict[str, tuple[list[int], list[float]]] = {}
    for name, (steps, values) in signals.items():
        metric = known(name)
        apart = set(like.apart) if like is not None else set()
        if metric is not None and metric.needs_reference:
            apart.add(REFERENCE)
        pairs = [pair for pair in zip(steps, values, strict=True) if pair[0] not in apart]
        if pairs:
            out[name] = ([step for step, _ in pairs], [value for _, value in pairs])
    return out


def first_limit(signals: Signals) -> int | None:
    """Return the first step beyond a shipped tolerance, by the signals there are."""
    from b100tui.analysis.limit import limit

    values: dict[str, dict[int, float | None]] = {
        name: dict(zip(steps, series, strict=True)) for name, (steps, series) in signals.items()
    }
    steps = sorted({step for one in values.values() for step in one})
    return limit(values, steps, reference=REFERENCE).step


def _like(run: Run, steps: list[Step]) -> Like:
    base = next((one for one in steps if one.step == REFERENCE), None)
    if base is None:
        return Like(frozenset())
    apart = set()
    for one in steps:
        if one.step == REFERENCE:
            continue
        answer = comparable(one, base, run)
        if not answer.ok or answer.region != "all":
            apart.add(one.step)
    return Like(frozenset(apart))
