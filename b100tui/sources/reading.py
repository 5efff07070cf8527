"""One step read: its sidecar, its reasoning text and the header of its picture."""

import os
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.errors import UNPARSABLE, B100Error, PictureError, parse_fault
from b100tui.model.records import Run, Section, Sidecar, Step, StepStatus
from b100tui.model.scan import SourceStep
from b100tui.model.sections import sections_of, split_sections
from b100tui.model.text import clean, clean_line
from b100tui.sources.embedded import embedded_text
from b100tui.sources.header import Header, parse_header
from b100tui.sources.paths import on_disk, split_path
from b100tui.sources.texts import TEXT_LIMIT, decode_text, read_bytes

_SIDECAR = msgspec.json.Decoder(Sidecar)
_PLAIN = msgspec.json.Decoder()

IMAGE_CHANGED = "the image has changed since its sidecar was written"


def read_step(root: Path, run: Run, step: SourceStep) -> Step:
    """Return one step with its size, words and warnings; thread-safe.

    A file that cannot be read never raises: it makes the step `unreadable` (or `missing`
    once it is gone) with the reason. The picture itself is not decoded.
    """
    told: dict[str, Any] = {
        "prompt": _cleaned(step.prompt),
        "editor": step.editor or run.editor or None,
        "model": step.model or run.model or None,
        "parameters": step.parameters,
        "seed": step.seed,
        "sections": step.sections,
        "sha256": step.sha256,
    }
    if step.refused is not None:
        return Step(run=run.run, step=step.step, status="refused", reason=step.refused, **told)
    if step.absent is not None:
        return Step(run=run.run, step=step.step, status="missing", reason=step.absent, **told)
    warnings = ["SIMULATED"] if run.simulated else []
    status: StepStatus = "ok"
    reason: str | None = None
    sidecar: Sidecar | None = None
    if step.sidecar is not None:
        try:
            sidecar = _read_sidecar(root, step.sidecar)
        except (OSError, B100Error, *UNPARSABLE) as error:
            status, reason = "unreadable", f"its sidecar {step.sidecar}: {_words(error)}"
        else:
            told.update(_told(sidecar))
    if step.reasoning is not None and not told["sections"]:
        try:
            told["sections"] = read_reasoning(root, step.reasoning)
        except (OSError, B100Error) as error:
            warnings.append(f"reasoning {step.reasoning}: {_words(error)}")
    header: Header | None = None
    size = step.picture.bytes
    try:
        header, size, texts = _header(root, step)
        if texts:
            _add_embedded(told, texts)
    except FileNotFoundError:
        status, reason = "missing", "the file is gone"
    except PictureError as error:
        status, reason = "unreadable", error.message
    except (OSError, B100Error) as error:
        status, reason = "unreadable", _words(error)
    if sidecar is not None:
        warnings.extend(clean_line(word) for word in sidecar.warnings)
        warnings.extend(_disagreements(run, step, sidecar))
        if size != sidecar.output.bytes or _resized(sidecar, header):
            warnings.append(IMAGE_CHANGED)
            told["sha256"] = None
    return Step(
        run=run.run,
        step=step.step,
        status=status,
        reason=clean_line(reason) if reason else None,
        picture=step.picture,
        width=header.width if header else step.width,
        height=header.height if header else step.height,
        format=header.format if header else None,
        warnings=tuple(dict.fromkeys(warnings)),
        **told,
    )


def read_reasoning(root: Path, path: str) -> tuple[Section, ...]:
    """Return the sections of a reasoning text or of a JSON file that holds one.

    Raises OSError as open does and LayoutError when it is too large.
    """
    text = decode_text(read_bytes(on_disk(root, path), TEXT_LIMIT, path))
    if path.lower().endswith(".json"):
        try:
            return sections_in(_PLAIN.decode(text))
        except UNPARSABLE:
            return split_sections(text)
    return split_sections(text)


def sections_in(value: Any) -> tuple[Section, ...]:
    """Return the sections of a text, a list of thought parts, or of titled objects."""
    if isinstance(value, str):
        return split_sections(value)
    if isinstance(value, dict):
        for key in ("sections", "thoughts", "reasoning", "reasoning_summary", "summary", "text"):
            if value.get(key):
                return sections_in(value[key])
        return ()
    if not isinstance(value, list):
        return ()
    if value and all(isinstance(part, dict) and "title" in part for part in value):
        return tuple(
            Section(clean_line(str(part["title"])), clean(str(part.get("text") or "")))
            for part in value
        )
    return sections_of(value)


def _read_sidecar(root: Path, path: str) -> Sidecar:
    return _SIDECAR.decode(_whole(on_disk(root, path), path))


def _whole(place: str, shown: str) -> bytes:
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(handle, 65536)
        if len(data) < 65536:
            return data
    finally:
        os.close(handle)
    return read_bytes(place, TEXT_LIMIT * 8, shown)


def _told(sidecar: Sidecar) -> dict[str, Any]:
    sections = tuple(
        Section(clean_line(section.title), clean(section.text)) for section in sidecar.sections
    )
    told: dict[str, Any] = {
        "prompt": _cleaned(sidecar.prompt),
        "editor": _line(sidecar.editor),
        "model": _line(sidecar.model_version or sidecar.model),
        "parameters": sidecar.parameters,
        "seed": sidecar.seed,
        "sections": sections or sections_of(sidecar.thoughts),
        "sha256": sidecar.output.sha256,
        "finish_reason": _line(sidecar.finish_reason),
        "finish_message": _cleaned(sidecar.finish_message),
        "cost_usd": sidecar.cost_usd,
        "seconds": sidecar.seconds,
        "started": _line(sidecar.started),
    }
    return {key: value for key, value in told.items() if value not in (None, (), {})}


def _add_embedded(told: dict[str, Any], texts: dict[str, str]) -> None:
    """Add what a generator wrote into its picture, where nothing else told it."""
    from b100tui.sources.generated import picture_says

    for name, value in picture_says(texts).items():
        if told.get(name) in (None, {}, ()):
            told[name] = value


def _header(root: Path, step: SourceStep) -> tuple[Header, int, dict[str, str]]:
    """Return header, size, and the texts inside a plain file that nothing else speaks of."""
    ref = step.picture
    place = on_disk(root, ref.path)
    if ref.member is not None:
        from b100tui.sources.containers import member_header

        return *member_header(place, ref), {}
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        size = os.fstat(handle).st_size
        header = parse_header(lambda count, at: os.pread(handle, count, at), size)
        if step.sidecar is not None or step.prompt or step.parameters:
            return header, size, {}
        texts = embedded_text(lambda count, at: os.pread(handle, count, max(0, at)), size)
        return header, size, texts
    finally:
        os.close(handle)


def _disagreements(run: Run, step: SourceStep, sidecar: Sidecar) -> list[str]:
    """Return where the sidecar contradicts the place it lies in."""
    found: list[str] = []
    if sidecar.step != step.step:
        found.append(f"the sidecar says step {sidecar.step}")
    if sidecar.run != run.run and clean_line(sidecar.run) != run.run:
        found.append(f"the sidecar says run {clean_line(sidecar.run)}")
    if sidecar.output.file != split_path(step.picture.path)[1]:
        found.append(f"the sidecar names {clean_line(sidecar.output.file)}")
    return found


def _resized(sidecar: Sidecar, header: Header | None) -> bool:
    """Return whether the picture has another size than its sidecar says, rotated or not."""
    told = {sidecar.output.width, sidecar.output.height}
    return header is not None and {header.width, header.height} != told


def _cleaned(text: str | None) -> str | None:
    return clean(text) if text is not None else None


def _line(text: str | None) -> str | None:
    return clean_line(text) if text is not None else None


def _words(error: Exception) -> str:
    if isinstance(error, B100Error):
        return error.message
    return getattr(error, "strerror", None) or parse_fault(error)
