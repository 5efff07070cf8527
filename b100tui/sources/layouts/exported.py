"""b100's own exchange form: one JSON line a step, as `b100 export` writes it."""

from collections.abc import Iterable
from typing import Any

import msgspec

from b100tui.model.errors import UNPARSABLE, B100Error
from b100tui.model.records import Section
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.model.text import clean_line
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number, whole
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import sketched
from b100tui.sources.paths import join, readable, split_path
from b100tui.sources.reading import sections_in
from b100tui.sources.sessions import Session
from b100tui.sources.tables import BadLine, read_table

FACTS = ("image", "recipe", "setting", "editor", "editor_kind", "model", "seed_policy", "session")
_LINES = frozenset({"jsonl", "ndjson"})


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take every JSONL whose lines have run, step and path (or archive and member).

    Of an export with an overview in CSV the overview is accounted for: all it says stands in
    the records too.
    """
    claimed = Claimed()
    for path in sketched(listing, _LINES, "run", "step"):
        if path not in taken and _is_index(listing, path):
            _take(listing, path, claimed)
    for path in sketched(listing, frozenset({"json"}), "b100_export"):
        claimed.used.add(path)
        overview = join(split_path(path)[0], "steps.csv")
        if overview in listing.stamps:
            claimed.used.add(overview)
    return claimed


def _is_index(listing: Listing, path: str) -> bool:
    keys = (listing.sketches or {}).get(path, frozenset())
    if {"metric", "value"} <= keys:
        return False  # records of scores: each names the step that it speaks of
    if "path" in keys or {"archive", "member"} <= keys:
        return True
    return "file_name" in keys and "sections" in keys


def _take(listing: Listing, path: str, claimed: Claimed) -> None:
    sessions: dict[str, tuple[Session, dict[str, Any]]] = {}
    problems: list[str] = []
    first = Session(listing, path)
    try:
        for line in read_table(listing, path):
            if isinstance(line, BadLine):
                claimed.unreadable.append(LeftOut(path, f"line {line.number}: {line.reason}"))
                continue
            first.line = f"line {line.number}: "
            name = first.words("run", line.cells.get("run"))
            step = first.number("step", line.cells.get("step"))
            if not name or step is None:
                if name is None and line.cells.get("run") in (None, ""):
                    first.wrong("run", "is missing")
                continue
            if name not in sessions:
                sessions[name] = (Session(listing, path, search="exact"), line.cells)
            session, _ = sessions[name]
            session.line = first.line
            _step(session, step, line.cells)
    except B100Error as error:
        claimed.unreadable.append(LeftOut(path, error.message))
    problems += first.problems
    runs: list[SourceRun] = []
    for name, (session, cells) in sessions.items():
        problems += session.problems
        source = _run(session, name, cells)
        if source is None:
            problems.append(f"run {name}: not one of its pictures is here")
        else:
            runs.append(source)
    if runs or problems:
        claimed.used.add(path)
        claimed.take(path, "one JSON line a step with run, step and path", runs)
        claimed.note(path, problems)


def _step(session: Session, step: int, cells: dict[str, Any]) -> None:
    said = _said(session, cells)
    name = cells.get("archive") or cells.get("path") or cells.get("file_name")
    member = cells.get("member") if cells.get("archive") or cells.get("member") else None
    if name is None and cells.get("status") == "refused":
        session.refused(step, str(cells.get("reason") or "refused"), **said)
    elif name is None:
        session.absent(step, "path", str(cells.get("reason") or "no picture is named"), **said)
    elif member is None:
        session.picture(step, "path", name, **said)
    else:
        session.inside(step, "archive", name, str(member), **said)


def _said(session: Session, cells: dict[str, Any]) -> dict[str, Any]:
    parameters = _object(session, cells, "parameters") or _object(session, cells, "params")
    scores = _object(session, cells, "scores")
    # In an imagefolder null stands for "none" too; beside records they say which failed and why.
    keep = "file_name" not in cells and not session.recorded
    seed = cells.get("seed")
    if seed is not None and whole(seed) is None:
        session.wrong("seed", f"{clean_line(str(seed))[:40]!r} is no whole number")
    width, height = whole(cells.get("width")), whole(cells.get("height"))
    return {
        "prompt": session.words("prompt", cells.get("prompt")),
        "editor": session.words("editor", cells.get("step_editor") or cells.get("editor")),
        "model": session.words("model", cells.get("step_model") or cells.get("model")),
        "parameters": parameters,
        "seed": whole(seed),
        "sections": tuple(_sections(session, cells)),
        "scores": {
            metric_id(name): value
            for name, cell in scores.items()
            if (value := number(cell)) is not None or keep
        },
        "sha256": cells["sha256"] if isinstance(cells.get("sha256"), str) else None,
        "width": width if width and width > 0 else None,
        "height": height if height and height > 0 else None,
    }


def _object(session: Session, cells: dict[str, Any], field: str) -> dict[str, Any]:
    """Return an object, also one written as JSON text; another type is noted."""
    value = cells.get(field)
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = msgspec.json.decode(value)
        except UNPARSABLE:
            session.wrong(field, "is no JSON object")
            return {}
    if value is None or isinstance(value, dict):
        return value or {}
    session.wrong(field, f"is no object but {type(value).__name__}")
    return {}


def _sections(session: Session, cells: dict[str, Any]) -> Iterable[Section]:
    value = cells.get("sections") or cells.get("reasoning")
    if value is None or isinstance(value, str | list):
        return sections_in(value) if value else ()
    session.wrong("sections", f"is no list but {type(value).__name__}")
    return ()


def _run(session: Session, name: str, cells: dict[str, Any]) -> SourceRun | None:
    facts = {key: clean_line(cells[key]) for key in FACTS if isinstance(cells.get(key), str)}
    image = facts.pop("image", "") or cells.get("initial_image") or name
    repeat, planned = whole(cells.get("repeat")), whole(cells.get("steps_planned"))
    labels = _object(session, cells, "labels")
    parent, remedy, stopped = (
        clean_line(cells[key]) if isinstance(cells.get(key), str) else None
        for key in ("parent", "remedy", "stopped")
    )
    return session.run(
        name,
        image=str(image),
        **facts,
        repeat=repeat if repeat is not None and 0 <= repeat < 2**31 else 0,
        steps_planned=planned,
        labels={readable(str(key)): readable(str(cell)) for key, cell in labels.items()},
        parameters=_object(session, cells, "run_parameters"),
        parent=parent,
        remedy=remedy,
        stopped=stopped,
        simulated=cells.get("simulated") is True,
    )


LAYOUT = Layout(
    name="b100-jsonl",
    sign="a JSONL whose lines have run, step and path",
    claim=claim,
)
