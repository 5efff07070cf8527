"""A whole folder scanned: which layouts it holds, the runs, and what was left out and why."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from b100tui.model.scan import LeftOut, Scan
from b100tui.sources.assemble import is_picture, uniquely_named
from b100tui.sources.claims import Claimed
from b100tui.sources.guess import claim_guess
from b100tui.sources.listing import Cancelled, Listing, Progress, list_files
from b100tui.sources.own import claim_own
from b100tui.sources.paths import natural


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
    """List and decide; opens manifests, CSV and JSONL, but no pictures and no own sidecars.

    `mapping` defaults to `ROOT/.b100/mapping.toml`; pass `find_mapping(workspace_dirs(root))`
    for a workspace elsewhere. `progress` gets the number of entries seen, `cancelled` is asked
    now and then. Raises RootError, LayoutError for the mapping, CancelledError.
    """
    listing = list_files(root, progress=progress, cancelled=cancelled)
    claims: list[tuple[str, Claimed]] = []
    taken: set[str] = set()

    def add(name: str, claimed: Claimed) -> None:
        if claimed.runs or claimed.unused or claimed.unreadable:
            claims.append((name, claimed))
        taken.update(claimed.used)

    add("b100", claim_own(listing))
    add("guess", claim_guess(listing, taken))
    return _scan(listing, claims)


def _scan(listing: Listing, claims: list[tuple[str, Claimed]]) -> Scan:
    layouts = [name for name, claimed in claims if claimed.runs]
    runs = uniquely_named(run for _, claimed in claims for run in claimed.runs)
    used = {path for _, claimed in claims for path in claimed.used}
    unused = [left for _, claimed in claims for left in claimed.unused]
    named = used | {left.path for left in unused}
    unused += [
        LeftOut(path, "not a picture and not read as a record")
        for path in listing.stamps
        if path not in named and not is_picture(path)
    ]
    unreadable = [left for _, claimed in claims for left in claimed.unreadable]
    return Scan(
        layout="+".join(layouts) or "none",
        runs=tuple(runs),
        unused=_ordered([*unused, *listing.left_out]),
        unreadable=_ordered([*unreadable, *listing.unreadable]),
        stamps=listing.stamps,
    )


def _ordered(left_out: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    return tuple(sorted(dict.fromkeys(left_out), key=lambda left: natural(left.path)))
