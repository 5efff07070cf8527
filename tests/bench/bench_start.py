"""How long `b100 --help` and every command's help take beside bare Python.

Run by hand: `python -m tests.bench.bench_start [N]`. The bar is 100 ms more. Both are started in
turn, so that a busy machine slows both. Help of commands is the slowest of all of them.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from b100tui.cli.registry import COMMANDS
from tests.bench.bars import missing, tell
from tests.bench.peers import PEERS, program

BAR_MS = 100.0


def started(*words: str) -> float:
    """Return the milliseconds from start to end of one process."""
    begin = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    return 1000.0 * (time.perf_counter() - begin)


def main(times: int) -> None:
    """Print the medians beyond bare Python, and the slowest help of a command."""
    b100 = str(Path(sys.executable).parent / "b100")
    harlequin = program("harlequin")
    words: dict[str, list[str]] = {
        "bare": [sys.executable, "-c", "pass"],
        "b100 --help": [b100, "--help"],
        **{f"b100 {name} --help": [b100, name, "--help"] for name in COMMANDS},
        "complete": [b100, "completion", "words", "b100", "show", "d"],
    }
    taken: dict[str, list[float]] = {name: [] for name in words}
    for _ in range(times):
        for name, line in words.items():
            taken[name].append(started(*line))
    typical = {name: statistics.median(values) for name, values in taken.items()}
    base = typical.pop("bare")
    floor = ("bare Python", base)
    tell("b100 --help beyond bare Python", typical["b100 --help"] - base, "ms", BAR_MS, peer=floor)
    slowest = max((name for name in typical if name != "complete"), key=typical.__getitem__)
    tell(f"slowest: {slowest}", typical[slowest] - base, "ms", BAR_MS, peer=floor)
    tell("one completion beyond bare Python", typical["complete"] - base, "ms", BAR_MS, peer=floor)
    if harlequin:
        theirs = statistics.median(started(harlequin, "--help") for _ in range(3))
        tell("harlequin --help beyond bare Python", theirs - base, "ms", peer=floor)
    else:
        missing("harlequin", PEERS)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
