"""Trackio media folders: media/<project>/<run>/<step>/<uuid>.png, captions in <project>.db."""

import os
import re
import sqlite3
from collections import defaultdict
from contextlib import closing
from typing import Any
from urllib.parse import quote

import msgspec

from b100tui.model.errors import UNPARSABLE, parse_fault
from b100tui.model.records import Run
from b100tui.model.scan import LeftOut
from b100tui.model.text import clean, clean_line
from b100tui.sources.assemble import Candidate, assemble, is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, on_disk, readable

_PATH = re.compile(
    r"(?P<top>(?:.*/)?)media/(?P<project>[^/]+)/(?P<run>[^/]+)/(?P<step>\d{1,9})"
    r"/[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\.[a-z]+",
    re.I,
)


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the media of Trackio projects; captions and numbers come from the project's database.

    The database is opened read-only and unlocked, so that nothing is written beside it.
    """
    claimed = Claimed()
    runs: dict[tuple[str, str, str], list[Candidate]] = defaultdict(list)
    for folder in listing.in_order():
        for name in listing.folders[folder]:
            path = join(folder, name)
            found = _PATH.fullmatch(path) if is_picture(name) and path not in taken else None
            if found:
                key = (found["top"], found["project"], found["run"])
                runs[key].append(Candidate(step=int(found["step"]), path=path))
    said: dict[str, dict[str, dict[str, Any]]] = {}
    for (top, project, run), candidates in runs.items():
        database = f"{top}{project}.db"
        if database in listing.stamps and database not in said:
            said[database] = _database(listing, database, claimed)
        told = said.get(database, {})
        for candidate in candidates:
            short = candidate.path.removeprefix(f"{top}media/")
            candidate.said.update(told.get(short, {}) or told.get(f"media/{short}", {}))
        source = assemble(
            listing,
            Run(
                run=readable(f"{project}/{run}"),
                image=readable(run),
                setting=readable(project),
                labels={"tracker": "trackio"},
            ),
            f"{top}media/{project}/{run}",
            candidates,
        )
        claimed.used.update(candidate.path for candidate in candidates)
        claimed.take(
            f"{top}media/{project}", "media of a Trackio project: one folder a step", [source]
        )
    return claimed


def _database(listing: Listing, path: str, claimed: Claimed) -> dict[str, dict[str, Any]]:
    """Return caption and numbers by media path, out of every row that holds a picture.

    A row that cannot be read costs its words only.
    """
    claimed.used.add(path)
    found: dict[str, dict[str, Any]] = {}
    bad: list[str] = []
    place = f"file:{quote(os.fsencode(on_disk(listing.root, path)))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(place, uri=True)) as database:
            for (text,) in database.execute("SELECT metrics FROM metrics"):
                try:
                    _row(text, found)
                except UNPARSABLE as error:
                    bad.append(parse_fault(error))
    except sqlite3.Error as error:
        claimed.unreadable.append(LeftOut(path, clean_line(f"no Trackio database: {error}")))
    if bad:
        words = f"{len(bad)} rows of its metrics cannot be read; the first: {bad[0]}"
        claimed.unreadable.append(LeftOut(path, words))
    return found


def _row(text: Any, found: dict[str, dict[str, Any]]) -> None:
    row = msgspec.json.decode(text) if isinstance(text, str | bytes) else None
    if not isinstance(row, dict):
        return
    scores = {
        metric_id(name): value
        for name, cell in row.items()
        if not isinstance(cell, dict) and (value := number(cell)) is not None
    }
    for cell in row.values():
        if isinstance(cell, dict) and isinstance(cell.get("file_path"), str):
            caption = cell.get("caption")
            fields: dict[str, Any] = {"scores": scores} if scores else {}
            if isinstance(caption, str) and caption:
                fields["prompt"] = clean(caption)
            found[cell["file_path"].replace("\\", "/")] = fields


LAYOUT = Layout(
    name="trackio",
    sign="media/<project>/<run>/<step>/<uuid>.png",
    claim=claim,
)
