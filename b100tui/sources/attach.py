"""Words and scores joined to the steps: tables and text files that lie beside the runs."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from b100tui.model.errors import UNPARSABLE, B100Error, parse_fault
from b100tui.model.scan import LeftOut, SourceRun, SourceStep
from b100tui.model.text import clean
from b100tui.sources.assemble import is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import Columns, columns_of, identity, long_score, told, whole
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import resolved
from b100tui.sources.paths import join, natural, on_disk, split_name, split_path
from b100tui.sources.tables import TABLES, BadLine, Line, read_table
from b100tui.sources.texts import TEXT_LIMIT, decode_text, read_bytes

_TEXTS = frozenset({"txt", "md", "json"})
_PROMPT = re.compile(r"prompt|caption|instruction", re.I)
_KIND = (
    r"(?:reasoning|thoughts?|thinking|summary|prompts?|captions?|instruction|meta|metadata|info)"
)
_TAIL = re.compile(rf"(?P<stem>.+?)(?:[ _.\-]+{_KIND}|@.*)", re.I | re.S)
_HEAD = re.compile(rf"{_KIND}[ _.\-]*(?:step)?[ _.\-]*(?P<number>\d+)", re.I)

# A sidecar of b100 whose run.json was left behind: its numbers are facts, no scores.
_SIDECAR = frozenset({"schema", "run", "step", "output"})

Place = tuple[int, int]  # index of the run, step


class _Steps:
    """The steps of all runs by file and by identity, and what was told of each."""

    def __init__(self, runs: Iterable[SourceRun]) -> None:
        self.runs = list(runs)
        self.by_path: dict[str, Place] = {}
        self.by_folder: dict[str, set[int]] = defaultdict(set)
        self.numbers: list[set[int]] = []
        self.told: dict[Place, dict[str, Any]] = defaultdict(dict)
        for index, source in enumerate(self.runs):
            self.numbers.append({step.step for step in source.steps})
            for step in source.steps:
                if step.picture.member is None:
                    self.by_path[step.picture.path] = (index, step.step)
                    self.by_folder[split_path(step.picture.path)[0]].add(index)

    def tell(self, place: Place, fields: dict[str, Any]) -> None:
        """Add fields to a step; what was told first stays, scores and parameters are joined."""
        have = self.told[place]
        for name, value in fields.items():
            if name in ("scores", "parameters"):
                have[name] = {**value, **have.get(name, {})}
            else:
                have.setdefault(name, value)

    def answering(self, folder: str, who: dict[str, str]) -> list[int]:
        """Return the runs at or below `folder` that agree with everything in `who`."""
        inside = folder + "/" if folder else ""
        return [
            index
            for index, source in enumerate(self.runs)
            if (source.folder + "/").startswith(inside) and _agrees(source, who)
        ]

    def finished(self) -> list[SourceRun]:
        """Return the runs with everything told put into their steps."""
        changed = {index for index, _ in self.told}
        return [
            msgspec.structs.replace(
                source,
                steps=tuple(
                    _with(step, self.told.get((index, step.step))) for step in source.steps
                ),
            )
            if index in changed
            else source
            for index, source in enumerate(self.runs)
        ]


def attach(listing: Listing, runs: list[SourceRun], taken: set[str]) -> Claimed:
    """Return the runs with the prompts, reasoning texts, parameters and scores beside them.

    A text or JSON file joins the picture of the same stem; the rows of a table join by file
    name, else by step and whatever names the run. Rows that join no step, or several runs
    where one is meant, are counted and told, never guessed.
    """
    steps = _Steps(runs)
    claimed = Claimed()
    for folder in listing.in_order():
        names = [name for name in listing.folders[folder] if join(folder, name) not in taken]
        if folder in steps.by_folder:
            _files(listing, folder, names, steps, claimed)
        tables = [name for name in names if split_name(name)[1] in TABLES]
        for name in sorted(tables, key=natural):
            path = join(folder, name)
            if path not in claimed.used:
                try:
                    _table(listing, folder, path, steps, claimed)
                except B100Error as error:
                    claimed.unreadable.append(LeftOut(path, error.message))
    claimed.runs = steps.finished()
    return claimed


def _files(
    listing: Listing, folder: str, names: list[str], steps: _Steps, claimed: Claimed
) -> None:
    texts = [name for name in names if split_name(name)[1] in _TEXTS]
    if not texts:
        return
    stems: dict[str, set[Place]] = defaultdict(set)
    for name in listing.folders[folder]:
        place = steps.by_path.get(join(folder, name))
        if place is not None:
            stems[split_name(name)[0]].add(place)
    owners = steps.by_folder[folder]
    alone = next(iter(owners)) if len(owners) == 1 else None
    for name in texts:
        stem, path = split_name(name)[0], join(folder, name)
        tail, head = _TAIL.fullmatch(stem), _HEAD.fullmatch(stem)
        places = stems.get(stem) or (stems.get(tail["stem"]) if tail else None)
        if (
            not places
            and head
            and alone is not None
            and int(head["number"]) in steps.numbers[alone]
        ):
            places = {(alone, int(head["number"]))}
        if not places:
            continue
        prompt = _PROMPT.search(stem[len(tail["stem"]) :] if tail else stem) or "@" in stem
        try:
            fields = _file_says(listing, path, bool(prompt))
        except (OSError, B100Error) as error:
            claimed.unreadable.append(LeftOut(path, _words(error)))
            continue
        claimed.used.add(path)
        for place in places:
            steps.tell(place, fields)


def _file_says(listing: Listing, path: str, prompt: bool) -> dict[str, Any]:
    """Return what a text or JSON file beside a picture tells; reasoning text is read later."""
    if not prompt and not path.lower().endswith(".json"):
        return {"reasoning": path}
    text = decode_text(read_bytes(on_disk(listing.root, path), TEXT_LIMIT, path))
    if not path.lower().endswith(".json"):
        return {"prompt": clean(text).strip()}
    try:
        value = msgspec.json.decode(text.encode())
    except UNPARSABLE as error:
        raise B100Error(f"no JSON: {parse_fault(error)}") from error
    if not isinstance(value, dict):
        return {"reasoning": path}
    return told(value, scores=not value.keys() >= _SIDECAR)


def _table(listing: Listing, folder: str, path: str, steps: _Steps, claimed: Claimed) -> None:
    joined, lost, first, why = 0, 0, 0, ""
    finder = _Finder(folder, steps)
    for index, line in enumerate(read_table(listing, path)):
        if index % 4096 == 0:
            listing.breathe()
        if isinstance(line, BadLine):
            claimed.unreadable.append(LeftOut(path, f"line {line.number}: {line.reason}"))
            continue
        place = finder.places(line)
        if isinstance(place, str):
            lost += 1
            first, why = (first, why) if first else (line.number, place)
            continue
        joined += 1
        fields = told(line.cells)
        score = long_score(line.cells)
        if score is not None:
            fields["scores"] = dict([score])
        if fields:
            for one in place:
                steps.tell(one, fields)
    if joined:
        claimed.used.add(path)
    if lost:
        rows = f"{lost} of {lost + joined} rows join no step"
        claimed.unused.append(LeftOut(path, f"{rows}; line {first}: {why}"))


class _Finder:
    """Finds the steps that the rows of one table speak of."""

    def __init__(self, folder: str, steps: _Steps) -> None:
        self.folder = folder
        self.steps = steps
        self._answers: dict[tuple[Any, ...], list[int]] = {}

    def places(self, line: Line) -> list[Place] | str:
        """Return the steps a row speaks of, or why there are none."""
        cells = line.cells
        columns = columns_of(cells)
        for column in (columns.file, columns.image):
            name = cells[column] if column else None
            if isinstance(name, str) and is_picture(name):
                for start in (self.folder, ""):
                    path = resolved(start, name)
                    if path in self.steps.by_path:
                        return [self.steps.by_path[path]]
                if column == columns.file:
                    return f"{name} is no step here"
        if columns.step is None:
            return "no column names a step or a file"
        number = whole(cells[columns.step])
        if number is None:
            return f"{columns.step} is no step number"
        numbers = self.steps.numbers
        found = [index for index in self._runs(columns, cells) if number in numbers[index]]
        if not found:
            return f"no run here has this step {number}"
        if len(found) > 1 and columns.long:
            return f"{len(found)} runs answer to it"
        return [(index, number) for index in found]

    def _runs(self, columns: Columns, cells: dict[str, Any]) -> list[int]:
        key = (*columns.who, *(str(cells[column]) for _, column in columns.who))
        if key not in self._answers:
            who = {
                role: value
                for role, value in identity(cells).items()
                if not (role == "image" and is_picture(value))
            }
            self._answers[key] = self.steps.answering(self.folder, who)
        return self._answers[key]


def _agrees(source: SourceRun, who: dict[str, str]) -> bool:
    run = source.run
    folders = source.folder.casefold().split("/")
    for role, value in who.items():
        wanted = value.casefold()
        if role in ("run", "repeat"):
            number = whole(wanted)
            names = {run.run.casefold(), source.folder.casefold(), folders[-1]}
            if wanted not in names and (number is None or number != run.repeat):
                return False
        else:
            mine = {
                "image": run.image,
                "setting": run.setting,
                "editor": run.editor or run.model,
            }[role].casefold()
            recipe = run.recipe.casefold() if role == "setting" else mine
            if (
                wanted not in (mine, recipe)
                and wanted not in folders
                and (role != "editor" or mine)
            ):
                return False
    return True


def _with(step: SourceStep, fields: dict[str, Any] | None) -> SourceStep:
    if not fields:
        return step
    new = {
        name: {**value, **getattr(step, name)} if name in ("scores", "parameters") else value
        for name, value in fields.items()
        if name in ("scores", "parameters") or not getattr(step, name)
    }
    return msgspec.structs.replace(step, **new)


def _words(error: Exception) -> str:
    if isinstance(error, B100Error):
        return error.message
    return getattr(error, "strerror", None) or str(error)
