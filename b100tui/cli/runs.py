"""`b100 runs`: the runs of a folder."""

import argparse

from b100tui.cli.indexed import add_refresh, opened, tell_empty
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate
from b100tui.cli.tabular import counted, print_table, spark

EPILOG = """examples:
  b100 runs DIR
  b100 runs --filter 'image:dongpo onset<8'
  b100 runs --filter 'step>10 brisque.gap>0' --jsonl

onset is a quick estimate: the middle of what the first three signals say, without an interval.
b100 onset fits all signals, gives the interval and has the last word; they may differ."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 runs`."""
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("dir", nargs="?", metavar="ROOT", help="folder of runs")
    parser.add_argument("--filter", metavar="EXPR", help="only runs for which this holds")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the runs."""
    index = opened(args, args.dir)
    rows = index.runs(args.filter)
    if args.json:
        emit_json(rows)
    elif args.jsonl:
        emit_jsonl(rows)
    else:
        print_table(
            ("run", "steps", "missing", "size", "signal", "onset", "worst", "gap", "notes"),
            (
                (
                    row.run,
                    row.steps,
                    len(row.missing) or None,
                    f"{row.sizes[0][0]}x{row.sizes[0][1]}" if row.sizes else None,
                    spark(row.spark),
                    row.onset,
                    row.worst_metric,
                    row.worst_gap,
                    " ".join(row.badges),
                )
                for row in rows
            ),
        )
        print(f"{counted(len(rows), 'run')}, {counted(sum(row.steps for row in rows), 'step')}")
        if any(row.onset is not None for row in rows):
            narrate("onset is a quick estimate here; b100 onset has the full one, with interval")
    if not rows:
        tell_empty(index)
    return 0
