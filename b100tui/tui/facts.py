"""What the panels say about a step: its facts and its reasoning, as paragraphs. Pure."""

from collections.abc import Iterable

from b100tui.model.records import Step
from b100tui.model.text import charged, clean, clean_line
from b100tui.tui.drawing import size
from b100tui.tui.trajectory import Trajectory

Block = tuple[tuple[str, str], ...]
KEY, DIM, BAD, TITLE = "text--key", "text--dim", "text--bad", "text--title"


def step_facts(trajectory: Trajectory, number: int) -> list[Block]:
    """Return the facts of one step: status first where something is wrong, then what is known."""
    step = trajectory.at.get(number)
    if step is None:
        return [((f"no step {number}", DIM),)]
    return [*_status(step), *_marks(trajectory, number), *_known(trajectory, step)]


def _status(step: Step) -> Iterable[Block]:
    reason = clean_line(step.reason) if step.reason else ""
    if step.status == "missing":
        yield (("missing", BAD),)
        yield ((reason or "no file for this step; nothing is shifted", DIM),)
    elif step.status != "ok":
        yield ((f"{step.status}: {reason}" if reason else step.status, BAD),)
    for warning in step.warnings:
        if warning == "SIMULATED":
            continue  # the whole run says so
        yield ((f"! {clean_line(warning)}", BAD),)


def _known(trajectory: Trajectory, step: Step) -> Iterable[Block]:
    row = trajectory.row
    if row.simulated:
        yield (("SIMULATED run", TITLE),)
    rows: list[tuple[str, str | None]] = [
        ("prompt", clean(step.prompt) if step.prompt else None),
        ("size", f"{step.width} x {step.height}" if step.width and step.height else None),
        ("file", _file(step)),
        ("model", step.model or row.model or None),
        ("editor", step.editor or row.editor or None),
        ("seed", str(step.seed) if step.seed is not None else None),
        ("finish", _finish(step)),
        ("cost", charged(step.cost_usd, row.simulated) if step.cost_usd is not None else None),
        ("took", f"{step.seconds:.1f} s" if step.seconds is not None else None),
        ("made", step.started),
        ("path", step.picture.path if step.picture else None),
    ]
    rows += [(name, str(value)) for name, value in sorted(step.parameters.items())]
    if row.parent:
        rows.append(("parent", row.parent))
    for key, value in rows:
        if value:
            text = value if key == "prompt" else clean_line(value)
            yield ((f"{clean_line(key)[:12]:<7} ", KEY), (text, ""))
    if row.stopped:
        yield (("stopped ", KEY), (clean_line(row.stopped), ""))


def _file(step: Step) -> str | None:
    parts = [step.format or ""]
    if step.picture and step.picture.bytes:
        parts.append(size(step.picture.bytes))
    return " ".join(part for part in parts if part) or None


def _finish(step: Step) -> str | None:
    parts = [part for part in (step.finish_reason, step.finish_message) if part]
    return ": ".join(parts) or None


def _marks(trajectory: Trajectory, number: int) -> Iterable[Block]:
    for mark in trajectory.marks.get(number, ()):
        words = f"{mark.mode} ({mark.by}{', blind' if mark.blind else ''})"
        if mark.region is not None:
            x, y, width, height = mark.region
            words += f" {width}x{height} at {x},{y}"
        yield (("mark    ", KEY), (clean_line(f"{words} {mark.note or ''}"), ""))


def step_reasoning(trajectory: Trajectory, number: int) -> list[Block]:
    """Return the reasoning summary: titles, texts and the judge's verdict."""
    step = trajectory.at.get(number)
    blocks: list[Block] = []
    for section in step.sections if step else ():
        if blocks:
            blocks.append(())
        if section.title:
            blocks.append(((clean_line(section.title), TITLE),))
        blocks.append(((clean(section.text), ""),))
    verdict = trajectory.verdicts.get(number)
    if verdict is not None:
        word = verdict.verdict or f"failed: {clean_line(verdict.error or '')}"
        word = "no summary to judge" if word == "no_summary" else word
        blocks += [()] if blocks else []
        blocks.append((("judge: ", KEY), (word + (" (SIMULATED)" * verdict.simulated), "")))
    if not blocks:
        return [(("no reasoning summary for this step", DIM),)]
    return blocks
