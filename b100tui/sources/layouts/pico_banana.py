"""Pico-Banana-400K multi-turn: one session a line, its files by id, its prompts as a list."""

import re
from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.sources.claims import Claimed
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import sketched, url_name
from b100tui.sources.paths import split_name
from b100tui.sources.sessions import Session
from b100tui.sources.tables import BadLine, Line, read_table

_LINES = frozenset({"jsonl", "ndjson"})
_TURN_ID = re.compile(r"edit_turn_?(-?\d{1,9})")
_TURN_NAME = re.compile(r"[ _.-]?turn[ _.-]?(\d{1,9})$", re.I)
_PROMPTS = ("metadata_edit_turn_prompts", "edit_turn_prompts", "prompts")
_ORIGINAL = ("original_input_image", "original_input_image_file")


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take every JSONL whose lines hold `files` and turn prompts.

    The last turn is called final_image: its number stands in its url. The order of `files` is
    not promised. The original is a url, which is not fetched; a local copy of its name is used.
    """
    claimed = Claimed()
    for path in sketched(listing, _LINES, "files", _PROMPTS[0]):
        if path in taken:
            continue
        runs: list[SourceRun] = []
        problems: list[str] = []
        try:
            for line in read_table(listing, path):
                if isinstance(line, BadLine):
                    claimed.unreadable.append(LeftOut(path, f"line {line.number}: {line.reason}"))
                    continue
                session = Session(listing, path, f"line {line.number}", search="name")
                source = _session(session, line)
                problems += session.problems
                if source is not None:
                    runs.append(source)
                else:
                    problems.append(f"line {line.number}: files: no picture of it is here")
        except B100Error as error:
            claimed.unreadable.append(LeftOut(path, error.message))
        claimed.used.add(path)
        claimed.take(path, "each line names its files and the prompts of its turns", runs)
        claimed.note(path, problems)
    return claimed


def _session(session: Session, line: Line) -> SourceRun | None:
    prompts: Any = next((line.cells[key] for key in _PROMPTS if key in line.cells), [])
    if not isinstance(prompts, list):
        session.wrong(_PROMPTS[0], "is no list")
        prompts = []
    files = line.cells.get("files")
    if not isinstance(files, list):
        session.wrong("files", "is no list")
        return None
    original = next((line.cells[key] for key in _ORIGINAL if line.cells.get(key)), None)
    name, turns = "", 0
    for index, entry in enumerate(files):
        field = f"files[{index}]"
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            session.wrong(field, "has no id")
            continue
        url = entry.get("url") or entry.get("file") or entry.get("path")
        if entry["id"] in _ORIGINAL:
            original = original or url
            continue
        step = _number(session, f"{field}.id", entry["id"], url, len(prompts))
        if step is None:
            continue
        turns += 1
        stem = split_name(url_name(url))[0] if isinstance(url, str) else ""
        name = name or _TURN_NAME.sub("", stem)
        session.picture(step, f"{field}.url", url, prompt=_prompt(session, prompts, step))
    if original is not None:
        session.picture(0, "original_input_image", original)
    if turns != len(prompts):
        session.wrong(_PROMPTS[0], f"{len(prompts)} prompts for {turns} turns")
    image = split_name(url_name(original))[0] if isinstance(original, str) else ""
    return session.run(name or f"session-{line.number}", image=image)


def _number(session: Session, field: str, known: str, url: Any, prompts: int) -> int | None:
    """Return the turn of a file by its id; final_image by its url, else the last turn."""
    if known == "final_image":
        stem = split_name(url_name(url))[0] if isinstance(url, str) else ""
        told = _TURN_NAME.search(stem)
        return int(told[1]) if told else prompts
    found = _TURN_ID.fullmatch(known)
    if not found:
        session.wrong(field, f"{known!r} is no known id")
        return None
    if int(found[1]) < 1:
        session.wrong(field, f"{known!r} is no turn: turns begin with 1")
        return None
    return session.number(field, found[1])


def _prompt(session: Session, prompts: list[Any], step: int) -> str | None:
    if step > len(prompts):
        return None
    return session.words(f"{_PROMPTS[0]}[{step - 1}]", prompts[step - 1])


LAYOUT = Layout(
    name="pico-banana",
    sign="a JSONL whose lines hold files and metadata_edit_turn_prompts",
    claim=claim,
)
