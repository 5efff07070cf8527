"""WebDataset: pictures with their JSON and text inside tar archives, read in place."""

import re
from collections import defaultdict
from typing import Any

import msgspec

from b100tui.model.errors import UNPARSABLE, B100Error
from b100tui.model.records import PictureRef
from b100tui.model.scan import Duplicate, LeftOut, SourceRun, SourceStep
from b100tui.model.text import clean
from b100tui.sources.assemble import is_picture, shown
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import columns_of, told, whole
from b100tui.sources.guess import claim_guess
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, natural, on_disk, split_name, split_path
from b100tui.sources.records import RowStep, runs_of, who_says
from b100tui.sources.tars import SPLIT, contents, read_member
from b100tui.sources.texts import TEXT_LIMIT, decode_text

_SHARD = re.compile(r"(?P<set>.*?)[_.-]?(?:\d+|\{\d+\.\.\d+\})")
_ARCHIVE = re.compile(r"\.(?:tar(?:\.|$)|tgz$)", re.I)
_PACKED = (".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst")
_WORDS = frozenset({"txt", "caption", "prompt", "text"})

Member = tuple[str, str]  # archive, name


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the tar archives; those of one set (pets-000000.tar, pets-000001.tar) are read as one.

    A sample's key ends at the first dot of its name, which is too soon for names such as
    eiffel.png_step_0.png: steps are told by whole names, and by a step in the sample's JSON.
    """
    claimed = Claimed()
    sets: dict[str, list[str]] = defaultdict(list)
    archives = [path for path in listing.stamps if _ARCHIVE.search(path) and path not in taken]
    for path in sorted(archives, key=natural):
        if path.lower().endswith(_PACKED):
            claimed.unread(path, "a compressed tar is not read in place: unpack it")
        elif path.lower().endswith(".tar") or SPLIT.fullmatch(path):
            stem = re.split(r"\.tar", path, maxsplit=1, flags=re.I)[0]
            shard = _SHARD.fullmatch(stem)
            sets[shard["set"] if shard and shard["set"] else stem].append(path)
        elif re.search(r"\.tar(?:\.split)?\.\d+$", path):
            claimed.used.add(path)  # a later part is read with the first one
    for name, paths in sets.items():
        _take(listing, name, paths, claimed)
    return claimed


def _take(listing: Listing, name: str, paths: list[str], claimed: Claimed) -> None:
    members: dict[str, Member] = {}
    for path in paths:
        listing.breathe()
        claimed.used.add(path)
        try:
            for member in contents(on_disk(listing.root, path), path):
                parts = member.split("/")
                if ".." in parts:
                    reason = "its name leads out of the archive"
                    claimed.unused.append(LeftOut(shown(path, member), reason))
                elif not any(part.startswith(".") for part in parts):
                    members.setdefault(join(name, member.strip("/")), (path, member))
        except B100Error as error:
            claimed.unread(path, error.message)
    words = _Words(listing, members)
    rows, rest = _by_json(listing, name, members, words)
    runs = runs_of(listing, rows)
    inner = Listing(root=listing.root, cancelled=listing.cancelled)
    for virtual in rest:
        folder, last = split_path(virtual)
        inner.folders.setdefault(folder, []).append(last)
        inner.stamps[virtual] = (0, 0)
    guessed = claim_guess(inner, set())
    runs += [_placed(listing, source, members, words) for source in guessed.runs]
    claimed.unused += [LeftOut(shown(*members[left.path]), left.reason) for left in guessed.unused]
    if runs:
        claimed.take(paths[0], "a tar archive read in place, steps by the names inside", runs)
    elif not guessed.unused:
        claimed.unused += [LeftOut(path, "no picture inside") for path in paths]


class _Words:
    """What JSON and text members say, by stem and, where that is one picture's, by key."""

    def __init__(self, listing: Listing, members: dict[str, Member]) -> None:
        self.listing, self.members = listing, members
        self.stems: dict[str, list[str]] = defaultdict(list)
        self.keys: dict[str, list[str]] = defaultdict(list)
        self.pictures: dict[str, int] = defaultdict(int)
        for virtual in members:
            if is_picture(virtual):
                self.pictures[_key(virtual)] += 1
            elif split_name(virtual)[1] in (*_WORDS, "json"):
                self.stems[split_name(virtual)[0]].append(virtual)
                self.keys[_key(virtual)].append(virtual)

    def cells(self, virtual: str) -> dict[str, Any]:
        """Return the JSON object that speaks of a picture; {} for none or a broken one."""
        found: dict[str, Any] = {}
        for other in self._about(virtual):
            if other.lower().endswith(".json"):
                try:
                    value = msgspec.json.decode(self._read(other))
                except (B100Error, *UNPARSABLE):
                    continue  # a broken record costs its words only
                found |= value if isinstance(value, dict) else {}
        return found

    def said(self, virtual: str) -> dict[str, Any]:
        """Return prompt, parameters and scores told of a picture."""
        fields = told(self.cells(virtual))
        for other in self._about(virtual):
            if not other.lower().endswith(".json"):
                try:
                    fields.setdefault("prompt", clean(decode_text(self._read(other))).strip())
                except B100Error:
                    continue
        return fields

    def _about(self, virtual: str) -> list[str]:
        stem, key = split_name(virtual)[0], _key(virtual)
        if stem in self.stems:
            return self.stems[stem]
        return self.keys.get(key, []) if self.pictures[key] == 1 else []

    def _read(self, virtual: str) -> bytes:
        path, member = self.members[virtual]
        return read_member(on_disk(self.listing.root, path), PictureRef(path, member))[:TEXT_LIMIT]


def _key(virtual: str) -> str:
    folder, last = split_path(virtual)
    return join(folder, last.partition(".")[0])


def _by_json(
    listing: Listing, name: str, members: dict[str, Member], words: _Words
) -> tuple[list[RowStep], list[str]]:
    """Return the samples whose JSON tells a step, and the pictures that are left."""
    rows: list[RowStep] = []
    rest: list[str] = []
    for number, virtual in enumerate(sorted(filter(is_picture, members), key=natural)):
        if number % 1024 == 0:
            listing.breathe()
        cells = words.cells(virtual)
        column = columns_of(cells).step if cells else None
        step = whole(cells[column]) if column else None
        if step is None or step < 0:
            rest.append(virtual)
            continue
        path, member = members[virtual]
        rows.append(
            RowStep(
                group=split_path(virtual)[0],
                who=who_says(cells, ()),
                step=step,
                path=path,
                member=member,
                said=words.said(virtual),
            )
        )
    return rows, rest


def _placed(
    listing: Listing, source: SourceRun, members: dict[str, Member], words: _Words
) -> SourceRun:
    """Return a run guessed from names inside with its pictures at their archives."""
    steps: list[SourceStep] = []
    for step in source.steps:
        path, member = members[step.picture.path]
        size, mtime = listing.stamps[path]
        ref = PictureRef(path, member, size, mtime)
        steps.append(SourceStep(step=step.step, picture=ref, **words.said(step.picture.path)))
    duplicates = tuple(
        Duplicate(
            one.step, shown(*members[one.chosen]), tuple(shown(*members[o]) for o in one.others)
        )
        for one in source.duplicates
    )
    return msgspec.structs.replace(source, steps=tuple(steps), duplicates=duplicates)


LAYOUT = Layout(
    name="webdataset",
    sign="tar archives with pictures inside",
    claim=claim,
)
