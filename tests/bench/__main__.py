"""All speed bars in one table: each benchmark in a process of its own, one after another.

usage: python -m tests.bench [NAME...] [--peers VENV[:VENV]] [--seconds N] [--list]

A row is a measure beside its bar (with the share of the bar that it uses: 1.00 is the bar) and
beside a floor or peer that the same benchmark measured in the same minutes. What is not here (a
peer, an environment with torch) is a row that names it. Narration goes to stderr, the table to
stdout.

Peers: chafa and timg from the system, textual-image as b100 brings it; harlequin in one and
toolong and visidata in another environment (`pip install` them there), both named by `--peers` or
B100_BENCH_PEERS; pyiqa from the interpreter that B100_SCORE_PYTHON names.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.bars import ROWS_FILE, Row, kept, printed

FOLDER = Path(__file__).parent
PEERS = "B100_BENCH_PEERS"
SECONDS = 600.0
HEAD = Row("measure", note="beside: floor or peer of the same run")


def names() -> list[str]:
    """Return the benchmarks by name, without their `bench_`."""
    return sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def about(name: str) -> str:
    """Return the first sentence of a benchmark."""
    first = (FOLDER / f"bench_{name}.py").read_text(encoding="utf-8").splitlines()[0]
    return first.strip('"').split(": `python")[0].rstrip(".:")


def rows(name: str, seconds: float) -> list[Row]:
    """Run one benchmark; return its rows, and why it ended where it did not end well."""
    with tempfile.TemporaryDirectory(prefix="b100-rows-") as scratch:
        path = Path(scratch) / "rows.jsonl"
        try:
            done = subprocess.run(
                [sys.executable, "-m", f"tests.bench.bench_{name}"],
                cwd=FOLDER.parents[1],
                env={**os.environ, ROWS_FILE: str(path)},
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            why = f"ended after {seconds:.0f} s without an answer: --seconds gives it more"
            return [*kept(path), Row(name, note=why)]
        if not done.returncode:
            return kept(path)
        said = done.stderr.strip().splitlines()
        why = f"failed with {done.returncode}: {said[-1] if said else 'no word'}"
        return [*kept(path), Row(name, note=why)]


def summary(found: list[Row]) -> str:
    """Return how many bars are met, and the measures that use up most of theirs."""
    barred = sorted(((row.share, row.name) for row in found if row.share is not None), reverse=True)
    if not barred:
        return "no bar was measured"
    unmet = sum(share > 1 for share, _ in barred)
    most = ", ".join(f"{name} {share:.2f}" for share, name in barred[:3])
    return f"{len(barred)} bars, {unmet} not met; nearest to or beyond their bars: {most}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description="all speed bars in one table"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--peers", metavar="VENV[:VENV]", help="where the peers are installed")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="most for one benchmark")
    parser.add_argument("--list", action="store_true", help="name them and leave")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(names()))
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(names())}")
    if given.list:
        print("\n".join(f"{name:<16}{about(name)}" for name in names()))
        return 0
    if given.peers:
        folders = given.peers.split(os.pathsep)
        os.environ[PEERS] = os.pathsep.join(str(Path(one).absolute()) for one in folders)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")
    found: list[Row] = []
    for name in given.names or names():
        print(f"{name}: {about(name)} ...", file=sys.stderr, flush=True)
        begin = time.monotonic()
        found += rows(name, given.seconds)
        print(f"  {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    print(printed([HEAD, *found]))
    print(summary(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
