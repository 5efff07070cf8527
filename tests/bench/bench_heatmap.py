"""How soon the heatmap is painted after `g`, over 28,000 steps x 21 metrics, in a pty of 140x45.

python -m tests.bench.bench_heatmap [--keep DIR] [--times 5]

The yardstick is the same program's `?`: an overlay that needs no data. `known`: the table was
made while nobody pressed a key, as the explorer does after two seconds of rest. `first`: `g` as
the first key once a run is shown; the frame comes at once, the table when it is ready.
Times end with the last byte of the sought words; they leave out the terminal's own drawing.
"""

import argparse
import contextlib
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from tests.bench import bench_index
from tests.bench.bars import tell

COLUMNS, ROWS = 140, 45
RUNS, STEPS, METRICS = 280, 100, 21
PROBE_ANSWER = b"\x1b[?62;c"
REST = 7.0  # two ticks of rest, and the table itself
READY = b" metrics"  # their count stands in the status line once a run was read from the index


class Explored:
    """`b100 explore` in a pty."""

    def __init__(self, root: Path) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            words = ["-m", "b100tui", "explore", str(root), "--graphics", "text"]
            os.execv(sys.executable, [sys.executable, *words])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 1400, 900))

    def wait_for(self, word: bytes, limit: float = 60.0) -> float:
        """Return the seconds until `word` was written."""
        started = time.perf_counter()
        seen = b""
        while time.perf_counter() - started < limit:
            if select.select([self.fd], [], [], 0.05)[0]:
                seen += os.read(self.fd, 1 << 16)
                if b"\x1b[c" in seen:
                    os.write(self.fd, PROBE_ANSWER)
                    seen = seen.replace(b"\x1b[c", b"")
                if word in seen:
                    return time.perf_counter() - started
        raise TimeoutError(f"{word!r} never came; the last was {seen[-300:]!r}")

    def drain(self, seconds: float) -> None:
        """Read for some time."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                os.read(self.fd, 1 << 16)

    def key(self, key: bytes, word: bytes) -> float:
        """Press a key and return the milliseconds until `word` was written."""
        os.write(self.fd, key)
        return 1000 * self.wait_for(word)

    def end(self) -> None:
        """Stop the program; what it still writes is not read."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def table_time(root: Path, times: int) -> float:
    """Return the median milliseconds of the gap table from an open index."""
    from b100tui.index.store import open_index
    from b100tui.report.evidence import gap_table

    index = open_index(root)
    taken = []
    for _ in range(times + 1):
        started = time.perf_counter()
        gap_table(index)
        taken.append(1000 * (time.perf_counter() - started))
    index.close()
    return statistics.median(taken[1:])


def measure(root: Path, times: int) -> dict[str, list[float]]:
    """Return the milliseconds of each case."""
    found: dict[str, list[float]] = {"help": [], "first": [], "frame": [], "known": []}
    for _ in range(times):
        app = Explored(root)
        app.wait_for(READY)
        app.drain(0.5)
        os.write(app.fd, b"g")
        found["frame"].append(1000 * app.wait_for(b"evidence"))
        found["first"].append(found["frame"][-1] + 1000 * app.wait_for(b"cells fail"))
        app.end()
        app = Explored(root)
        app.wait_for(READY)
        app.drain(REST)
        found["help"].append(app.key(b"?", b"Esc closes"))
        os.write(app.fd, b"q")
        app.drain(1.0)
        found["known"].append(app.key(b"g", b"cells fail"))
        app.end()
    return found


def main() -> None:
    """Make the data, measure, print."""
    from b100tui.index.build import refresh
    from b100tui.metrics.registry import metrics

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--keep", type=Path, help="make or use the data here")
    options.add_argument("--times", type=int, default=5)
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = args.keep or Path(scratch) / "runs"
        for name in ("CACHE", "STATE", "CONFIG", "DATA"):
            os.environ.setdefault(f"B100_{name}_DIR", str(root.parent / "places" / name.lower()))
        if not root.exists():
            paper = tuple(one.id for one in metrics() if one.paper and one.backend == "pyiqa")
            bench_index.METRICS = paper[:METRICS]
            bench_index.make_folder(root, RUNS, STEPS, METRICS)
        refresh(root)
        tell("gap table, 28,000 steps x 21 metrics", table_time(root, args.times), "ms", 150)
        found = measure(root, args.times)
        yardstick = statistics.median(found["help"])
        for name, words, bars in (
            ("known", "heatmap after `g`", (100,)),
            ("frame", "heatmap's frame, first key", (100,)),
            ("first", "heatmap whole, first key", ()),
        ):
            middle, worst = statistics.median(found[name]), max(found[name])
            tell(words, middle, "ms", bars, peer=("help", yardstick), note=f"worst {worst:.0f}")


if __name__ == "__main__":
    main()
