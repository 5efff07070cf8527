"""Compares pictures with the hashes that sidecars and scores recorded of them."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from b100tui.model.errors import B100Error
from b100tui.model.records import PictureRef
from b100tui.model.scan import LeftOut
from b100tui.sources.reading import IMAGE_CHANGED

if TYPE_CHECKING:
    from b100tui.index.store import Index


class Verified(Struct, frozen=True):
    """How many pictures had a recorded hash, how many had none, and those that differ."""

    checked: int
    without: int
    differing: tuple[LeftOut, ...]


def verify(index: "Index") -> Verified:
    """Hash every picture with a recorded sha256 and name those that differ or are gone.

    One whose size alone tells that it is not the sidecar's is named without being hashed.
    """
    rows = index.ask(
        "SELECT path, member, bytes, mtime_ns, sha256 FROM step"
        " WHERE sha256 IS NOT NULL AND path IS NOT NULL ORDER BY run, step"
    )
    changed = index.ask(
        "SELECT path FROM step WHERE list_contains(warnings, ?) ORDER BY run, step",
        [IMAGE_CHANGED],
    )
    found = [LeftOut(path, IMAGE_CHANGED) for (path,) in changed]
    for path, member, size, mtime_ns, sha256 in rows:
        ref = PictureRef(path, member, size or 0, mtime_ns or 0)
        try:
            actual = _hash(index.root, ref)
        except (OSError, B100Error) as error:
            reason = error.message if isinstance(error, B100Error) else str(error.strerror)
            found.append(LeftOut(path, f"cannot be read: {reason}"))
            continue
        if actual != sha256:
            found.append(LeftOut(path, f"sha256 is {actual[:12]}…, recorded was {sha256[:12]}…"))
    ((pictures,),) = index.ask("SELECT count(*) FROM step WHERE path IS NOT NULL")
    checked = len(rows) + len(changed)
    return Verified(checked, pictures - checked, tuple(found))


def _hash(root: Path, ref: PictureRef) -> str:
    from b100tui.sources import open_picture

    source = open_picture(root, ref)
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
