"""ImgEdit multi-turn: Parquet rows whose `data` lists turns, with paths into split archives."""

from typing import Any

from b100tui.model.errors import B100Error, PictureError
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import load_json, resolved, sketched
from b100tui.sources.paths import join, natural, on_disk, split_name, split_path
from b100tui.sources.sessions import Session
from b100tui.sources.shards import quoted, rows
from b100tui.sources.tars import SPLIT, contents

_BATCH = 2000  # rows of a table held at a time
_SCORES = "all_dataset_gpt_score.json"


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the tables of turns, their pictures from plain files or archives, and the benchmark.

    The first input is step 0, the result of turn n step n. Archives in parts are read as one.
    """
    claimed = Claimed()
    archives: _Archives | None = None
    for folder in listing.in_order():
        tables = [n for n in listing.folders[folder] if split_name(n)[1] == "parquet"]
        for name in sorted(tables, key=natural):
            path = join(folder, name)
            if path not in taken and _is_turns(listing, path):
                archives = archives or _Archives(listing, claimed)
                try:
                    _table(listing, path, archives, claimed)
                except PictureError as error:
                    claimed.unread(path, error.message)
    _benchmarks(listing, taken, claimed)
    return claimed


class _Archives:
    """Pictures by their names inside the archives of the folder, and the scores of results."""

    def __init__(self, listing: Listing, claimed: Claimed) -> None:
        self.members: dict[str, tuple[str, str]] = {}
        self.ends: dict[str, tuple[str, str] | None] = {}
        self.scores: dict[str, float | None] = {}
        ends = (".tar", ".json")
        wanted = [p for p in listing.stamps if p.lower().endswith(ends) or ".tar." in p.lower()]
        for path in sorted(wanted, key=natural):
            if path.lower().endswith(".tar") or SPLIT.fullmatch(path):
                claimed.used.add(path)
                try:
                    names = contents(on_disk(listing.root, path), path)
                except B100Error as error:
                    claimed.unreadable.append(LeftOut(path, error.message))
                    continue
                for member in names:
                    self.members[member] = (path, member)
                    last = split_path(member)[1]
                    self.ends[last] = None if last in self.ends else (path, member)
            elif _is_part(path):
                claimed.used.add(path)
            elif split_path(path)[1] == _SCORES:
                self._read_scores(listing, path, claimed)

    def find(self, name: str) -> tuple[str, str] | None:
        """Return (archive, member) of a picture by the longest part of its path, or None."""
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        for start in range(len(parts)):
            found = self.members.get("/".join(parts[start:]))
            if found:
                return found
        return self.ends.get(parts[-1]) if parts else None

    def _read_scores(self, listing: Listing, path: str, claimed: Claimed) -> None:
        claimed.used.add(path)
        try:
            told = load_json(listing, path)
        except B100Error as error:
            claimed.unreadable.append(LeftOut(path, error.message))
            return
        for name, value in told.items() if isinstance(told, dict) else ():
            self.scores[name] = self.scores[split_path(name)[1]] = number(value)


def _is_part(path: str) -> bool:
    stem, extension = split_name(path)
    return extension.isdecimal() and (stem.endswith((".tar", ".tar.split")))


def _is_turns(listing: Listing, path: str) -> bool:
    try:
        found = rows("DESCRIBE SELECT * FROM read_parquet(?)", [on_disk(listing.root, path)], path)
    except B100Error:
        return False  # the next layout that wants it names the reason
    return any(
        name == "data" and "output_images" in kind and kind.endswith("[]")
        for name, kind, *_ in found
    )


def _table(listing: Listing, path: str, archives: _Archives, claimed: Claimed) -> None:
    place = on_disk(listing.root, path)
    runs: list[SourceRun] = []
    problems: list[str] = []
    start = 0
    while True:
        listing.breathe()
        batch = rows(
            f"SELECT file_row_number, {quoted('data')} FROM read_parquet(?, file_row_number = true)"
            " WHERE file_row_number >= ? ORDER BY file_row_number LIMIT ?",
            [place, start, _BATCH],
            path,
        )
        for number_of_row, turns in batch:
            session = Session(listing, path, f"row {number_of_row}")
            source = _row(session, turns, archives, int(number_of_row))
            problems += session.problems
            if source is not None:
                runs.append(source)
            else:
                problems.append(f"row {number_of_row}: data: no picture of it is here")
        if len(batch) < _BATCH:
            break
        start = int(batch[-1][0]) + 1
    claimed.used.add(path)
    claimed.take(path, "each row lists its turns with input and output pictures", runs)
    claimed.note(path, problems)


def _row(session: Session, turns: Any, archives: _Archives, row: int) -> SourceRun | None:
    name = ""
    for index, turn in enumerate(turns or ()):
        field = f"data[{index}]"
        if not isinstance(turn, dict):
            session.wrong(field, "is no turn")
            continue
        inputs, outputs = turn.get("input_images"), turn.get("output_images")
        if index == 0 and isinstance(inputs, list) and inputs:
            _picture(session, archives, 0, f"{field}.input_images", inputs[-1])
        result = outputs[-1] if isinstance(outputs, list) and outputs else None
        said: dict[str, Any] = {"prompt": session.words(f"{field}.prompt", turn.get("prompt"))}
        if isinstance(result, str):
            name = name or split_path(split_path(result)[0])[1]
            key = next((k for k in (result, split_path(result)[1]) if k in archives.scores), None)
            if key is not None:
                said["scores"] = {metric_id("gpt_score"): archives.scores[key]}
        _picture(session, archives, index + 1, f"{field}.output_images", result, **said)
    stem = split_name(split_path(session.folder)[1])[0]
    return session.run(name or f"{stem or 'session'}-{row}")


def _picture(
    session: Session, archives: _Archives, step: int, field: str, name: Any, **said: Any
) -> None:
    if isinstance(name, str):
        direct = resolved(session.folder, name)
        found = archives.find(name) if direct not in session.listing.stamps else None
        if found:
            session.member(step, field, *found, **said)
            return
    session.picture(step, field, name, **said)


def _benchmarks(listing: Listing, taken: set[str], claimed: Claimed) -> None:
    """Take the multi-turn benchmark: pictures with prompts for turns that nobody has made yet."""
    for path in sketched(listing, frozenset({"json"}), "id", "turn1", "turn2"):
        if path in taken:
            continue
        try:
            told = load_json(listing, path)
        except B100Error as error:
            claimed.unreadable.append(LeftOut(path, error.message))
            continue
        runs: list[SourceRun] = []
        problems: list[str] = []
        for name, item in told.items() if isinstance(told, dict) else ():
            session = Session(listing, path, name)
            if not isinstance(item, dict):
                session.wrong("item", "is no object")
            else:
                session.picture(0, "id", item.get("id"))
                turns = sorted((key for key in item if key.startswith("turn")), key=natural)
                for key in turns:
                    step = session.number(key, key.removeprefix("turn"))
                    if step:
                        session.absent(
                            step,
                            key,
                            "asked for, not made yet",
                            prompt=session.words(key, item[key]),
                        )
            problems += session.problems
            source = session.run(name)
            if source is not None:
                runs.append(source)
            else:
                problems.append(
                    f"{name}: id: {item.get('id') if isinstance(item, dict) else ''} is not here"
                )
        claimed.used.add(path)
        claimed.take(path, "each item names a picture and the prompts of its turns", runs)
        claimed.note(path, problems)


LAYOUT = Layout(
    name="imgedit",
    sign="Parquet rows with data: [{input_images, output_images, prompt}], or turn1, turn2 in JSON",
    claim=claim,
)
