"""Derived tables: scores joined to steps, series, gaps and the run rows of the run list.

Works on the current schema of a connection, for the runs in its table `pending`; the builder
and the live tail use the same rules.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from b100tui.index.like import comparable_by_run, first_limit, held
from b100tui.index.rows import ABSENT, RunRow
from b100tui.index.tables import append, dump, statement
from b100tui.model.scan import Duplicate

if TYPE_CHECKING:
    from b100tui.index.tables import Connection

# The signals that tell most about iterative degradation, best first: what the mini sparkline
# and the quick onset look at. The first ones that a run has are used.
TELLING = (
    *("noise_sigma", "noise_wavelet", "gradient_energy", "laplacian_variance"),
    *("colour_cast", "texture_ratio", "high_frequency", "blockiness", "colourfulness"),
    *("brisque", "niqe", "topiq_nr", "musiq", "qualiclip"),
)
ONSET_SIGNALS = 3
SPARK_CELLS = 24
SPARK_LEVELS = 8
MISSING_LISTED = 1000
_WORDS_LIMIT = 4000
_PENDING = "run IN (SELECT run FROM pending)"
Signal = tuple[list[int], list[float]]  # steps and their values
_DUPLICATES = msgspec.json.Decoder(tuple[Duplicate, ...])
_LABELS = msgspec.json.Decoder(dict[str, str])


def fill_metrics(con: "Connection") -> None:
    """Write the metric registry into table `metric`, so that SQL knows direction and range.

    Beyond `least` and `most` nothing is a score.
    """
    from b100tui.analysis.absurd import believable
    from b100tui.metrics.registry import metrics

    append(
        con,
        "metric",
        (
            (m.id, m.name, m.backend, m.direction, m.low, m.high, m.needs_reference, *believable(m))
            for m in metrics()
        ),
    )


def derive(con: "Connection") -> None:
    """Recompute everything derived about the runs in `pending`."""
    like = comparable_by_run(con)
    con.execute("DELETE FROM apart")
    append(con, "apart", ((run, step) for run, one in like.items() for step in one.apart))
    con.execute(statement("derive"))
    con.execute("DELETE FROM apart")
    found = _signals(con)
    facts = con.execute(statement("summary")).fetchall()
    signals = [held(found.get(fact[0], {}), like.get(fact[0])) for fact in facts]
    onsets = _onsets(signals)
    append(con, "run_summary", map(_summary, facts, signals, onsets))


def set_pending(con: "Connection", runs: Iterable[str]) -> None:
    """Name the runs whose derived rows are to be recomputed."""
    con.execute("DELETE FROM pending")
    append(con, "pending", ((run,) for run in runs))


def _signals(con: "Connection") -> dict[str, dict[str, Signal]]:
    """Return run -> metric -> (steps, values) of the signals a run row needs; none is absurd."""
    from b100tui.analysis.absurd import believed
    from b100tui.metrics.registry import known

    marks = ", ".join("?" for _ in TELLING)
    rows = con.execute(
        f'SELECT run, metric, steps, "values" FROM series WHERE {_PENDING}'
        f" AND (metric IN ({marks}) OR run NOT IN"
        f" (SELECT run FROM series WHERE {_PENDING} AND metric IN ({marks})))",
        [*TELLING, *TELLING],
    ).fetchall()
    kinds = {metric: known(metric) for metric in {row[1] for row in rows}}
    found: dict[str, dict[str, Signal]] = {}
    for run, metric, steps, values in rows:
        kept, wrong = believed(kinds[metric], dict(zip(steps, values, strict=True)))
        plain = [value for value in kept.values() if value is not None] if wrong else values
        if plain:
            found.setdefault(run, {})[metric] = (list(kept), plain)
    return found


def _summary(
    fact: tuple[Any, ...], signals: Mapping[str, Signal], onset: int | None
) -> tuple[Any, ...]:
    (run, image, recipe, setting, editor, editor_kind, repeat, labels, model, planned, parent,
     simulated, stopped, folder, duplicates, sort_key, steps, fine, unreadable, refused, cost,
     prompts, sizes, valid, metrics, differs, worst, worst_gap, sections, marks) = fact  # fmt: skip
    steps = steps or []
    sizes = tuple((int(w), int(h), int(n)) for w, h, n in sizes or ())
    missing, absent = _missing(steps)
    coverage = valid / (fine * metrics) if fine and metrics else None
    names = _telling(signals) or sorted(signals)
    spark = spark_levels(*signals[names[0]]) if names else ()
    limit = first_limit(signals)
    states = {
        "simulated": simulated,
        "fork": parent is not None,
        "gaps": absent > 0,
        "duplicates": duplicates != "[]",
        "sizes": len(sizes) > 1,
        "unreadable": unreadable > 0,
        "refused": refused > 0,
        "stopped": stopped is not None,
        "differs": differs,
        "marks": marks > 0,
    }
    row = RunRow(
        run=run,
        image=image,
        recipe=recipe,
        setting=setting,
        editor=editor,
        repeat=repeat,
        labels=_LABELS.decode(labels),
        duplicates=_DUPLICATES.decode(duplicates),
        steps=len(steps),
        first_step=steps[0] if steps else None,
        last_step=steps[-1] if steps else None,
        missing=missing,
        sizes=sizes,
        coverage=coverage,
        onset=onset,
        limit=limit,
        editor_kind=editor_kind,
        simulated=simulated,
        parent=parent,
        worst_metric=worst,
        worst_gap=worst_gap,
        spark=spark,
        spark_metric=names[0] if names else None,
        badges=tuple(name for name, holds in states.items() if holds),
        steps_planned=planned,
        stopped=stopped,
        model=model,
        folder=folder,
        cost_usd=cost,
    )
    words = " ".join((run, image, recipe, setting, editor, model, *row.labels.values()))
    return (
        *(run, sort_key, row.steps, row.first_step, row.last_step, absent, len(sizes)),
        *(sizes[0][:2] if sizes else (None, None)),
        *(unreadable, refused, sections, coverage, onset, limit, worst, worst_gap, cost),
        *(image, recipe, setting, editor, editor_kind, model, repeat, labels, parent, simulated),
        stopped is not None,
        f"{words}\n{prompts or ''}".casefold()[:_WORDS_LIMIT],
        dump(row),
    )


def _missing(steps: list[int]) -> tuple[tuple[int, ...], int]:
    """Return the first absent steps and how many there are; one wild number lists no millions."""
    listed: list[int] = []
    for before, after in pairwise(steps):
        room = MISSING_LISTED - len(listed)
        listed.extend(range(before + 1, min(after, before + 1 + room)))
    return tuple(listed), (steps[-1] - steps[0] + 1 - len(steps) if steps else 0)


def spark_levels(steps: list[int], values: list[float]) -> tuple[int, ...]:
    """Return at most 24 levels 0 to 7 over the steps, each the mean of its stretch; -1 absent."""
    if not steps:
        return ()
    span = steps[-1] - steps[0] + 1
    cells = min(SPARK_CELLS, span)
    sums, counts = [0.0] * cells, [0] * cells
    for step, value in zip(steps, values, strict=True):
        cell = (step - steps[0]) * cells // span
        sums[cell] += value
        counts[cell] += 1
    means = [total / n if n else None for total, n in zip(sums, counts, strict=True)]
    known = [mean for mean in means if mean is not None]
    low, high = min(known), max(known)
    if not 0 < high - low < math.inf:
        return tuple(ABSENT if mean is None else 0 for mean in means)
    # Divided before it is multiplied: over a denormal span the scale alone would be infinite.
    span_of = high - low
    return tuple(
        ABSENT if mean is None else round((mean - low) / span_of * (SPARK_LEVELS - 1))
        for mean in means
    )


def _telling(signals: Mapping[str, Signal]) -> list[str]:
    return [name for name in TELLING if name in signals]


def _onsets(runs: Sequence[Mapping[str, Signal]]) -> list[int | None]:
    """Return the quick onset of every run, from all their signals at once.

    It is the middle one of its signals' quick onsets; None when fewer than half have one.
    """
    from b100tui.analysis.onset import quick_onsets

    looked = [[run[name] for name in _telling(run)[:ONSET_SIGNALS]] for run in runs]
    steps = iter(quick_onsets([signal for signals in looked for signal in signals]))
    onsets: list[int | None] = []
    for signals in looked:
        found = sorted(step for step in islice(steps, len(signals)) if step is not None)
        told = found and 2 * len(found) > len(signals)
        onsets.append(found[(len(found) - 1) // 2] if told else None)
    return onsets
