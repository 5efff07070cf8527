"""ComfyUI output folders: prefix_00001_.png, with the executed graph inside each picture."""

import re
from collections import defaultdict
from typing import Any

from msgspec import Struct, field

from b100tui.model.records import Run
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.sources.assemble import Candidate, assemble, is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.comfy_graph import graph_of_workflow, graph_says, loaded
from b100tui.sources.generated import json_object
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.opening import texts_of
from b100tui.sources.paths import join, natural, readable, split_name, split_path

_NAME = re.compile(r"(?P<prefix>.+?)_(?P<number>\d{5,})_?\.(?:png|webp|jpe?g)", re.I)
LEAST = 3
_MANY = 1000  # pictures of one name, more of which tell nothing


class _Picture(Struct, kw_only=True):
    """One output: its counter, what its graph says, and the files that the graph loads."""

    path: str
    folder: str
    prefix: str
    number: int
    said: dict[str, Any] = field(default_factory=dict)
    loads: list[str] = field(default_factory=list)
    told: bool = False  # it holds a graph


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the outputs whose names count, where at least one holds a graph.

    An output whose graph loads another output is the step after it, whatever their prefixes.
    Outputs that load nothing here are runs by prefix and counter; those that all load one and
    the same other picture are variants of it, not a loop.
    """
    claimed = Claimed()
    pictures = _pictures(listing, taken)
    if not any(picture.told for picture in pictures.values()):
        return claimed
    parents = _parents(listing, pictures)
    chained: set[str] = set()
    runs: list[SourceRun] = []
    for chain in _chains(pictures, parents):
        runs.append(_chain_run(listing, pictures, chain))
        chained.update(chain)
    if runs:
        claimed.take("", "each graph loads the picture that the step before saved", runs)
    counted: list[SourceRun] = []
    by_prefix: dict[tuple[str, str], list[_Picture]] = defaultdict(list)
    for picture in pictures.values():
        if picture.path not in chained:
            by_prefix[picture.folder, picture.prefix].append(picture)
    for (folder, prefix), group in by_prefix.items():
        if not any(picture.told for picture in group):
            continue
        inputs = {parents.get(picture.path, "") for picture in group}
        if len(inputs) == 1 and not inputs & {"", *pictures}:
            reason = f"variants made from one picture, {readable(inputs.pop())}, not a loop"
        elif len(group) < LEAST:
            reason = "fewer than three outputs in its chain and with its prefix"
        else:
            counted.append(_counted_run(listing, folder, prefix, group))
            continue
        claimed.unused += [LeftOut(picture.path, reason) for picture in group]
        claimed.used.update(picture.path for picture in group)
    if counted:
        claimed.take("", "no graph loads another output: by prefix and counter", counted)
    return claimed


def _pictures(listing: Listing, taken: set[str]) -> dict[str, _Picture]:
    found: dict[str, _Picture] = {}
    for folder in listing.in_order():
        matches = [match for name in listing.folders[folder] if (match := _NAME.fullmatch(name))]
        for match in sorted(matches, key=lambda match: natural(match[0])):
            path = join(folder, match[0])
            if path in taken:
                continue
            if len(found) % 1024 == 0:
                listing.breathe()
            picture = _Picture(
                path=path, folder=folder, prefix=match["prefix"], number=int(match["number"])
            )
            texts = texts_of(listing.root, path)
            graph = _graph(texts.get("prompt", "")) or graph_of_workflow(
                _graph(texts.get("workflow", ""), "nodes")
            )
            if graph:
                picture.told = True
                picture.said = graph_says(graph)
                picture.loads = loaded(graph)
            found[path] = picture
    return found


def _graph(text: str, key: str = "") -> dict[str, Any]:
    """Return a graph written as JSON (one with `key`, else one of nodes by id), {} for none."""
    value = json_object(text)
    if value is None:
        return {}
    nodes = any(isinstance(node, dict) and "class_type" in node for node in value.values())
    return value if (key in value if key else nodes) else {}


def _parents(listing: Listing, pictures: dict[str, _Picture]) -> dict[str, str]:
    """Return, by output, the one listed picture that its graph loads and that is not itself."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in listing.stamps:
        if is_picture(path):
            by_name[split_path(path)[1]].append(path)
    parents: dict[str, str] = {}
    for picture in pictures.values():
        found: list[str] = []
        for name in picture.loads:
            last = split_path(name.replace("\\", "/"))[1]
            beside = join(picture.folder, last)
            if beside in pictures:
                places = [beside]
            else:
                # An output copied into the input folder is the output itself.
                named = by_name.get(last, [])[:_MANY]
                places = [place for place in named if place in pictures] or named
            if len(places) == 1 and places[0] != picture.path:
                found.append(places[0])
        outputs = [path for path in found if path in pictures]
        if found:
            parents[picture.path] = (outputs or found)[0]
    return parents


def _chains(pictures: dict[str, _Picture], parents: dict[str, str]) -> list[list[str]]:
    """Return the paths from a first picture to each last one with LEAST pictures or more."""
    has_child = set(parents.values())
    chains: list[list[str]] = []
    for leaf in pictures:
        if leaf in has_child:
            continue
        chain, seen = [leaf], {leaf}
        while (parent := parents.get(chain[-1], "")) and parent not in seen:
            chain.append(parent)
            seen.add(parent)
        if len(chain) >= LEAST:
            chains.append(chain[::-1])
    return chains


def _chain_run(listing: Listing, pictures: dict[str, _Picture], chain: list[str]) -> SourceRun:
    """Return one chain as a run.

    A first picture that ComfyUI made from nothing is step 0, one made from a picture that is not
    here is step 1.
    """
    absent = pictures[chain[0]].loads if chain[0] in pictures else []
    start = 1 if absent else 0
    candidates = [
        Candidate(step=step, path=path, said=pictures[path].said if path in pictures else {})
        for step, path in enumerate(chain, start)
    ]
    first, last = chain[0], pictures[chain[-1]]
    name = join(last.folder, last.prefix) if last.folder else last.prefix
    image = split_name(split_path(absent[0] if absent else first)[1])[0]
    run = Run(
        run=readable(f"{name}/{split_name(split_path(last.path)[1])[0]}"), image=readable(image)
    )
    return assemble(listing, run, last.folder, candidates)


def _counted_run(listing: Listing, folder: str, prefix: str, group: list[_Picture]) -> SourceRun:
    candidates = [Candidate(step=one.number, path=one.path, said=one.said) for one in group]
    inputs = {name for one in group for name in one.loads}
    image = split_name(split_path(next(iter(inputs)))[1])[0] if len(inputs) == 1 else prefix
    run = Run(run=readable(join(folder, prefix)), image=readable(image))
    return assemble(listing, run, folder, candidates)


LAYOUT = Layout(
    name="comfyui",
    sign="names that end in a five-digit counter, with a ComfyUI graph in the PNG text",
    claim=claim,
)
