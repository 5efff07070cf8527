"""MSE-Bench results: a Parquet split a model, turn_<n>_image columns, operations as a list."""

import re
from collections import defaultdict
from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.records import Run
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.model.text import clean
from b100tui.sources.assemble import Candidate, assemble
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import load_json
from b100tui.sources.paths import join, natural, on_disk, readable, split_name
from b100tui.sources.shards import columns, member_of, picture_paths, scalar_rows

_TURN = re.compile(r"turn_(\d{1,3})_image")
_SHARD = re.compile(r"(?P<split>.*?)-\d+-of-\d+.*")
_PROMPTS = ("context", "operation")  # the sentence that was given, else the short form


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the Parquet files with turn_<n>_image columns and an index.

    With as many turn columns as operations, turn 0 is the first output and `image` the initial
    one; with one more, turn 0 is the initial image. Scores come from <model>/<index>.json.
    """
    claimed = Claimed()
    for folder in listing.in_order():
        tables = [n for n in listing.folders[folder] if split_name(n)[1] == "parquet"]
        for name in sorted(tables, key=natural):
            path = join(folder, name)
            if path in taken:
                continue
            try:
                kinds = dict(columns(on_disk(listing.root, path), path))
                turns = {key: int(found[1]) for key in kinds if (found := _TURN.fullmatch(key))}
                if len(turns) > 1 and "index" in kinds:
                    _take(listing, path, kinds, turns, claimed)
            except B100Error as error:
                claimed.unreadable.append(LeftOut(path, error.message))
    return claimed


def _take(
    listing: Listing, path: str, kinds: dict[str, str], turns: dict[str, int], claimed: Claimed
) -> None:
    place = on_disk(listing.root, path)
    stem = split_name(path.rpartition("/")[2])[0]
    shard = _SHARD.fullmatch(stem)
    model = shard["split"] if shard else stem
    plain = [name for name in ("index", "summary", *_PROMPTS) if kinds.get(name) == "plain"]
    cells = {
        row: dict(zip(plain, rest, strict=True)) for row, *rest in scalar_rows(place, path, plain)
    }
    images = [name for name in ("image", *turns) if kinds.get(name) == "image"]
    have: dict[int, set[str]] = defaultdict(set)
    for name in images:
        for row, _ in picture_paths(place, path, name):
            have[row].add(name)
    runs: list[SourceRun] = []
    for row, told in cells.items():
        prompts: list[Any] = next(
            (told[key] for key in _PROMPTS if isinstance(told.get(key), list)), []
        )
        first = (
            1
            if min(turns.values()) == 0 and ("image" in kinds or len(prompts) == len(turns))
            else 0
        )
        candidates: list[Candidate] = []
        scores = _scores(listing, model, told.get("index"), claimed)
        for name in images:
            step = 0 if name == "image" else turns[name] + first
            if name not in have[row]:
                continue
            said: dict[str, Any] = {"scores": scores[step]} if step in scores else {}
            if 0 < step <= len(prompts) and isinstance(prompts[step - 1], str):
                said["prompt"] = clean(prompts[step - 1])
            candidates.append(
                Candidate(step=step, path=path, member=member_of(row, name), said=said)
            )
        if candidates:
            run = Run(
                run=readable(f"{model}/{told.get('index')}"),
                image=readable(str(told.get("index"))),
                setting=readable(model),
                editor=readable(model),
            )
            runs.append(assemble(listing, run, path.rpartition("/")[0], candidates))
    claimed.take(path, "turn_<n>_image columns, one row a session", runs)


def _scores(
    listing: Listing, model: str, index: Any, claimed: Claimed
) -> dict[int, dict[str, float | None]]:
    """Return the numbers in <model>/<index>.json by step: a list of turns, or turns by name."""
    end = f"{model}/{index}.json"
    path = next((p for p in (end, f"scores/{end}", f"results/{end}") if p in listing.stamps), "")
    if not path:
        return {}
    claimed.used.add(path)
    try:
        told = load_json(listing, path)
    except B100Error as error:
        claimed.unreadable.append(LeftOut(path, error.message))
        return {}
    if isinstance(told, dict):
        named = {key: cell for key, cell in told.items() if re.search(r"\d+$", key)}
        turns = [named[key] for key in sorted(named, key=natural)]
    else:
        turns = told if isinstance(told, list) else []
    found: dict[int, dict[str, float | None]] = {}
    for step, turn in enumerate(turns, 1):
        values = turn if isinstance(turn, dict) else {"score": turn}
        numbers = {
            metric_id(name): value
            for name, cell in values.items()
            if (value := number(cell)) is not None
        }
        if numbers:
            found[step] = dict(numbers)
    return found


LAYOUT = Layout(
    name="mse-bench",
    sign="Parquet with an index and turn_<n>_image columns",
    claim=claim,
)
