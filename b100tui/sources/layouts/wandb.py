"""W&B media folders: run-*/files/media/images/<key>_<step>_<hash>.png."""

import re
from collections import defaultdict

from b100tui.model.records import Run
from b100tui.model.scan import LeftOut
from b100tui.sources.assemble import Candidate, assemble
from b100tui.sources.claims import Claimed
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, readable

_FOLDER = re.compile(r"(?:.*/)?(?P<run>(?:offline-)?run-[^/]+)/files/media/images(?:/(?P<sub>.+))?")
_NAME = re.compile(
    r"(?P<key>.+)_(?P<step>\d{1,9})_(?P<hash>[0-9a-f]{20})\.(?:png|jpe?g|webp|bmp)", re.I
)


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take the media of each W&B run; each logged key is a run, the logged step is the step.

    The hash tells nothing; several pictures logged under one key and step are listed as
    duplicates, because their order is not in their names.
    """
    claimed = Claimed()
    for folder in listing.in_order():
        place = _FOLDER.fullmatch(folder)
        if not place:
            continue
        keys: dict[str, list[Candidate]] = defaultdict(list)
        for name in listing.folders[folder]:
            path = join(folder, name)
            found = _NAME.fullmatch(name)
            if path in taken or not found:
                continue
            key = join(place["sub"] or "", found["key"])
            keys[key].append(Candidate(step=int(found["step"]), path=path))
            claimed.used.add(path)
        runs = []
        for key, candidates in keys.items():
            steps = {candidate.step for candidate in candidates}
            if len(steps) < 2:
                reason = "logged at one step only: not a run"
                claimed.unused += [LeftOut(candidate.path, reason) for candidate in candidates]
                continue
            run = Run(
                run=readable(f"{place['run']}/{key}"),
                image=readable(key),
                setting=readable(place["run"]),
                labels={"tracker": "wandb"},
            )
            runs.append(assemble(listing, run, folder, candidates))
        if runs:
            claimed.take(folder, "media of a W&B run: key, step and hash in each name", runs)
    return claimed


LAYOUT = Layout(
    name="wandb",
    sign="run-*/files/media/images with <key>_<step>_<hash> names",
    claim=claim,
)
