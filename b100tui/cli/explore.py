"""`b100 explore`: the explorer in a terminal."""

import argparse
import sys
from pathlib import Path

from b100tui.cli.output import one_blas_thread, reading_root
from b100tui.cli.registry import find_command
from b100tui.model.errors import UsageError

HEADLESS = "b100 runs, b100 steps RUN, b100 show RUN@STEP, b100 search QUERY"
GRAPHICS = ("auto", "kitty", "sixel", "iterm", "half", "text")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", nargs="?", metavar="ROOT", help="folder of runs")
    parser.add_argument(
        "--demo", action="store_true", help="make a small simulated data set and open it"
    )
    parser.add_argument("--run", metavar="RUN", help="open this run (id or unique prefix)")
    parser.add_argument("--step", type=int, metavar="N", help="open this step")
    parser.add_argument("--theme", metavar="T", help="dark, light, ansi, colour-blind, your own")
    parser.add_argument("--graphics", choices=GRAPHICS, help="how pictures are drawn")
    parser.add_argument("--link", metavar="SPEED", help="fast, slow, or kbit/s")


def run(args: argparse.Namespace) -> int:
    """Open the explorer; without a terminal leave with 2 and name the headless commands."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("explore needs a terminal", f"without one: {HEADLESS}")
    root = _demo() if args.demo else reading_root(args, args.folder)
    one_blas_thread()
    from b100tui.tui.start import explore
    from b100tui.workspace.places import remember_root

    if not args.demo:
        remember_root(root)
    flags = {"theme": args.theme, "graphics": args.graphics, "link": args.link}
    if args.no_color:
        flags["colours"] = "none"
    return explore(root, run=args.run, step=args.step, config=args.config, flags=flags)


def _demo() -> Path:
    """Return the demo's folder, made on first use."""
    from b100tui.engine.demo import demo_root

    root = demo_root()
    if not (root / "truth.json").exists():
        print("b100: making the simulated demo data, once ...", file=sys.stderr)
        command, arguments = find_command(["demo", str(root)])
        command.run(command.parse(arguments))
    return root
