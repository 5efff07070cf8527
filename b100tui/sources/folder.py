"""A whole folder scanned: which layouts it holds, the runs, and what was left out and why."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from b100tui.model.errors import B100Error, CancelledError
from b100tui.model.scan import LeftOut, Reading, Scan, SourceRun
from b100tui.sources.assemble import is_picture, uniquely_named
from b100tui.sources.attach import attach
from b100tui.sources.claims import Claimed
from b100tui.sources.guess import claim_guess
from b100tui.sources.layouts.own import LAYOUT as OWN
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.layouts.registry import layouts
from b100tui.sources.listing import Cancelled, Listing, Progress, list_files
from b100tui.sources.mapped import claim_mapped
from b100tui.sources.mapping import load_mapping
from b100tui.sources.paths import natural
from b100tui.sources.writing import mapping_text

MOST_STEP = 10**9 - 1  # as in the STEPS notation; larger numbers are ids
_NO_RECORD = "not a picture and not read as a record"
_DEMO_TRUTH = "the planted truth of a simulated data set, or a file of that name; not read"


def find_mapping(folders: Sequence[Path]) -> Path | None:
    """Return the first mapping.toml in the workspace `folders`, or None."""
    for folder in folders:
        if (folder / "mapping.toml").is_file():
            return folder / "mapping.toml"
    return None


def scan_folder(
    root: Path,
    mapping: Path | None = None,
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Scan:
    """List and decide; opens manifests, CSV and JSONL, but no own sidecars.

    Of pictures only those are opened whose names are those of ComfyUI or A1111, for the text
    inside; nothing is decoded and nothing is ever fetched.

    `mapping` defaults to `ROOT/.b100/mapping.toml`; pass `find_mapping(workspace_dirs(root))`
    for a workspace elsewhere. `progress` gets the number of entries seen, `cancelled` is asked
    now and then. Raises RootError, LayoutError for the mapping, CancelledError.
    """
    listing = list_files(root, progress=progress, cancelled=cancelled)
    claims: list[tuple[str, Claimed]] = []
    taken: set[str] = set()

    def add(name: str, sign: str, claimed: Claimed) -> None:
        if claimed.runs or claimed.unused or claimed.unreadable:
            claims.append((name, _explained(name, sign, claimed)))
        taken.update(claimed.used)

    mapping = mapping or find_mapping([root / ".b100"])
    mapped = Claimed()
    for layout in layouts():
        claimed = _claimed(layout, listing, taken)
        if layout is OWN and mapping is not None:
            mapped = claim_mapped(listing, load_mapping(mapping))
            add("mapping", str(mapping), _with_own(mapped, claimed))
        add(layout.name, layout.sign, claimed)
    if mapping is None:
        add("guess", "one number in each file name is the step", claim_guess(listing, taken))
    mapped.unused = _still_unused(mapped.unused, taken)
    names = list(dict.fromkeys(name for name, claimed in claims if claimed.runs))
    told = attach(listing, [run for _, claimed in claims for run in claimed.runs], taken)
    claims.append(("", told))
    return _scan(listing, names, told.runs, claims)


def write_mapping(root: Path) -> str:
    """Return the text of a mapping.toml that reads `root` as the guess does.

    Raises RootError, or LayoutError when nothing was guessed.
    """
    listing = list_files(root)
    taken: set[str] = set()
    for layout in layouts():
        taken |= _claimed(layout, listing, taken).used
    guess = claim_guess(listing, taken)
    return mapping_text(listing, uniquely_named(guess.runs), guess.templates)


def _claimed(layout: Layout, listing: Listing, taken: set[str]) -> Claimed:
    """Return what a layout takes; one that fails as a whole is named and costs itself only."""
    try:
        return layout.claim(listing, taken)
    except CancelledError:
        raise
    except B100Error as error:
        return Claimed(unreadable=[LeftOut(".", f"read as {layout.name}: {error.message}")])


def _explained(name: str, sign: str, claimed: Claimed) -> Claimed:
    """Name the layout in each reading; a layout that told none gave one reading of it all."""
    if claimed.runs and not claimed.readings:
        claimed.readings = [
            Reading("", "", sign, len(claimed.runs), sum(len(one.steps) for one in claimed.runs))
        ]
    claimed.readings = [
        Reading(name, one.path, one.why, one.runs, one.steps)
        for one in claimed.readings
        if one.runs
    ]
    return claimed


def _with_own(mapped: Claimed, own: Claimed) -> Claimed:
    """Let the mapping name runs that b100 made, without losing what their own files tell.

    Such a run keeps its steps and sidecars; the mapping decides ids and labels.
    """
    by_folder = {source.folder: source for source in own.runs}
    for index, source in enumerate(mapped.runs):
        mine = by_folder.get(source.folder)
        if mine is None:
            continue
        told = source.run
        run = msgspec.structs.replace(
            mine.run,
            run=told.run,
            image=told.image,
            recipe=told.recipe or mine.run.recipe,
            setting=told.setting or mine.run.setting,
            labels={**mine.run.labels, **told.labels},
        )
        mapped.runs[index] = msgspec.structs.replace(mine, run=run)
        own.runs.remove(mine)
    mapped.unused = _still_unused(mapped.unused, own.used)
    return mapped


def _still_unused(unused: list[LeftOut], taken: set[str]) -> list[LeftOut]:
    """Return what was left out, without pictures that another layout took after all."""
    return [left for left in unused if left.path not in taken or not is_picture(left.path)]


def _scan(
    listing: Listing,
    layouts: list[str],
    found: list[SourceRun],
    claims: list[tuple[str, Claimed]],
) -> Scan:
    wild: list[LeftOut] = []
    runs = uniquely_named(kept for source in found if (kept := _numbered(source, wild)))
    used = {path for _, claimed in claims for path in claimed.used}
    unused = [*wild, *(left for _, claimed in claims for left in claimed.unused)]
    named = used | {left.path for left in unused}
    unused += [
        LeftOut(path, _DEMO_TRUTH if path == "truth.json" else _NO_RECORD)
        for path in listing.stamps
        if path not in named and not is_picture(path)
    ]
    unreadable = [left for _, claimed in claims for left in claimed.unreadable]
    return Scan(
        layout="+".join(layouts) or "none",
        runs=tuple(runs),
        unused=_ordered([*unused, *listing.left_out]),
        unreadable=_ordered([*unreadable, *listing.unreadable]),
        readings=tuple(one for _, claimed in claims for one in claimed.readings),
        stamps=listing.stamps,
    )


def _numbered(source: SourceRun, wild: list[LeftOut]) -> SourceRun | None:
    """Leave out steps whose number is none, whatever layout told it; None where no step is left."""
    if all(0 <= step.step <= MOST_STEP for step in source.steps):
        return source
    kept = tuple(step for step in source.steps if 0 <= step.step <= MOST_STEP)
    for step in source.steps:
        if not 0 <= step.step <= MOST_STEP:
            place = step.picture.path or source.folder
            wild.append(LeftOut(place, f"{step.step} is no step number"))
    return msgspec.structs.replace(source, steps=kept) if kept else None


def _ordered(left_out: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    return tuple(sorted(dict.fromkeys(left_out), key=lambda left: natural(left.path)))
