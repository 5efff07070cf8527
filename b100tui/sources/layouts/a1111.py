"""A1111 and Forge output folders: 00012-<seed>.png by day, with `parameters` in each picture."""

import re
from collections import defaultdict
from typing import Any

from msgspec import Struct, field

from b100tui.model.records import Run
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.sources.assemble import Candidate, assemble, is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.generated import parameters_say
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.opening import texts_of
from b100tui.sources.paths import join, natural, readable, split_name, split_path

_NAME = re.compile(r"(?P<number>\d{5})-(?P<seed>-?\d+)(?:-.*)?\.(?:png|jpe?g|webp)", re.I)
_GRID = re.compile(r"grid-\d{4,}(?:-.*)?\.(?:png|jpe?g|webp)", re.I)
_INIT = re.compile(r"(?P<hash>[0-9a-f]{32})(?:-init-image)?\.(?:png|jpe?g|webp)", re.I)


class _Picture(Struct, kw_only=True):
    """One output: its number in the folder, and what its parameters say."""

    path: str
    number: int
    said: dict[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings."""
        told: dict[str, Any] = self.said.get("parameters", {})
        return told

    @property
    def edits(self) -> bool:
        """Whether it was made from another picture, not from text alone."""
        return "denoise" in self.parameters and "hires_upscale" not in self.parameters


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the numbered outputs made from pictures; numbers with one prompt in a row are a run.

    Step 1 is the first number; the initial image is the one whose hash the parameters name,
    where it was kept. Grids, and pictures made from text alone, are no steps.
    """
    claimed = Claimed()
    origins: dict[str, str] = {}
    runs: list[SourceRun] = []
    for folder in listing.in_order():
        pictures = _pictures(listing, folder, taken)
        if any(picture.said for picture in pictures):
            if not origins:
                origins = _origins(listing)
            runs += _runs(listing, folder, pictures, origins, claimed)
            for name in listing.folders[folder]:
                if _GRID.fullmatch(name) and join(folder, name) not in taken:
                    claimed.used.add(join(folder, name))
                    claimed.unused.append(LeftOut(join(folder, name), "a grid of several pictures"))
    if runs:
        claimed.take("", "`parameters` in each picture, numbers in a row with one prompt", runs)
    return claimed


def _pictures(listing: Listing, folder: str, taken: set[str]) -> list[_Picture]:
    found: list[_Picture] = []
    matches = [match for name in listing.folders[folder] if (match := _NAME.fullmatch(name))]
    for match in sorted(matches, key=lambda match: natural(match[0])):
        path = join(folder, match[0])
        if path not in taken:
            text = texts_of(listing.root, path).get("parameters", "")
            said = parameters_say(text) if text else {}
            said.setdefault("seed", int(match["seed"]))
            if not text:
                said = {}
            found.append(_Picture(path=path, number=int(match["number"]), said=said))
    return found


def _origins(listing: Listing) -> dict[str, str]:
    """Return the kept initial images by the hash in their name."""
    found: dict[str, str] = {}
    for path in listing.stamps:
        match = _INIT.fullmatch(split_path(path)[1]) if is_picture(path) else None
        if match:
            found[match["hash"].lower()] = path
    return found


def _runs(
    listing: Listing,
    folder: str,
    pictures: list[_Picture],
    origins: dict[str, str],
    claimed: Claimed,
) -> list[SourceRun]:
    groups: list[list[_Picture]] = []
    by_number: dict[int, list[_Picture]] = defaultdict(list)
    for picture in pictures:
        by_number[picture.number].append(picture)
    for number in sorted(by_number):
        for picture in by_number[number]:
            if not picture.said or not picture.edits:
                reason = "made from text alone" if picture.said else "no parameters inside"
                claimed.unused.append(LeftOut(picture.path, f"{reason}: not a step of a loop"))
                claimed.used.add(picture.path)
            elif groups and _follows(groups[-1][-1], picture):
                groups[-1].append(picture)
            else:
                groups.append([picture])
    runs: list[SourceRun] = []
    for group in groups:
        claimed.used.update(picture.path for picture in group)
        if len(group) < 2:
            claimed.unused.append(LeftOut(group[0].path, "one picture with its prompt is no run"))
        else:
            runs.append(_run(listing, folder, group, origins))
    return runs


def _follows(before: _Picture, after: _Picture) -> bool:
    """Return whether a picture goes on with a loop; loopback may lengthen the prompt."""
    words, more = before.said.get("prompt", ""), after.said.get("prompt", "")
    close = 0 <= after.number - before.number <= 2  # one may have been deleted
    return close and (words == more or bool(words and more.startswith(words)))


def _run(
    listing: Listing, folder: str, group: list[_Picture], origins: dict[str, str]
) -> SourceRun:
    first = group[0].number
    candidates = [
        Candidate(step=one.number - first + 1, path=one.path, said=one.said) for one in group
    ]
    kept = origins.get(str(group[0].parameters.get("init_image_hash", "")).lower(), "")
    if kept:
        candidates.append(Candidate(step=0, path=kept))
    stem = split_name(split_path(group[0].path)[1])[0]
    run = Run(
        run=readable(join(folder, stem)),
        image=readable(split_name(split_path(kept)[1])[0] if kept else stem),
        model=str(group[0].said.get("model", "")),
    )
    return assemble(listing, run, folder, candidates)


LAYOUT = Layout(
    name="a1111",
    sign="names such as 00012-1234.png with `parameters` inside (PNG text or EXIF)",
    claim=claim,
)
