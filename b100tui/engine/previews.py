"""Previews of a step that was just made: its pixels are near, and the eye comes next."""

from pathlib import Path

from b100tui.model.errors import B100Error
from b100tui.model.records import PictureRef
from b100tui.workspace.places import cache_dir


def keep_previews(root: Path, picture: Path) -> str:
    """Make the previews of `picture` under `root`; return why not, empty when they are there.

    A preview is a convenience: nothing that is wrong with it stops a run.
    """
    from b100tui.imaging.previews import Cache

    try:
        facts = picture.stat()
        path = picture.relative_to(root).as_posix()
        cache = Cache(cache_dir(root) / "previews")
        cache.make(root, PictureRef(path, None, facts.st_size, facts.st_mtime_ns))
    except (B100Error, OSError, ValueError) as error:
        return str(error)
    return cache.trouble
