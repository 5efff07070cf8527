"""Makes the preview pictures of every readable step ahead of time."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.workspace.places import cache_dir

THREADS = os.cpu_count() or 1  # decoders let go of the interpreter


def make_previews(root: Path, limit_bytes: int) -> tuple[int, int]:
    """Make what is missing of the previews of `root`; return (ready, undecodable) pictures."""
    from b100tui.imaging.previews import Cache
    from b100tui.index.store import open_index
    from b100tui.sources import open_picture

    cache = Cache(cache_dir(root) / "previews", limit_bytes, opener=open_picture)
    rows = open_index(root).ask(
        "SELECT path, member, bytes, mtime_ns FROM step"
        " WHERE status = 'ok' AND path IS NOT NULL ORDER BY run, step"
    )

    def made(row: tuple[str, str | None, int | None, int | None]) -> bool:
        path, member, size, mtime_ns = row
        ref = PictureRef(path, member, size or 0, mtime_ns or 0)
        try:
            if not cache.has(ref, 0):
                cache.make(root, ref)
        except PictureError:
            return False
        return True

    with ThreadPoolExecutor(THREADS, "b100-preview") as pool:
        done = list(pool.map(made, rows))
    return sum(done), len(done) - sum(done)
