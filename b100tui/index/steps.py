"""The steps of one run as records, out of the tables."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from b100tui.index.derive import MISSING_LISTED
from b100tui.index.rows import StepView
from b100tui.model.records import MarkRecord, PictureRef, Section, Step

Ask = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
_PARAMETERS = msgspec.json.Decoder(dict[str, Any])
_COLUMNS = (
    "step, status, reason, path, member, bytes, mtime_ns, width, height, format, sha256, prompt,"
    " editor, model, parameters, seed, finish_reason, finish_message, cost_usd, seconds, started,"
    " warnings"
)


def steps_of(ask: Ask, run: str) -> list[Step]:
    """Return the steps of `run` in order, the absent ones in between as missing (first 1,000)."""
    sections: dict[int, list[Section]] = {}
    for step, title, text in ask(
        "SELECT step, title, text FROM section WHERE run = ? ORDER BY step, section", [run]
    ):
        sections.setdefault(step, []).append(Section(title, text))
    found: list[Step] = []
    absent = 0
    for row in ask(f"SELECT {_COLUMNS} FROM step WHERE run = ? ORDER BY step", [run]):
        number = row[0]
        if found:
            for gap in range(found[-1].step + 1, number):
                if absent == MISSING_LISTED:
                    break
                absent += 1
                found.append(Step(run=run, step=gap, status="missing", reason="no such file"))
        found.append(_step(run, row, tuple(sections.get(number, ()))))
    return found


def step_view(
    step: Step,
    scores: dict[str, float | None],
    verdict: str | None,
    marks: tuple[MarkRecord, ...],
) -> StepView:
    """Return a step as the command line prints it."""
    picture = step.picture
    return StepView(
        step=step.step,
        status=step.status,
        reason=step.reason,
        path=picture.path if picture else None,
        member=picture.member if picture else None,
        width=step.width,
        height=step.height,
        format=step.format,
        bytes=picture.bytes if picture else None,
        prompt=step.prompt,
        sections=step.sections,
        scores=scores,
        verdict=verdict,
        marks=marks,
        warnings=step.warnings,
    )


def _step(run: str, row: tuple[Any, ...], sections: tuple[Section, ...]) -> Step:
    (step, status, reason, path, member, size, mtime_ns, width, height, format_, sha256, prompt,
     editor, model, parameters, seed, finish_reason, finish_message, cost, seconds, started,
     warnings) = row  # fmt: skip
    picture = PictureRef(path, member, size or 0, mtime_ns or 0) if path is not None else None
    return Step(
        run=run,
        step=step,
        status=status,
        reason=reason,
        picture=picture,
        width=width,
        height=height,
        format=format_,
        sha256=sha256,
        prompt=prompt,
        editor=editor,
        model=model,
        parameters=_PARAMETERS.decode(parameters) if parameters else {},
        seed=seed,
        sections=sections,
        finish_reason=finish_reason,
        finish_message=finish_message,
        cost_usd=cost,
        seconds=seconds,
        started=started,
        warnings=tuple(warnings or ()),
    )
