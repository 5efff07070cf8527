"""`b100 query NAME`: a named question from queries/ or the user's own folder."""

import argparse
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl
from b100tui.cli.tabular import counted, print_table
from b100tui.model.errors import UsageError
from b100tui.model.text import clean
from b100tui.workspace.places import config_dir

if TYPE_CHECKING:
    from b100tui.index.sql import Table


_PLAN = ("explain_key", "explain_value")  # what EXPLAIN answers: a drawing of many lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 query`."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="name of the query")
    parser.add_argument("--list", action="store_true", help="list the queries and their parameters")
    parser.add_argument(
        "-p", "--param", action="append", default=[], metavar="K=V", help="a parameter of the query"
    )
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="most (default 30)"
    )
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """List the queries, or run one and print its rows."""
    from b100tui.index.queries import list_queries, run_query

    folder = config_dir() / "queries"
    if args.list:
        queries = list_queries(folder)
        if args.json:
            emit_json(queries)
        elif args.jsonl:
            emit_jsonl(queries)
        else:
            print_table(
                ("name", "parameters", "about"),
                (
                    (
                        query.name,
                        " ".join(f"{p.name}={p.default}" for p in query.params),
                        query.about,
                    )
                    for query in queries
                ),
                widest=100,
            )
        return 0
    if not args.name:
        raise UsageError("which query?", "b100 query --list names them")
    given: dict[str, str] = {}
    for pair in args.param:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"-p {pair}: not of the form k=v", "e.g. -p limit=20")
        given[name] = value
    index = opened(args)
    print_rows(args, run_query(index.root, args.name, given, folder, timeout=args.timeout))
    return 0


def print_rows(args: argparse.Namespace, table: "Table") -> None:
    """Print the rows of an answer as a table, a JSON list or JSON lines."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    if args.json:
        emit_json(rows)
    elif args.jsonl:
        emit_jsonl(rows)
    elif tuple(table.columns) == _PLAN:
        for _, drawing in table.rows:
            print(clean(str(drawing)))
    else:
        print_table(table.columns, table.rows)
        print(counted(len(rows), "row"))
