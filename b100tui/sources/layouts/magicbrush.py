"""MagicBrush, unzipped: edit_sessions.json holds, by image id, the list of its turns."""

from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.sources.claims import Claimed
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import load_json, sketched
from b100tui.sources.paths import join, readable
from b100tui.sources.sessions import Session


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take every edit_sessions.json: turn n's input is turn n-1's output, masks are no steps."""
    claimed = Claimed()
    for path in sketched(listing, frozenset({"json"}), "input", "output", "instruction"):
        if path in taken:
            continue
        try:
            told = load_json(listing, path)
        except B100Error as error:
            claimed.unreadable.append(LeftOut(path, error.message))
            continue
        if not isinstance(told, dict) or not all(isinstance(one, list) for one in told.values()):
            continue
        runs: list[SourceRun] = []
        problems: list[str] = []
        for name, turns in told.items():
            session = Session(listing, path, readable(name))
            source, masks = _session(session, name, turns)
            problems += session.problems
            if source is not None:
                runs.append(source)
                claimed.used.update(masks)
                claimed.unused += [LeftOut(mask, "a mask, not a step") for mask in masks]
            else:
                problems.append(f"{name}: no picture of it is here")
        claimed.used.add(path)
        claimed.take(path, "each image id lists its turns of input, output, instruction", runs)
        claimed.note(path, problems)
    return claimed


def _session(session: Session, name: str, turns: list[Any]) -> tuple[SourceRun | None, list[str]]:
    masks: list[str] = []
    for index, turn in enumerate(turns):
        field = f"[{index}]"
        if not isinstance(turn, dict):
            session.wrong(field, "is no turn")
            continue
        before = turn.get("input")
        place = _placed(session, name, before)
        if index == 0:
            session.picture(0, f"{field}.input", place)
        elif place not in (None, _placed(session, name, _output(turns[index - 1]))):
            session.wrong(f"{field}.input", f"{before} is not the output of the turn before")
        session.picture(
            index + 1,
            f"{field}.output",
            _placed(session, name, turn.get("output")),
            prompt=session.words(f"{field}.instruction", turn.get("instruction")),
        )
        mask = join(session.folder, str(_placed(session, name, turn.get("mask"))))
        if mask in session.listing.stamps:
            masks.append(mask)
    return session.run(name, folder=join(session.folder, f"images/{name}")), masks


def _output(turn: Any) -> Any:
    return turn.get("output") if isinstance(turn, dict) else None


def _placed(session: Session, name: str, file: Any) -> Any:
    """Return the file under images/<id>/, where the release keeps it, if it is there."""
    for start in ("images/", ""):
        path = f"{start}{name}/{file}"
        if join(session.folder, path) in session.listing.stamps:
            return path
    return file


LAYOUT = Layout(
    name="magicbrush",
    sign="a JSON of image ids, each with a list of input, output, instruction",
    claim=claim,
)
