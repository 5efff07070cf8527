"""How long a scan takes and how much memory it needs, each in a process of its own.

Run by hand: python -m tests.bench.bench_scan [runs] [steps] [kilobytes a picture] [case ...]
             python -m tests.bench.bench_scan million
Yardstick in the same run: os.walk with os.stat, and reading the first 512 bytes of each file.
Each case is scanned once unmeasured, which warms the page cache.
"""

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bars import tell

CASES = ("b100", "guess", "parquet", "comfyui", "jsonl")


def picture(kilobytes: int, shade: int) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (640, 480), (shade % 256, 90, 60)).save(out, "jpeg")
    data = out.getvalue()
    # A comment segment of random bytes stands for pixel data that cannot be packed.
    rest = max(0, kilobytes * 1024 - len(data))
    pieces = []
    while rest > 4:
        size = min(rest, 65000)
        pieces.append(b"\xff\xfe" + size.to_bytes(2, "big") + os.urandom(size - 2))
        rest -= size + 2
    return data[:2] + b"".join(pieces) + data[2:]


def png_with_graph(number: int, seed: int) -> bytes:
    import json

    from tests.sources.layouts.test_comfyui import graph
    from tests.sources.layouts.written import png_with

    loads = f"loop_{number - 1:05}_.png" if number > 1 else None
    return png_with({"prompt": json.dumps(graph(loads, seed=seed)), "workflow": "x" * 4000})


def names(runs: int, steps: int) -> Iterator[tuple[int, int]]:
    return ((run, step) for run in range(runs) for step in range(steps))


def make(case: str, root: Path, runs: int, steps: int, kilobytes: int) -> None:
    from tests.sources.made import commit, own_run, put

    shades = [picture(kilobytes, shade) for shade in range(8)]
    if case == "b100":
        for run in range(runs):
            name = f"image-{run % 13}/setting-{run % 56}/run-{run}"
            folder = own_run(root, name, 0)
            for step in range(1, steps):
                commit(
                    folder, name, step, shades[step % 8], prompt="again", thoughts=["**A**\n\nb"]
                )
    elif case == "guess":
        for run, step in names(runs, steps):
            put(root, f"image-{run % 13}/run_{run}/step_{step}.jpg", data=shades[step % 8])
    elif case == "comfyui":
        for run, step in names(runs, steps):
            path = f"output/{run}/loop_{step + 1:05}_.png"
            put(root, path, data=png_with_graph(step + 1, run))
    elif case == "jsonl":
        import json

        lines = []
        for run, step in names(runs, steps):
            put(root, f"p/{run}/{step}.jpg", data=shades[step % 8])
            told = {"run": f"r{run}", "step": step, "path": f"p/{run}/{step}.jpg"}
            scores = {"brisque": 1.5, "niqe": None}
            lines.append(json.dumps({**told, "prompt": "again", "scores": scores}))
        (root / "steps.jsonl").write_text("\n".join(lines))
    else:
        shard(root, runs, steps, shades)


def shard(root: Path, runs: int, steps: int, shades: list[bytes]) -> None:
    import duckdb

    con = duckdb.connect()
    con.execute("CREATE TABLE shade (n INTEGER, bytes BLOB)")
    con.executemany("INSERT INTO shade VALUES (?, ?)", list(enumerate(shades)))
    (root / "data").mkdir()
    shards = 8
    for part in range(shards):
        con.execute(
            "COPY (SELECT 'i' || (r.range % 13) AS image_id, r.range AS run, s.range AS step,"
            " 'again' AS prompt, 0.5 * s.range AS brisque,"
            " {'bytes': bytes || (r.range || '-' || s.range)::BLOB,"
            " 'path': 'step_' || s.range || '.jpg'} AS image"
            f" FROM range({part}, {runs}, {shards}) r, range({steps}) s, shade"
            " WHERE shade.n = s.range % 8 ORDER BY r.range, s.range)"
            f" TO '{root}/data/train-{part:05}-of-{shards:05}.parquet'"
            " (FORMAT parquet, ROW_GROUP_SIZE 1000)"
        )


def yardstick(root: Path) -> float:
    start = time.perf_counter()
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.join(folder, name)
            os.stat(path)
            with open(path, "rb") as file:
                file.read(512)
    return time.perf_counter() - start


def peak_megabytes() -> float:
    """The most memory this process held; getrusage would count what the parent held at the fork."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM in /proc/self/status")


def scan(root: Path) -> None:
    from b100tui.sources import scan_folder
    from b100tui.sources.preview import preview

    start = time.perf_counter()
    found = scan_folder(root)
    listed = time.perf_counter() - start
    shown = preview(root, found)
    whole = time.perf_counter() - start
    runs, steps = len(shown.runs), sum(run.steps for run in shown.runs)
    peak = peak_megabytes()
    name = f"scan of {steps:,} steps, {shown.layout}"
    note = f"{runs} runs, listed after {listed:.1f} s"
    floor = ("os.walk, stat, 512 bytes a file", yardstick(root))
    tell(name, whole, "s", 15, peer=floor, note=note)
    tell(f"{name}: memory", peak, "MB", 300)


def million(root: Path) -> None:
    from b100tui.model.errors import CancelledError
    from b100tui.sources.listing import list_files

    seen: list[float] = []
    start = time.perf_counter()
    list_files(root, progress=lambda count: seen.append(time.perf_counter()))
    whole = time.perf_counter() - start
    gaps = [b - a for a, b in zip(seen, seen[1:], strict=False)]  # noqa: RUF007
    peak = peak_megabytes()
    note = f"peak {peak:.0f} MB; progress {len(seen)} times, at most {max(gaps):.3f} s apart"
    tell("a million entries listed", whole, "s", note=note)
    start = time.perf_counter()
    deadline = start + 0.5
    try:
        list_files(root, cancelled=lambda: time.perf_counter() > deadline)
    except CancelledError:
        tell("a million entries: stopped after", time.perf_counter() - deadline, "s")


def in_own_process(*words: str) -> None:
    command = [sys.executable, "-m", "tests.bench.bench_scan", *words]
    subprocess.run(command, check=True)


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["scan"]:
        scan(Path(words[1]))
        return
    if words[:1] == ["list"]:
        million(Path(words[1]))
        return
    with tempfile.TemporaryDirectory() as place:
        if words[:1] == ["million"]:
            for folder in range(1000):
                inside = Path(place, f"run_{folder}")
                inside.mkdir()
                for step in range(1000):
                    (inside / f"step_{step}.png").touch()
            in_own_process("list", place)
            return
        runs, steps, kilobytes = (int(word) for word in (*words, "280", "100", "16")[:3])
        for case in words[3:] or CASES:
            root = Path(place, case)
            root.mkdir()
            make(case, root, runs, steps, kilobytes)
            yardstick(root)  # warms the page cache
            in_own_process("scan", str(root))


if __name__ == "__main__":
    main()
