"""Index, refresh, filter and search at 28,000 steps, as ratios to a yardstick in the same run.

python -m tests.bench.bench_index [--runs 280] [--steps 100] [--metrics 10] [--keep DIR]
"""

import argparse
import hashlib
import json
import os
import random
import sqlite3
import statistics
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.bench.bars import tell
from tests.bench.bench_explorer import WHOLE, Watched

SECTIONS = 3
WORDS_A_SECTION = 40
METRICS = (
    *("noise_sigma", "noise_wavelet", "laplacian_variance", "gradient_energy", "high_frequency"),
    *("brisque", "niqe", "topiq_nr", "musiq", "pi", "clipiqa", "nima", "qalign", "piqe"),
)


def make_folder(root: Path, runs: int, steps: int, metrics: int) -> int:
    """Write runs of tiny pictures with sidecars and scores; return the count of summaries."""
    from b100tui.model.records import FileFacts, RunPlan, ScoreRecord, Section, Sidecar

    rng = random.Random(7)
    vocabulary = [_word(rng) for _ in range(30_000)]
    weights = [1.0 / (rank + 1) for rank in range(len(vocabulary))]
    scores = root / ".b100" / "scores"
    scores.mkdir(parents=True)
    with (scores / "bench-1-1.jsonl").open("wb") as part:
        for number in range(runs):
            image = f"image{number % 13:02d}"
            name = f"{image}/replicate-2k-{number // 65}/run-{number // 13}"
            folder = root / name
            folder.mkdir(parents=True)
            image_, setting, _ = name.split("/")
            plan = RunPlan(
                run=name,
                image=image_,
                recipe="replicate",
                setting=setting,
                editor="bench",
                repeat=number // 13,
                steps_planned=steps - 1,
            )
            (folder / "run.json").write_bytes(msgspec.json.encode(plan))
            for step in range(steps):
                data = _png(number * steps + step)
                sha256 = hashlib.sha256(data).hexdigest()
                file = f"step-{step:03d}.png"
                (folder / file).write_bytes(data)
                words = rng.choices(vocabulary, weights, k=SECTIONS * WORDS_A_SECTION)
                facts = FileFacts(
                    sha256=sha256, bytes=len(data), width=8, height=8, mime="image/png", file=file
                )
                sidecar = Sidecar(
                    run=name,
                    step=step,
                    output=facts,
                    input=facts if step else None,
                    editor="bench",
                    model="bench-1",
                    prompt="Replicate this image exactly",
                    parameters={"resolution": "2K", "temperature": 0.4},
                    sections=tuple(
                        Section(f"Looking at {words[i]}", " ".join(words[i : i + WORDS_A_SECTION]))
                        for i in range(0, len(words), WORDS_A_SECTION)
                    ),
                    cost_usd=0.13,
                    seconds=4.0,
                )
                (folder / f"step-{step:03d}.json").write_bytes(msgspec.json.encode(sidecar))
                for place, metric in enumerate(METRICS[:metrics]):
                    record = ScoreRecord(
                        run=name,
                        step=step,
                        metric=metric,
                        metric_version="1",
                        value=place + 0.3 * max(0, step - 8) + rng.random(),
                        sha256=sha256,
                        time="2026-01-01T00:00:00Z",
                    )
                    part.write(msgspec.json.encode(record) + b"\n")
    return runs * steps


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bcdfghklmnprstv") + rng.choice("aeiou") for _ in range(3))


def _png(number: int) -> bytes:
    rows = b"".join(b"\0" + struct.pack(">I", number + y) * 6 for y in range(8))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 1)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@contextmanager
def timed(into: dict[str, float], name: str) -> Iterator[None]:
    """Note the seconds the block takes."""
    start = time.perf_counter()
    yield
    into[name] = time.perf_counter() - start


def p50_p95(call: Callable[[int], object], rounds: int) -> tuple[float, float]:
    """Return median and 95th percentile of a call's milliseconds."""
    took = []
    for number in range(rounds):
        start = time.perf_counter()
        call(number)
        took.append(1000 * (time.perf_counter() - start))
    took.sort()
    return statistics.median(took), took[min(len(took) - 1, int(0.95 * len(took)))]


def yardstick_scan(root: Path) -> float:
    """Seconds of a plain listing with json.loads of every sidecar: the least an index reads."""
    start = time.perf_counter()
    for folder, _, names in os.walk(root):
        for entry in os.scandir(folder):
            entry.stat()
        for name in names:
            if name.endswith(".json"):
                json.loads(Path(folder, name).read_bytes())
    return time.perf_counter() - start


def yardstick_list(root: Path) -> float:
    """Seconds of one scandir and stat over the folder: the least a refresh needs."""
    start = time.perf_counter()
    for folder, _, _ in os.walk(root):
        for entry in os.scandir(folder):
            entry.stat()
    return time.perf_counter() - start


def yardstick_fts(root: Path) -> sqlite3.Connection:
    """Return the same texts in SQLite's FTS5."""
    con = sqlite3.connect(":memory:")
    con.execute("CREATE VIRTUAL TABLE t USING fts5(run, step, title, text)")
    for path in root.rglob("step-*.json"):
        sidecar = json.loads(path.read_bytes())
        con.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)",
            [
                (sidecar["run"], sidecar["step"], part["title"], part["text"])
                for part in sidecar["sections"]
            ],
        )
    return con


def memory(root: Path) -> None:
    """Print what an explorer of this index holds once its first run is open."""
    os.environ["B100_PROBES"] = "off"
    program = Watched([sys.executable, "-m", "b100tui", "explore", str(root)])
    program.wait_for(WHOLE)
    program.drain(2.0)
    program.key(b"\x1b[C")
    program.drain(1.0)
    tell("memory with DuckDB, half blocks", program.rss(), "MB", 130)
    program.end()


def measure(root: Path, summaries: int) -> None:
    """Print every figure with its ratio."""
    from b100tui.index.build import refresh
    from b100tui.index.snapshot import read_first
    from b100tui.index.store import open_index
    from b100tui.index.text import build_text

    took: dict[str, float] = {}
    yardstick_scan(root)  # warms the page cache
    took["scan yardstick"] = yardstick_scan(root)
    with timed(took, "build"):
        report = refresh(root)
    list_yard = min(yardstick_list(root) for _ in range(3))
    with timed(took, "no change"):
        refresh(root)
    steps = report.steps
    listing = ("listing and json.loads", steps / took["scan yardstick"])
    rate = steps / took["build"]
    tell("index built", rate, "steps/s", 3000, at_least=True, peer=listing)
    alone = ("listing alone", 1000 * list_yard)
    tell("index, no change", 1000 * took["no change"], "ms", 1000, peer=alone)
    tell("first rows of the run list", p50_p95(lambda _: read_first(root), 20), "ms")
    memory(root)
    index = open_index(root)
    index_run = index.run_ids()[-1]
    for name, call in {
        "run list": lambda _: index.runs(),
        "steps of a run": lambda _: index.steps(index_run),
        "series of a run": lambda _: index.series(index_run),
        "poll, nothing new": lambda _: index.poll(),
    }.items():
        tell(name, p50_p95(call, 30), "ms")
    for expr in FILTERS:
        times = p50_p95(lambda _, expr=expr: index.run_ids(expr), 30)
        tell(f"filter {expr}", times, "ms", (16, 30))
    with timed(took, "text"):
        build_text(root)
    tell("text index", summaries / took["text"], "summaries/s", 2000, at_least=True)
    fts = yardstick_fts(root)
    queries = words_of(root, 60)
    for name, cut in (("search, words", None), ("search, prefixes", 4)):
        asked = [query if cut is None else query[:cut] + "*" for query in queries]
        ours = p50_p95(lambda n, asked=asked: index.search(asked[n], 50), len(asked))
        theirs = p50_p95(lambda n, asked=asked: _fts(fts, asked[n]), len(asked))
        tell(f"{name}, p95", ours[1], "ms", 30, peer=("SQLite FTS5", theirs[1]))
    index.close()


FILTERS = (
    "image:image03",
    "image03",
    "brisque>20",
    "brisque.gap>0",
    "onset<12 image:image01",
    "step>10 brisque>20 niqe.gap>0",
    "(brisque>20 OR pi>9) -mark:tint",
)


def words_of(root: Path, count: int) -> list[str]:
    """Return words and pairs of words that stand in the texts."""
    rng = random.Random(3)
    paths = sorted(root.rglob("step-*.json"))
    found = []
    for path in rng.choices(paths, k=count):
        words = json.loads(path.read_bytes())["sections"][0]["text"].split()
        found.append(" ".join(rng.sample(words, rng.choice((1, 1, 2)))))
    return found


def _fts(con: sqlite3.Connection, query: str) -> object:
    return con.execute(
        "SELECT run, step, snippet(t, 3, '', '', '', 12) FROM t WHERE t MATCH ?"
        " ORDER BY rank LIMIT 50",
        [" ".join(word if word.endswith("*") else f'"{word}"' for word in query.split())],
    ).fetchall()


def main() -> None:
    """Make the folder, measure, clean up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=280)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--metrics", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="make the folder there once and leave it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="b100-bench-") as scratch:
        root = args.keep or Path(scratch) / "root"
        for place in ("CACHE", "STATE", "CONFIG", "DATA"):
            os.environ[f"B100_{place}_DIR"] = str(Path(scratch) / place.lower())
        if not root.exists():
            make_folder(root, args.runs, args.steps, args.metrics)
        measure(root, args.runs * args.steps)


if __name__ == "__main__":
    main()
