"""The files under a root, with their stamps: one scandir pass, links never leave the root."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct, field

from b100tui.model.errors import CancelledError, RootError
from b100tui.model.scan import LeftOut
from b100tui.sources.paths import natural, stored

SKIPPED = frozenset({"__pycache__", "node_modules", "__MACOSX", "Thumbs.db", "desktop.ini"})
_EVERY = 2048  # entries between two calls of `progress` and `cancelled`

Progress = Callable[[int], None]
Cancelled = Callable[[], bool]


class Listing(Struct, kw_only=True):
    """What lies under `root`: stamps by relative path, file names by folder."""

    root: Path
    stamps: dict[str, tuple[int, int]] = field(default_factory=dict)
    folders: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    unreadable: list[LeftOut] = field(default_factory=list)
    cancelled: Cancelled | None = None
    sketches: dict[str, frozenset[str]] | None = None  # JSON file -> its first keys
    order: list[str] | None = None  # folders in natural order
    by_name: dict[str, str] | None = None  # file name -> its only picture, "" for several

    def in_order(self) -> Iterator[str]:
        """Yield the folders in natural order; hears a cancel between them."""
        if self.order is None:
            self.order = sorted(self.folders, key=natural)
        for folder in self.order:
            self.breathe()
            yield folder

    def breathe(self) -> None:
        """Raise CancelledError once the scan is cancelled; long loops call it now and then."""
        if self.cancelled is not None and self.cancelled():
            raise CancelledError("the scan was cancelled", "run it again when you like")


def walk(root: Path) -> dict[str, tuple[int, int]]:
    """Return (bytes, mtime_ns) of every file under `root` by its relative POSIX path.

    Hidden files, caches and links that lead outside are not among them. Raises RootError
    when the root cannot be listed.
    """
    return list_files(root).stamps


def list_files(
    root: Path, *, progress: Progress | None = None, cancelled: Cancelled | None = None
) -> Listing:
    """List `root` with all its folders; what cannot be listed is named with its reason.

    Raises RootError when the root itself cannot be listed, CancelledError once `cancelled()`
    answers true.
    """
    found = Listing(root=root, cancelled=cancelled)
    walker = _Walker(found, progress)
    pending = [("", os.fspath(root))]
    while pending:
        pending.extend(walker.folder(*pending.pop()))
    return found


class _Walker:
    """One pass over a tree; knows which real folders were entered."""

    def __init__(self, found: Listing, progress: Progress | None) -> None:
        self.found = found
        self.progress = progress
        self.seen = 0
        self.real_root = os.path.realpath(found.root)
        self.links: set[str] = set()

    def folder(self, folder: str, place: str) -> list[tuple[str, str]]:
        """Take in one folder and return its subfolders as (relative, on disk)."""
        below: list[tuple[str, str]] = []
        names: list[str] = []
        prefix = folder + "/" if folder else ""
        stamps = self.found.stamps
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    self.seen += 1
                    if self.seen % _EVERY == 0:
                        self._report()
                    name = entry.name
                    if name[0] == "." or name in SKIPPED:
                        continue
                    name = stored(name)
                    path = prefix + name
                    try:
                        if entry.is_dir(follow_symlinks=False):
                            below.append((path, entry.path))
                            continue
                        facts = entry.stat(follow_symlinks=False)
                        if stat.S_ISLNK(facts.st_mode):
                            linked = self._link(path, entry)
                            if linked is None:
                                continue
                            if stat.S_ISDIR(linked.st_mode):
                                below.append((path, entry.path))
                                continue
                            facts = linked
                    except OSError as error:
                        self._cannot(path, error)
                        continue
                    if not stat.S_ISREG(facts.st_mode):
                        self.found.left_out.append(LeftOut(path, "not a plain file"))
                        continue
                    names.append(name)
                    stamps[path] = (facts.st_size, facts.st_mtime_ns)
        except OSError as error:
            if not folder:
                raise RootError(
                    f"{place} cannot be listed: {error.strerror}",
                    "check that the folder is there and may be read",
                ) from error
            self._cannot(folder, error)
        if names:
            self.found.folders[folder] = names
        return below

    def _link(self, path: str, entry: os.DirEntry[str]) -> os.stat_result | None:
        """Return the facts of a link's target, or None where it is not followed."""
        target = os.path.realpath(entry.path)
        if target != self.real_root and not target.startswith(self.real_root + os.sep):
            self._refuse(path, "a link that leads outside the folder")
            return None
        try:
            facts = os.stat(target)
        except FileNotFoundError:
            self.found.unreadable.append(LeftOut(path, "a link that leads nowhere"))
            return None
        if not stat.S_ISDIR(facts.st_mode):
            return facts
        here = os.path.realpath(os.path.dirname(entry.path))
        if here == target or here.startswith(target + os.sep) or target in self.links:
            self._refuse(path, "a link to a folder that is already listed")
            return None
        self.links.add(target)
        return facts

    def _refuse(self, path: str, reason: str) -> None:
        self.found.left_out.append(LeftOut(path, reason))

    def _cannot(self, path: str, error: OSError) -> None:
        self.found.unreadable.append(LeftOut(path, error.strerror or str(error)))

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(self.seen)
        self.found.breathe()
