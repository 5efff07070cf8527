"""The last place in each folder of runs, kept in the user's state folder."""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from b100tui.model.errors import StoreError
from b100tui.workspace.places import make_private, state_dir

FILE_NAME = "positions.json"
MOST = 200


class Place(NamedTuple):
    """A run, a step and the reference step."""

    run: str
    step: int
    reference: int


def recall(root: Path) -> Place | None:
    """Return where the person last was in `root`; None when nothing readable is kept."""
    entry = _read().get(str(root))
    if not isinstance(entry, dict):
        return None
    try:
        return Place(str(entry["run"]), int(entry["step"]), int(entry["reference"]))
    except (TypeError, KeyError, ValueError):
        return None


def remember(root: Path, place: Place) -> str:
    """Keep `place` for `root`; return an empty string, or in words why that failed."""
    from b100tui.workspace.atomic import write_atomic

    places = _read()
    places.pop(str(root), None)
    places[str(root)] = place._asdict()
    kept = dict(list(places.items())[-MOST:])
    try:
        folder = make_private(state_dir())
        write_atomic(
            folder / FILE_NAME, msgspec.json.format(msgspec.json.encode(kept)), durable=False
        )
    except StoreError as error:
        return f"{error.message} ({error.hint})"
    return ""


def _read() -> dict[str, Any]:
    try:
        found = msgspec.json.decode((state_dir() / FILE_NAME).read_bytes())
    except (OSError, msgspec.DecodeError):
        return {}
    return found if isinstance(found, dict) else {}
