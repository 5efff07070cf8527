"""Gaps, onset, gate, drift and report at the paper's size, against yardsticks of the same run.

python -m tests.bench.bench_analysis [--runs 280] [--steps 100] [--keep DIR] [--only gaps,drift]

Limits of the plan: gaps 150 ms; onset of 280 runs x 8 signals 30 s; gate decision 50 ms, cold
command 1.2 s; drift of 100 steps of 2K pictures 20 s; report of the paper's figures 60 s.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.bench.bars import tell

PROBES = (
    *("noise_sigma", "laplacian_variance", "high_frequency", "texture_ratio"),
    *("colour_cast", "lab_a", "lab_b", "gradient_energy"),
)


def timed(work: Callable[[], object], times: int = 5) -> float:
    """Best of `times`, in seconds."""
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


def once(work: Callable[[], object]) -> tuple[float, float]:
    """Return (wall, processor) seconds of one go; they differ on a busy machine."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def write_scores(root: Path, runs: int, steps: int) -> None:
    from b100tui.metrics.registry import metrics
    from b100tui.model.records import ScoreRecord

    names = [one.id for one in metrics() if one.paper and one.backend == "pyiqa"]
    rng = random.Random(5)
    with (root / ".b100" / "scores" / "bench-2-2.jsonl").open("wb") as part:
        for number in range(runs):
            run = f"image{number % 13:02d}/replicate-2k-{number // 65}/run-{number // 13}"
            first = rng.randint(5, 20)
            for step in range(steps):
                for place, name in enumerate((*names, *PROBES)):
                    if name in ("texture_ratio", "colour_cast") and step <= 1:
                        continue
                    value = 0.3 + 0.02 * place + 0.004 * max(0, step - first) * (-1) ** place
                    record = ScoreRecord(
                        run=run,
                        step=step,
                        metric=name,
                        metric_version="1",
                        value=value + rng.gauss(0, 0.004),
                    )
                    part.write(msgspec.json.encode(record) + b"\n")


def gaps(root: Path) -> None:
    from b100tui.index.store import open_index
    from b100tui.report.evidence import gap_table

    index = open_index(root)
    yardstick = timed(
        lambda: index.ask("SELECT metric, step, avg(value) FROM score GROUP BY ALL"), 3
    )
    for by in ("image", "setting", "run"):
        seconds = timed(lambda by=by: gap_table(index, by=by, metrics="paper"))  # type: ignore[misc]
        cells = len(gap_table(index, by=by, metrics="paper").cells)
        scan = ("one averaging scan", 1000 * yardstick)
        tell(f"gaps by {by}", 1000 * seconds, "ms", 150, peer=scan, note=f"{cells} cells")
    index.close()


def onset(root: Path) -> None:
    from b100tui.index.store import open_index
    from b100tui.report.evidence import onset_table, runs_of

    index = open_index(root)
    runs = runs_of(index)
    wall, processor = once(lambda: onset_table(index, runs))
    note = f"{processor:.1f} s of processor"
    tell(f"onset and limit of {len(runs)} runs x 7 signals", wall, "s", 30, note=note)
    index.close()


def gate(root: Path) -> None:
    from b100tui.index.store import open_index
    from b100tui.report.gate import decide, known_scores, own_run, wanted_signals

    index = open_index(root)
    run = index.run_ids()[0]
    index.close()
    one = own_run(root, run)
    assert one is not None
    names = wanted_signals("onset", ())
    scored = known_scores(root, one, names)
    last = max(step.step for step in one.steps)
    seconds = timed(lambda: decide(one, scored, last, "onset"))
    tell(f"gate, decision on {last} steps", 1000 * seconds, "ms", 50)
    words = [sys.executable, "-m", "b100tui", "gate", run, "--root", str(root), "--no-probes"]
    cold = timed(lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=False), 3)
    bare = timed(lambda: subprocess.run([sys.executable, "-c", "import numpy, duckdb"], check=True))
    tell("gate, cold command", cold, "s", 1.2, peer=("importing numpy and duckdb", bare))


def drift(folder: Path) -> None:
    import cv2

    from b100tui.index.build import refresh
    from b100tui.index.store import open_index
    from b100tui.report.drift import drift_series
    from tests.imaging.pairs import moved, noisy, scene
    from tests.index.folder import add_step

    run, root = "dongpo/replicate-2k/run-0", folder / "drift"
    picture = scene(1, (1504, 2816))
    for step in range(1, 101):
        pixels = noisy(moved(picture, zoom=0.0005 * (step - 1)), 2, step)
        data = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
        add_step(root, run, step, data=data, size=(2816, 1504))
    refresh(root)
    index = open_index(root)
    steps = index.steps(run)
    index.close()
    small = cv2.cvtColor(cv2.resize(picture, (1408, 752)), cv2.COLOR_RGB2GRAY)
    yardstick = timed(lambda: cv2.phaseCorrelate(small.astype("float32"), small.astype("float32")))
    first, processor = once(lambda: drift_series(root, steps))
    again = timed(lambda: drift_series(root, steps))
    phase = ("a phase correlation a step", 100 * yardstick)
    note = f"{processor:.1f} s of processor; again {1000 * again:.0f} ms"
    tell("drift of 100 steps of 2816x1504 JPEG", first, "s", 20, peer=phase, note=note)


def report(root: Path, out: Path) -> None:
    from b100tui.index.store import open_index
    from b100tui.report.origin import Wanted
    from b100tui.report.report import make_report

    index = open_index(root)
    wanted = Wanted(bounds={"pi": (None, 20.0)}, metrics="paper")
    wall, processor = once(lambda: make_report(index, out, wanted))
    tell("report, all figures and formats", wall, "s", 60, note=f"{processor:.1f} s of processor")
    index.close()


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--runs", type=int, default=280)
    words.add_argument("--steps", type=int, default=100)
    words.add_argument("--keep", type=Path)
    words.add_argument("--only", default="gaps,onset,gate,drift,report")
    args = words.parse_args()
    from b100tui.cli.output import one_blas_thread

    one_blas_thread()
    from b100tui.index.build import refresh
    from tests.bench.bench_index import make_folder

    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        for name in ("CACHE", "STATE", "CONFIG", "DATA"):
            os.environ[f"B100_{name}_DIR"] = str(folder / name.lower())
        root = folder / "runs"
        if not root.exists():
            root.mkdir(parents=True)
            make_folder(root, args.runs, args.steps, 0)
            write_scores(root, args.runs, args.steps)
        print(f"index ready in {timed(lambda: refresh(root), 1):.1f} s")
        wanted = args.only.split(",")
        for name, work in (("gaps", gaps), ("onset", onset), ("gate", gate)):
            if name in wanted:
                work(root)
        if "drift" in wanted:
            drift(Path(temporary))
        if "report" in wanted:
            report(root, Path(temporary) / "report")


if __name__ == "__main__":
    main()
