"""`b100 steps RUN`: the steps of one run with prompts, texts, scores and verdicts."""

import argparse

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl
from b100tui.cli.tabular import print_table
from b100tui.model.steps import parse_steps

_SCORES = 4  # metrics in the table for people; --json has all


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 steps`."""
    parser.add_argument("run", metavar="RUN", help="run id or a unique prefix of it")
    parser.add_argument("--steps", metavar="STEPS", help="1,5,10-20,50- or every:10")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the steps."""
    select = parse_steps(args.steps) if args.steps else None
    index = opened(args)
    row = index.find_run(args.run)
    views = index.step_views(row.run)
    if select is not None:
        wanted = set(select(view.step for view in views))
        views = [view for view in views if view.step in wanted]
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
