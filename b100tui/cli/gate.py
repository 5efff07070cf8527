"""`b100 gate`: has a run broken by step N? For the loop that makes the steps: exit code 3."""

import argparse
import sys
from typing import TYPE_CHECKING, Literal

from b100tui.cli.drift import counting
from b100tui.cli.gaps import reference_of
from b100tui.cli.output import add_json, emit_json, narrate, one_blas_thread, reading_root
from b100tui.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from b100tui.report.gate import OneRun

EPILOG = """examples:
  b100 gate dongpo/replicate-2k-sim-pro/run-1 --root runs
  b100 gate dongpo/replicate-2k-sim-pro/run-1 --step 12 --on limit --json

Only steps up to N are read, and once crossed stays crossed. Leaves with 3 when crossed, 0 when
not; too short or unscored says null and leaves with 0, or 1 with --strict. return_to is the
step to go back to. Probes that are missing are measured first and kept."""
CROSSED, UNDECIDED = 3, 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 gate`."""
    parser.epilog = EPILOG
    parser.add_argument("run", metavar="RUN", help="run id (or unique prefix of an indexed one)")
    parser.add_argument("--step", type=int, metavar="N", help="as of this step (default last)")
    parser.add_argument(
        "--on",
        choices=("onset", "limit"),
        default="onset",
        help="the first change (default), or the first bad step",
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 when nothing can be decided")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument(
        "--no-probes", action="store_true", help="use the scores there are, measure nothing"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the decision; the exit code tells it too."""
    if args.step is not None and args.step < 0:
        raise UsageError(f"--step {args.step}: a step is 0 or more", "leave it out for the last")
    one_blas_thread()
    from b100tui.report.gate import gate
    from b100tui.report.onsets import tolerances_of

    reference = reference_of(args)
    using = tolerances_of(args.config)
    root = reading_root(args)
    on: Literal["onset", "limit"] = args.on
    answer = gate(
        root,
        _found(args, root),
        step=args.step,
        on=on,
        reference=reference,
        using=using,
        probes=not args.no_probes,
        progress=counting("measuring") if sys.stderr.isatty() else None,
    )
    if args.json:
        emit_json(answer)
    else:
        words = {True: "crossed", False: "not crossed", None: "cannot be decided"}
        back = "" if answer.return_to is None else f"; go back to step {answer.return_to}"
        print(f"{answer.run}@{answer.step}: {words[answer.crossed]} ({answer.why}){back}")
    if answer.stored.startswith("not kept"):
        narrate(answer.stored)
    if answer.crossed is None:
        return UNDECIDED if args.strict else 0
    return CROSSED if answer.crossed else 0


def _found(args: argparse.Namespace, root: "Path") -> "OneRun":
    """Return the run: from its own folder where b100 made it, else through the index."""
    from b100tui.report.gate import OneRun, own_run

    found = own_run(root, args.run)
    if found is not None:
        return found
    from b100tui.cli.indexed import opened
    from b100tui.report.chosen import runs_named

    args.root, args.no_refresh = str(root), False
    index = opened(args)
    try:
        row = index.find_run(args.run)
        found = own_run(root, row.folder)
        if found is not None:
            return found
        return OneRun(runs_named(index, [row.run])[0], tuple(index.steps(row.run)))
    finally:
        index.close()
