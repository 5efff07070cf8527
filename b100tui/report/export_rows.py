"""One step as a row: for JSON lines, for the metadata of an imagefolder, for a CSV overview."""

from typing import Any

import msgspec

from b100tui.model.records import FileFacts, Section, Step
from b100tui.model.text import csv_cell
from b100tui.report.export_steps import Outgoing

_LEAD = (
    *("run", "image", "recipe", "setting", "editor", "repeat", "model", "step", "path", "prompt"),
    *("reasoning", "seed", "width", "height", "sha256", "verdict", "marks"),
)


def json_row(one: Outgoing, step: Step, path: str, facts: FileFacts) -> dict[str, Any]:
    """Return the line of a step in steps.jsonl; scores that failed and no verdict are null."""
    run = one.run
    return {
        "run": run.run,
        "step": step.step,
        "path": path,
        "image": run.image,
        "recipe": run.recipe,
        "setting": run.setting,
        "editor": run.editor,
        "editor_kind": run.editor_kind,
        "repeat": run.repeat,
        "model": run.model,
        "labels": run.labels,
        "run_parameters": run.parameters,
        "seed_policy": run.seed_policy,
        "session": run.session,
        "steps_planned": run.steps_planned,
        "parent": run.parent,
        "remedy": run.remedy,
        "simulated": run.simulated,
        "stopped": run.stopped,
        "width": step.width,
        "height": step.height,
        "format": step.format,
        "sha256": facts.sha256,
        "step_editor": step.editor,
        "step_model": step.model,
        "parameters": step.parameters,
        "seed": step.seed,
        "prompt": step.prompt,
        "sections": step.sections,
        "scores": {record.metric: record.value for record in one.scores.get(step.step, [])},
        "verdict": verdict_of(one, step.step),
        "marks": [
            {"mode": mark.mode, "by": mark.by, "region": mark.region, "note": mark.note}
            for mark in one.marks
            if mark.step == step.step
        ],
        "finish_reason": step.finish_reason,
        "finish_message": step.finish_message,
        "cost_usd": step.cost_usd,
        "seconds": step.seconds,
        "started": step.started,
        "warnings": step.warnings,
    }


def folder_row(
    one: Outgoing, step: Step, path: str, facts: FileFacts, metrics: tuple[str, ...]
) -> dict[str, Any]:
    """Return the line of a step in metadata.jsonl: the same columns of one type in every row.

    `image` is called initial_image, because `image` is the picture itself there; objects of
    free form are JSON text; `scores` has every metric of the export, null where there is none.
    """
    row = json_row(one, step, path, facts)
    del row["path"], row["format"]
    scores = row["scores"]
    row["file_name"] = path
    row["initial_image"] = row.pop("image")
    for name in ("labels", "run_parameters", "parameters"):
        row[name] = msgspec.json.encode(row[name]).decode()
    row["reasoning"] = reasoning_text(step.sections)
    row["marks"] = [mark["mode"] for mark in row["marks"]]
    row["scores"] = {name: scores.get(name) for name in metrics}
    lead = ("file_name", "run", "step", "initial_image")
    first = {name: row[name] for name in lead} | {"sections": row["sections"]}
    return first | {name: value for name, value in row.items() if name not in first}


def csv_header(metrics: tuple[str, ...]) -> list[str]:
    """Return the columns of steps.csv."""
    return [*_LEAD, *(csv_cell(name) for name in metrics)]


def csv_row(
    one: Outgoing, step: Step, path: str, facts: FileFacts, metrics: tuple[str, ...]
) -> list[Any]:
    """Return the cells of a step in steps.csv: nothing for null, no cell that is a formula."""
    row = json_row(one, step, path, facts)
    row["reasoning"] = reasoning_text(step.sections)
    row["marks"] = " ".join(mark["mode"] for mark in row["marks"])
    scores = row["scores"]
    cells = [row[name] for name in _LEAD] + [scores.get(name) for name in metrics]
    return [csv_cell(cell) if isinstance(cell, str) else cell for cell in cells]


def reasoning_text(sections: tuple[Section, ...]) -> str | None:
    """Return sections as one text, titles bold on their own line; None for none."""
    texts = [f"**{s.title}**\n\n{s.text}" if s.title else s.text for s in sections]
    return "\n\n".join(texts) or None


def verdict_of(one: Outgoing, step: int) -> str | None:
    """Return the newest verdict about a step; None where there is none or the call failed."""
    about = [verdict for verdict in one.verdicts if verdict.step == step]
    return max(about, key=lambda verdict: verdict.time).verdict if about else None
