"""A run as b100's own files: run.json, sidecars, and the records of scores, verdicts and marks.

A run that b100 made keeps its run.json, sidecars and stopped.json byte for byte.
"""

import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.records import FileFacts, Sidecar, Step
from b100tui.report.export_steps import Outgoing
from b100tui.sources.layouts.own import Plan
from b100tui.sources.paths import on_disk
from b100tui.workspace.atomic import write_atomic

_ENCODER = msgspec.json.Encoder()


def write_own_run(root: Path, folder: Path, one: Outgoing) -> int:
    """Write run.json, and stopped.json for a run that ended early; return how many files."""
    copied = sum(_copied(root, one.folder, name, folder) for name in ("run.json", "stopped.json"))
    if copied:
        return copied
    run = one.run
    plan = Plan(
        run=run.run,
        image=run.image,
        recipe=run.recipe,
        setting=run.setting,
        editor=run.editor,
        repeat=run.repeat,
        labels=run.labels,
        model=run.model or None,
        parameters=run.parameters,
        seed_policy=run.seed_policy,
        session=run.session,
        steps_planned=run.steps_planned or 0,
        parent=run.parent,
        remedy=run.remedy,
        simulated=run.simulated,
    )
    _write(folder / "run.json", plan)
    if run.stopped is None:
        return 1
    _write(folder / "stopped.json", {"reason": run.stopped})
    return 2


def write_own_step(root: Path, folder: Path, one: Outgoing, step: Step, facts: FileFacts) -> int:
    """Write the sidecar of a step whose picture is written; return how many files."""
    name = f"step-{step.step:03d}.json"
    if _has_plan(root, one.folder) and _copied(root, one.folder, name, folder):
        return 1
    sidecar = Sidecar(
        run=step.run,
        step=step.step,
        output=facts,
        editor=step.editor,
        model=step.model,
        simulated=one.run.simulated,
        prompt=step.prompt,
        parameters=step.parameters,
        seed=step.seed,
        finish_reason=step.finish_reason,
        finish_message=step.finish_message,
        sections=step.sections,
        cost_usd=step.cost_usd,
        seconds=step.seconds,
        started=step.started,
        warnings=step.warnings,
    )
    _write(folder / name, sidecar)
    return 1


def write_records(out: Path, one: Outgoing, written: Collection[int]) -> int:
    """Append the records about the steps that were `written` to out/.b100.

    Scores that failed keep their error, judge calls that failed their null. Returns how many
    files are new.
    """
    scores = [
        record for step, records in one.scores.items() if step in written for record in records
    ]
    verdicts = [verdict for verdict in one.verdicts if verdict.step in written]
    marks = [mark for mark in one.marks if mark.step in written]
    kinds = (("scores", scores), ("verdicts", verdicts), ("marks", marks))
    return sum(_append(out / ".b100" / kind / "exported.jsonl", found) for kind, found in kinds)


def _append(path: Path, records: Iterable[Any]) -> int:
    data = b"".join(_ENCODER.encode(record) + b"\n" for record in records)
    if not data:
        return 0
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)
    return int(new)


def _has_plan(root: Path, folder: str) -> bool:
    return Path(on_disk(root, folder), "run.json").is_file()


def _copied(root: Path, folder: str, name: str, out: Path) -> int:
    source = Path(on_disk(root, folder), name)
    if not source.is_file() or not _has_plan(root, folder):
        return 0
    shutil.copyfile(source, out / name)
    return 1


def _write(path: Path, value: Any) -> None:
    write_atomic(path, msgspec.json.format(_ENCODER.encode(value), indent=1), durable=False)
