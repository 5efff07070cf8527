"""The builder behind an explorer: one refresh and its text index, in a process of its own."""

import os
import sys
from pathlib import Path

from b100tui.index.build import refresh
from b100tui.index.text import build_text
from b100tui.model.errors import B100Error, LockHeldError

_NICE = 5


def main(root: Path) -> int:
    """Refresh `root` and its text index; 0 also when another builder is at work already."""
    os.nice(_NICE)
    try:
        refresh(root, wait_seconds=0.0)
        build_text(root, wait_seconds=0.0)
    except LockHeldError:
        return 0
    except B100Error as error:
        print(f"b100: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
