"""Which steps go out: chosen by a filter, and up to the onset, the limit or a step."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, field

from b100tui.index.filters import parse
from b100tui.model.errors import UsageError
from b100tui.model.records import MarkRecord, Run, ScoreRecord, Step, VerdictRecord
from b100tui.report.onsets import OnsetRow, RunSignals, onset_row, signals_of

if TYPE_CHECKING:
    from b100tui.index.store import Index

_BATCH = 50  # runs whose signals are held at a time
_OBJECT = msgspec.json.Decoder(dict[str, Any])
_RUNS = (
    "SELECT run, image, recipe, setting, editor, editor_kind, repeat, labels, model, parameters,"
    " seed_policy, session, steps_planned, parent, remedy, simulated, stopped, folder FROM run"
    " WHERE run IN (SELECT unnest(?))"
)
_OF_BYTES = (
    "SELECT DISTINCT s.run, s.step, r.metric, s.sha256 FROM step s"
    " JOIN base.main.score_record r ON r.sha256 = s.sha256"
    " WHERE s.run IN (SELECT unnest(?)) AND r.reference_sha256 IS NULL"
)
_SCORES = (
    "SELECT run, step, metric, metric_version, value, error, message, simulated, seconds, time"
    " FROM score WHERE run = ? ORDER BY step, metric"
)


class Until(Struct, frozen=True):
    """Where the steps of a run end: before its `onset` or `limit`, or after step `step`."""

    at: Literal["onset", "limit", "step", "end"] = "end"
    step: int | None = None


class Skipped(Struct, frozen=True):
    """A step (None: the whole run) that does not go out, and why; `failed` where it should have."""

    run: str
    step: int | None
    reason: str
    failed: bool = False


class Outgoing(Struct, frozen=True, kw_only=True):
    """One run as it goes out: its steps with pictures, in order, and all records about them."""

    run: Run
    folder: str  # of the run in the folder it comes from
    steps: tuple[Step, ...]
    scores: dict[int, list[ScoreRecord]] = field(default_factory=dict)
    verdicts: tuple[VerdictRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = ()
    until: str = ""  # what ended it, in words


def parse_until(text: str | None) -> Until:
    """Return what --until means; UsageError for anything but onset, limit or a step number."""
    if text is None:
        return Until()
    if text == "onset":
        return Until("onset")
    if text == "limit":
        return Until("limit")
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return Until("step", int(text))
    raise UsageError(f"--until {text!r} cannot be read", "write onset, limit or a step number")


def outgoing(
    index: "Index", filter: str | None, until: Until
) -> Iterator[tuple[Outgoing | None, list[Skipped]]]:
    """Yield each run that matches, with what of it does not go out.

    Up to onset or limit means: the steps before the change can have begun, the lower end of
    the onset's interval or the first bad step. A run without enough scores to tell does not
    go out, and no step behind the last scored one does: nobody knows what lies there.
    """
    chosen = parse(filter, index.metrics()) if filter else None
    ids = index.run_ids(chosen)
    for start in range(0, len(ids), _BATCH):
        runs, folders = _runs(index, ids[start : start + _BATCH])
        bounds = _bounds(index, runs, until)
        hashes = {
            (run, step, metric): sha256
            for run, step, metric, sha256 in index.ask(_OF_BYTES, [[run.run for run in runs]])
        }
        for run in runs:
            end, words, why = bounds[run.run]
            if end == 0:
                yield None, [Skipped(run.run, None, why, failed=True)]
                continue
            wanted = None if chosen is None else set(index.matching_steps(run.run, chosen))
            steps, skipped = _divided(index.steps(run.run), wanted, end, why)
            if steps:
                numbers = {step.step for step in steps}
                yield (
                    Outgoing(
                        run=run,
                        folder=folders[run.run],
                        steps=steps,
                        scores=_scores(index, run.run, numbers, hashes),
                        verdicts=tuple(v for v in index.verdicts(run.run) if v.step in numbers),
                        marks=tuple(m for m in index.marks(run.run) if m.step in numbers),
                        until=words,
                    ),
                    skipped,
                )
            else:
                yield None, skipped


def _divided(
    steps: Iterable[Step], wanted: set[int] | None, end: int | None, why: str
) -> tuple[tuple[Step, ...], list[Skipped]]:
    """Return the steps with a picture below `end`, and those that cannot go out with reasons."""
    good: list[Step] = []
    skipped: list[Skipped] = []
    for step in steps:
        gap = step.status == "missing" and step.picture is None
        if wanted is not None and step.step not in wanted and not gap:
            continue
        if end is not None and step.step >= end:
            if why and not gap:
                skipped.append(Skipped(step.run, step.step, why))
            continue
        if step.status == "ok" and step.picture is not None and step.picture.path:
            good.append(step)
        elif wanted is None or step.step in wanted:
            failed = step.status == "unreadable"
            skipped.append(Skipped(step.run, step.step, step.reason or step.status, failed))
    return tuple(good), skipped


def _bounds(
    index: "Index", runs: list[Run], until: Until
) -> dict[str, tuple[int | None, str, str]]:
    """Return for each run: the first step that stays back (None: none, 0: all), words, reason."""
    if until.at == "end":
        return {run.run: (None, "", "") for run in runs}
    if until.at == "step":
        end = (until.step or 0) + 1
        return {run.run: (end, f"up to step {until.step}", "") for run in runs}
    found: dict[str, tuple[int | None, str, str]] = {}
    for one in signals_of(index, runs):
        row = onset_row(one)
        found[one.run.run] = _by_onset(row, one) if until.at == "onset" else _by_limit(row, one)
    return found


def _by_onset(row: OnsetRow, one: RunSignals) -> tuple[int | None, str, str]:
    if row.status == "too_short":
        return 0, "", f"no onset can be told: {row.reason or 'too few scored steps'}"
    if row.step is not None:
        end = row.low if row.low is not None else row.step
        return end, f"before the onset at step {row.step} (from {end} on)", ""
    last = _last_scored(one)
    return last + 1, "no onset", f"behind step {last}, the last scored one: nobody can tell"


def _by_limit(row: OnsetRow, one: RunSignals) -> tuple[int | None, str, str]:
    if row.limit is not None:
        return row.limit, f"before the limit at step {row.limit} ({row.limit_why})", ""
    last = _last_scored(one)
    if not last or len(row.limit_unchecked) >= _tolerances():
        return 0, "", "no limit can be told: no tolerance has scores to hold it against"
    return last + 1, "no limit", f"behind step {last}, the last scored one: nobody can tell"


def _tolerances() -> int:
    from b100tui.analysis.limit import defaults

    return len(defaults())


def _last_scored(one: RunSignals) -> int:
    return max((step for values in one.signals.values() for step in values), default=0)


def _runs(index: "Index", ids: list[str]) -> tuple[list[Run], dict[str, str]]:
    """Return the runs in the order of `ids` with all their facts, and their folders."""
    found: dict[str, Run] = {}
    folders: dict[str, str] = {}
    for row in index.ask(_RUNS, [ids]):
        run, image, recipe, setting, editor, kind, repeat, labels, model, parameters = row[:10]
        seed_policy, session, planned, parent, remedy, simulated, stopped, folder = row[10:]
        found[run] = Run(
            run=run,
            image=image,
            recipe=recipe,
            setting=setting,
            editor=editor,
            editor_kind=kind,
            repeat=repeat,
            labels=_OBJECT.decode(labels) if labels else {},
            model=model,
            parameters=_OBJECT.decode(parameters) if parameters else {},
            seed_policy=seed_policy,
            session=session,
            steps_planned=planned,
            parent=parent,
            remedy=remedy,
            simulated=simulated,
            stopped=stopped,
        )
        folders[run] = folder
    return [found[name] for name in ids if name in found], folders


def _scores(
    index: "Index", run: str, numbers: set[int], hashes: dict[tuple[str, int, str], str]
) -> dict[int, list[ScoreRecord]]:
    """Return the scores by step; one that belongs to the bytes of a picture keeps their hash."""
    found: dict[int, list[ScoreRecord]] = {}
    for row in index.ask(_SCORES, [run]):
        name, step, metric, version, value, error, message, simulated, seconds, time = row
        if step in numbers:
            record = ScoreRecord(
                run=name,
                step=step,
                metric=metric,
                metric_version=version,
                value=value,
                error=error,
                message=message,
                simulated=bool(simulated),
                seconds=seconds,
                time=time or "",
                sha256=hashes.get((name, step, metric)),
            )
            found.setdefault(step, []).append(record)
    return found
