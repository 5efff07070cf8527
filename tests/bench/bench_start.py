"""How long `b100 --help` takes beside bare Python: `python -m tests.bench.bench_start [N]`.

The goal is at most 100 ms more. Both are started in turn, so that a busy machine slows both.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

GOAL_MS = 100.0


def started(words: list[str]) -> float:
    """Return the milliseconds from start to end of one process."""
    begin = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    return 1000.0 * (time.perf_counter() - begin)


def main(times: int) -> None:
    """Print the medians, the difference and the ratio."""
    program = str(Path(sys.executable).parent / "b100")
    bare, overview, command = [], [], []
    for _ in range(times):
        bare.append(started([sys.executable, "-c", "pass"]))
        overview.append(started([program, "--help"]))
        command.append(started([program, "explore", "--help"]))
    base = statistics.median(bare)
    print(f"bare Python          {base:7.1f} ms")
    for name, values in (("b100 --help", overview), ("b100 explore --help", command)):
        median = statistics.median(values)
        verdict = "holds" if median - base <= GOAL_MS else "missed"
        print(
            f"{name:<20} {median:7.1f} ms  {median / base:5.2f} x  "
            f"+{median - base:.1f} ms (goal +{GOAL_MS:.0f}: {verdict})"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
