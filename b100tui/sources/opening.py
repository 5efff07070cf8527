"""Opens a listed picture for the text inside it."""

import os
from pathlib import Path

from b100tui.model.errors import B100Error
from b100tui.sources.embedded import embedded_text
from b100tui.sources.paths import on_disk


def texts_of(root: Path, path: str) -> dict[str, str]:
    """Return the texts inside a picture by keyword; {} for none, and for what cannot be opened.

    What cannot be opened is named with its reason when the step itself is read.
    """
    try:
        handle = os.open(on_disk(root, path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, B100Error):
        return {}
    try:
        size = os.fstat(handle).st_size
        return embedded_text(lambda count, at: os.pread(handle, count, max(0, at)), size)
    finally:
        os.close(handle)
