"""`b100 drift RUN`: how each step lies against the reference step: zoom, shift, crop, turn."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from b100tui.cli.gaps import reference_of
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate
from b100tui.cli.tabular import print_table
from b100tui.model.steps import parse_steps

if TYPE_CHECKING:
    from b100tui.report.drift import DriftRow

EPILOG = """examples:
  b100 drift dongpo/replicate-2k-sim-pro/run-1
  b100 drift dongpo/replicate-2k-sim-pro/run-1 --steps every:10 --json

Of the content, about the picture's centre: zoom > 0 is larger, dx and dy > 0 are moved right
and down, in the step's source pixels. unreliable means that nobody can tell, with the reason."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 drift`."""
    parser.epilog = EPILOG
    parser.add_argument("run", metavar="RUN", help="run id or a unique prefix of it")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument("--steps", metavar="STEPS", help="1,5,10-20,50- or every:10")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the drift."""
    select = parse_steps(args.steps) if args.steps else None
    reference = reference_of(args)
    from b100tui.report.drift import drift_series

    index = opened(args)
    try:
        steps = index.steps(index.find_run(args.run).run)
    finally:
        index.close()
    wanted = None if select is None else select(step.step for step in steps)
    shown = counting("aligning") if sys.stderr.isatty() else None
    series = drift_series(index.root, steps, reference=reference, wanted=wanted, progress=shown)
    if series.trouble:
        narrate(f"not kept for the next time: {series.trouble}")
    if args.json:
        emit_json(series.rows)
    elif args.jsonl:
        emit_jsonl(series.rows)
    else:
        print_table(
            (
                *("step", "status", "zoom %", "dx", "dy", "aspect %", "crop %", "turn", "mirror"),
                *("confidence", "ssim", "changed %", "reason"),
            ),
            (
                (
                    *(row.step, row.status),
                    *map(
                        _rounded,
                        (row.zoom_pct, row.dx_px, row.dy_px, row.aspect_pct, row.crop_pct),
                    ),
                    *(_rounded(row.rotation_deg), row.mirrored, _rounded(row.confidence)),
                    _rounded(row.ssim),
                    _rounded(None if row.changed_share is None else 100 * row.changed_share),
                    "; ".join(filter(None, (row.reason, row.note, _no_op(row, reference)))),
                )
                for row in series.rows
            ),
        )
    return 0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3) + 0.0


def _no_op(row: "DriftRow", reference: int) -> str:
    return "no-op" if row.no_op and row.step != reference else ""


def counting(doing: str, what: str = "steps") -> Callable[[int, int], None]:
    """Return a progress line on stderr, redrawn in place."""

    def show(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{doing} {done} of {total} {what}", end=end, file=sys.stderr, flush=True)

    return show
