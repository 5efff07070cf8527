"""`b100 steps RUN`: the steps of one run with prompts, texts, scores and verdicts."""

import argparse
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate
from b100tui.cli.tabular import print_table
from b100tui.model.errors import UnknownRunError
from b100tui.model.steps import parse_steps

if TYPE_CHECKING:
    from b100tui.index.rows import RunRow
    from b100tui.index.store import Index

_SCORES = 4  # metrics in the table for people; --json has all


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 steps`."""
    parser.add_argument(
        "run", metavar="RUN", help="run id or a unique prefix of it; RUN@STEP: one step"
    )
    parser.add_argument("--steps", metavar="STEPS", help="1,5,10-20,50- or every:10")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the steps."""
    select = parse_steps(args.steps) if args.steps is not None else None
    row, steps = _find(index := opened(args), args.run, args.steps)
    views = index.step_views(row.run)
    if select is None and steps is not None:
        select = parse_steps(steps)
    if select is not None:
        wanted = set(select(view.step for view in views))
        views = [view for view in views if view.step in wanted]
        if not views:
            narrate(f"{row.run} has steps {row.first_step} to {row.last_step}: none is {steps}")
    if args.json:
        emit_json(views)
        return 0
    if args.jsonl:
        emit_jsonl(views)
        return 0
    metrics = sorted({metric for view in views for metric in view.scores})[:_SCORES]
    print(row.run)
    print_table(
        ("step", "status", "size", "format", "bytes", *metrics, "verdict", "notes"),
        (
            (
                view.step,
                view.status,
                f"{view.width}x{view.height}" if view.width else None,
                view.format,
                view.bytes,
                *(view.scores.get(metric) for metric in metrics),
                view.verdict,
                "; ".join(
                    (
                        *((view.reason,) if view.reason else ()),
                        *view.warnings,
                        *(mark.mode for mark in view.marks),
                    )
                ),
            )
            for view in views
        ),
    )
    return 0


def _find(index: "Index", name: str, steps: str | None) -> "tuple[RunRow, str | None]":
    """Return the run named and the steps meant: `name` may be RUN@STEP where `steps` is None."""
    try:
        return index.find_run(name), steps
    except UnknownRunError:
        run, at, step = name.rpartition("@")
        if steps is not None or not (at and step.isdecimal()):
            raise
        return index.find_run(run), step
