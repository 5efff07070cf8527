"""Which runs and steps an analysis rests on: read from the index in bulk, never one by one."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from b100tui.metrics import registry
from b100tui.model.comparable import Comparability, comparable, cycle, in_gaps
from b100tui.model.errors import MetricError, UsageError
from b100tui.model.metric import Metric
from b100tui.model.records import Run, Step

if TYPE_CHECKING:
    from b100tui.index.store import Index

By = str
KINDS: tuple[By, ...] = ("image", "setting", "recipe", "editor", "run")
_PARAMETERS = msgspec.json.Decoder(dict[str, Any])
_RUNS = (
    "SELECT run, image, recipe, setting, editor, editor_kind, repeat, model, parameters,"
    " seed_policy, session, parent, remedy, simulated FROM run"
    " WHERE run IN (SELECT unnest(?))"
)


class Excluded(Struct, frozen=True):
    """A run that an analysis left out, and why."""

    run: str
    reason: str


def runs_of(index: "Index", filter: str | tuple[str, ...] | None = None) -> list[Run]:
    """Return the runs that match an expression (or have these ids), in natural order."""
    if isinstance(filter, tuple):
        return runs_named(index, filter)
    return runs_named(index, index.run_ids(filter))


def runs_named(index: "Index", ids: Sequence[str]) -> list[Run]:
    """Return the runs with these ids, in the order given."""
    found = {
        row[0]: Run(
            run=row[0],
            image=row[1] or "",
            recipe=row[2] or "",
            setting=row[3] or "",
            editor=row[4] or "",
            editor_kind=row[5] or "",
            repeat=row[6] or 0,
            model=row[7] or "",
            parameters=_PARAMETERS.decode(row[8]) if row[8] else {},
            seed_policy=row[9] or "",
            session=row[10] or "",
            parent=row[11],
            remedy=row[12],
            simulated=bool(row[13]),
        )
        for row in index.ask(_RUNS, [list(ids)])
    }
    return [found[run] for run in ids if run in found]


def named_runs(index: "Index", names: Sequence[str], filter: str | None = None) -> list[Run]:
    """Return the runs a command was given by name or unique prefix, all that match when none."""
    if not names:
        return runs_of(index, filter)
    return runs_named(index, [index.find_run(name).run for name in names])


def replicating(runs: Iterable[Run]) -> tuple[list[Run], list[Excluded]]:
    """Return the runs that belong in gap tables, and the others with the reason."""
    kept: list[Run] = []
    out: list[Excluded] = []
    for run in runs:
        answer = in_gaps(run)
        if answer.ok:
            kept.append(run)
        else:
            out.append(Excluded(run.run, answer.reason))
    return kept, out


def light_steps(
    index: "Index", runs: Sequence[str], steps: Collection[int] | None = None
) -> dict[str, dict[int, Step]]:
    """Return run -> step number -> step with status and size only."""
    where = ""
    values: list[Any] = [list(runs)]
    if steps is not None:
        where = " AND step IN (SELECT unnest(?))"
        values.append(sorted(steps))
    rows = index.ask(
        "SELECT run, step, status, width, height FROM step"
        f" WHERE run IN (SELECT unnest(?)){where} ORDER BY run, step",
        values,
    )
    found: dict[str, dict[int, Step]] = {run: {} for run in runs}
    for run, step, status, width, height in rows:
        found[run][step] = Step(run=run, step=step, status=status, width=width, height=height)
    return found


def left_out(
    run: Run, known: Mapping[int, Step], steps: Iterable[int], reference: int
) -> dict[int, str]:
    """Return which of `steps` may not be held against the reference, and why.

    A step whose picture is missing is not judged here: it has no score, which is said there.
    """
    base = known.get(reference)
    if base is None:
        return {}
    out: dict[int, str] = {}
    for step in steps:
        one = known.get(step)
        if one is None or step == reference:
            continue
        answer = comparable(one, base, run)
        if not answer.ok or answer.region != "all":
            out[step] = _why(run, one, base, answer)
    return out


def apart(index: "Index", runs: Sequence[Run], reference: int) -> dict[str, list[int]]:
    """Return run -> the steps that may not be held against the reference, for runs with such.

    A run whose pictures are all there, of one size and of one phase has none: its steps need not
    be looked at one by one.
    """
    rows = index.ask(
        "SELECT run FROM step WHERE run IN (SELECT unnest(?)) GROUP BY run"
        " HAVING bool_or(status <> 'ok') OR min(width) <> max(width) OR min(height) <> max(height)",
        [[run.run for run in runs]],
    )
    uneven = {run for (run,) in rows}
    odd = []
    for run in runs:
        turn = cycle(run)
        if run.run in uneven or turn.length > 1 or turn.kind == "addition":
            odd.append(run)
    known = light_steps(index, [run.run for run in odd])
    return {run.run: list(left_out(run, known[run.run], known[run.run], reference)) for run in odd}


def _why(run: Run, step: Step, base: Step, answer: Comparability) -> str:
    """Return the reason in words that many runs share: without the step's own number."""
    if base.status != "ok":
        return f"the reference picture is {base.status}"
    if step.status != "ok":
        return f"its picture is {step.status}"
    if answer.ok:
        return answer.reason
    turn = cycle(run)
    if (step.step - base.step) % turn.length:
        return f"another phase of the recipe (cycle of {turn.length})"
    return "another pixel size than the reference"


def group_of(run: Run, by: By) -> str:
    """Return the name of the group a run belongs to; a setting is named with its image."""
    if by == "image":
        return run.image or run.run
    if by == "setting":
        return f"{run.image}/{run.setting}" if run.setting else run.image
    if by == "recipe":
        return run.recipe or "recipe not known"
    if by == "editor":
        return run.editor or "editor not known"
    if by == "run":
        return run.run
    raise UsageError(f"cannot group by {by!r}", f"one of {', '.join(KINDS)}")


def metric_of(name: str) -> Metric:
    """Return the registered metric, or one of unknown direction and range for others."""
    return registry.known(name) or registry.unknown_metric(name)


def chosen_metrics(index: "Index", wanted: str | None) -> tuple[tuple[Metric, ...], str]:
    """Return the metrics meant, of those that have values, and what was left aside in words.

    By default those that judge a picture by itself in a known direction; `all`, `paper`,
    `probes` or NAME,... say others.
    Raises MetricError for a name that is neither registered nor among the scores.
    """
    have = index.metrics()
    order = {one.id: place for place, one in enumerate(registry.metrics())}
    present = sorted(have, key=lambda name: (order.get(name, len(order)), name))
    known = tuple(metric_of(name) for name in present)
    if wanted is None:
        judging = tuple(
            one for one in known if one.direction != "unknown" and not one.needs_reference
        )
        aside = [
            (sum(one.direction == "unknown" for one in known), "without a direction"),
            (
                sum(one.direction != "unknown" and one.needs_reference for one in known),
                "measured against the reference",
            ),
        ]
        said = ", ".join(f"{count} {why}" for count, why in aside if count)
        note = f"metrics left out: {said} (--metrics all)" if said else ""
        return (judging, note) if judging else (known, "")
    picked: dict[str, Metric] = {}
    for word in filter(None, (part.strip() for part in wanted.split(","))):
        if word == "all":
            picked |= {one.id: one for one in known}
        elif word == "paper":
            picked |= {one.id: one for one in known if one.paper}
        elif word == "probes":
            picked |= {one.id: one for one in known if one.backend == "probes"}
        else:
            name = registry.identifier(word)
            if name not in have and registry.known(word) is None:
                scored = ", ".join(present)
                hint = f"scored: {scored}" if scored else "nothing is scored here yet: b100 score"
                raise MetricError(f"no metric {word!r} here", hint)
            picked[name] = metric_of(name)
    absent = [one.id for one in picked.values() if one.id not in have]
    note = f"no scores of {', '.join(absent)}" if absent else ""
    return tuple(picked.values()), note


def parse_bounds(given: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Read `--bound pi=20` (the open end) or `name=0:20` (both ends)."""
    out: dict[str, tuple[float | None, float | None]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        low, colon, high = value.rpartition(":")
        try:
            ends = (float(low) if colon and low else None, float(high))
        except ValueError:
            ends = (None, math.nan)
        if (
            not equals
            or not name.strip()
            or not all(math.isfinite(e) for e in ends if e is not None)
        ):
            raise UsageError(f"--bound {text!r} cannot be read", "write pi=20 or name=0:20")
        out[registry.identifier(name)] = ends
    return out
