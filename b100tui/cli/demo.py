"""`b100 demo`: write the simulated data set."""

import argparse
import os
import sys
from pathlib import Path

from b100tui.cli.output import add_json, emit_json, narrate

_EXPECTED = {
    "small": "78 runs of 30 steps: about a minute and 180 MB on two cores",
    "paper": "280 runs of 100 steps: about 1 minute and 850 MB on two cores",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 demo`."""
    parser.add_argument("dir", metavar="DIR", help="a new or empty folder, or an unfinished demo")
    parser.add_argument(
        "--scale", choices=tuple(_EXPECTED), default="small", help="how much (default small)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="other planted truth")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make the demo and say what it holds."""
    from b100tui.engine.demo import DEFAULT_SEED, ensure_demo

    seed = DEFAULT_SEED if args.seed is None else args.seed
    folder = Path(os.path.abspath(os.path.expanduser(args.dir)))
    if not _holds_something(folder):
        narrate(f"SIMULATED data, {_EXPECTED[args.scale]}")
    report = ensure_demo(folder, args.scale, seed, _progress if sys.stderr.isatty() else None)
    if report.kept:
        narrate(f"the demo is there already, nothing was made: {report.root}")
    if args.json:
        emit_json(
            {"root": report.root, "runs": report.runs, "steps": report.steps, "truth": report.truth}
        )
    else:
        print(f"{report.root}: {report.runs} runs, {report.steps} steps (SIMULATED)")
        print(f"planted truth: {report.truth}")
    narrate(f"look at it: b100 explore {report.root}")
    return 0


def _holds_something(folder: Path) -> bool:
    """Tell whether the demo may be there already, or other files that bar it."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def _progress(done: int, total: int, run: str) -> None:
    doing = "" if run else ", drawing the initial images"
    sys.stderr.write(f"\r{done}/{total} runs{doing}\x1b[K" + ("\n" if done == total else ""))
    sys.stderr.flush()
