"""Where the bytes of a step's picture are: a path, or bytes out of a container."""

import os
from pathlib import Path

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources.paths import on_disk


def open_picture(root: Path, ref: PictureRef) -> Path | bytes:
    """Return the path of a plain file, or the bytes of a `member`.

    Raises PictureError when it is gone or the member cannot be read.
    """
    if not ref.path:
        raise PictureError("this step has no picture", "b100 steps RUN says why")
    place = on_disk(root, ref.path)
    if ref.member is not None:
        from b100tui.sources.containers import read_member

        return read_member(place, ref)
    if not os.path.isfile(place):
        raise PictureError(
            f"{ref.path} is gone or no plain file", "put it back, or run b100 index again"
        )
    return Path(place)
