"""`b100 explore` with small picture caches: they are full within minutes of a storm.

usage: explore_small.py explore ROOT ...
Growth of memory can be judged only once every cache has come to its bound.
"""

import sys

from b100tui.cli.main import main
from b100tui.terminal import pictures, pipeline

if __name__ == "__main__":
    pictures.PREVIEW_BYTES = 2 << 20
    pictures.FULL_BYTES = 8 << 20
    defaults = pipeline.Pipeline.__init__.__kwdefaults__
    assert defaults is not None and "frame_bytes" in defaults
    defaults["frame_bytes"] = 4 << 20
    raise SystemExit(main(sys.argv[1:]))
