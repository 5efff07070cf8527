"""`b100 sql "SELECT ..."`: one read-only statement over the index, in a process with a limit."""

import argparse

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json
from b100tui.cli.query import print_rows

EPILOG = """Tables: run, step, section, score, verdict, mark, run_summary, series, gap, metric;
view: normalised.

example:
  b100 sql "SELECT run, count(*) FROM step GROUP BY run" --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 sql`."""
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("text", metavar="SELECT", help="one SELECT or EXPLAIN")
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="most (default 30)"
    )
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Run the statement and print its rows."""
    from b100tui.index.sql import run_sql

    index = opened(args)
    print_rows(args, run_sql(index.root, args.text, args.timeout))
    return 0
