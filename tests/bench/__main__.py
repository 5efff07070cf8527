"""All speed bars in one table: each benchmark in a process of its own, one after another.

usage: python -m tests.bench [NAME...] [--seconds N] [--list]

A row is a line that a benchmark printed: a measure beside its yardstick or peer of the same run.
What a benchmark lacks here (a peer that is not installed, a GPU) it says in its own rows.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
SECONDS = 600.0
WIDTH = 16


def names() -> list[str]:
    """Return the benchmarks by name, without their `bench_`."""
    return sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def about(name: str) -> str:
    """Return the first sentence of a benchmark."""
    first = (FOLDER / f"bench_{name}.py").read_text(encoding="utf-8").splitlines()[0]
    return first.strip('"').split(": `python")[0]


def rows(name: str, seconds: float) -> Iterator[str]:
    """Run one benchmark; yield its lines, and why it ended where it did not end well."""
    words = [sys.executable, "-m", f"tests.bench.bench_{name}"]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            words,
            cwd=FOLDER.parents[1],
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield f"ended after {seconds:.0f} s without an answer: --seconds gives it more"
        return
    yield from (line.rstrip() for line in done.stdout.splitlines() if line.strip())
    if done.returncode:
        said = done.stderr.strip().splitlines()
        yield f"failed with {done.returncode}: {said[-1] if said else 'no word'}"
    yield f"({time.monotonic() - begin:.0f} s)"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description="all speed bars in one table"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="most for one benchmark")
    parser.add_argument("--list", action="store_true", help="name them and leave")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(names()))
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(names())}")
    for name in given.names or names():
        print(f"{name:<{WIDTH}}{about(name)}", flush=True)
        if given.list:
            continue
        for row in rows(name, given.seconds):
            print(f"{'':<{WIDTH}}{row}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
