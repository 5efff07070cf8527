"""`b100 report`: the paper's figures and tables for this data, each with where it comes from."""

import argparse
import sys
from pathlib import Path

from b100tui.cli.gaps import listed_steps, reference_of
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, one_blas_thread

EPILOG = """examples:
  b100 report --out report
  b100 report --out report --figures 5,6 --formats png,svg --bound pi=20
  b100 report --out report --tables onset,notice,agreement --formats csv,html

Figures: 4 (gap over steps), 5 (gaps), 6 (failures), 7 (scores over steps), 10 (failures by
editor), strips. Tables: 1 (initial images), 2 (metrics), first-yes; by name also gaps, onset,
notice, agreement. Naming figures leaves the tables out, and the other way round. The same
command on the same data, machine and versions makes the same bytes; provenance.json lists all."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 report`."""
    parser.epilog = EPILOG
    parser.add_argument("--out", required=True, metavar="DIR", help="a folder beside the runs")
    parser.add_argument("--figures", metavar="LIST", help="4,5,6,7,10,strips")
    parser.add_argument("--tables", metavar="LIST", help="1,2,first-yes,gaps,onset,...")
    parser.add_argument("--formats", metavar="LIST", help="png,svg,csv,parquet,tex,html")
    parser.add_argument("--filter", metavar="EXPR", help="only runs for which this holds")
    parser.add_argument("--steps", default="5,10,20", metavar="N,N", help="default 5,10,20")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument("--by", default="image", metavar="KIND", help="as in b100 gaps")
    parser.add_argument("--metrics", metavar="NAMES", help="as in b100 gaps")
    parser.add_argument("--metric", default="", metavar="NAME", help="the metric of Figure 4")
    parser.add_argument(
        "--bound", action="append", default=[], metavar="pi=20", help="as in b100 gaps"
    )
    parser.add_argument("--all-recipes", action="store_true", help="as in b100 gaps")
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the report."""
    steps = listed_steps(args.steps)
    reference = reference_of(args)
    one_blas_thread()
    from b100tui.metrics.registry import identifier
    from b100tui.report.chosen import parse_bounds
    from b100tui.report.origin import FIGURES, FORMATS, TABLES, Wanted
    from b100tui.report.report import make_report

    named = args.figures is not None or args.tables is not None
    wanted = Wanted(
        figures=_listed(args.figures, () if named else FIGURES),
        tables=_listed(args.tables, () if named else TABLES),
        formats=_listed(args.formats, FORMATS),
        filter=args.filter,
        steps=steps,
        reference=reference,
        by=args.by,
        metrics=args.metrics,
        metric=identifier(args.metric) if args.metric else "",
        bounds=parse_bounds(args.bound),
        bound_words=tuple(args.bound),
        all_recipes=args.all_recipes,
    )
    out = Path(args.out)
    index = opened(args)
    try:
        shown = _tell if sys.stderr.isatty() else None
        found = make_report(index, out, wanted, shown)
    finally:
        index.close()
    for one in found.skipped:
        narrate(f"not made, {one.run}: {one.reason}")
    if args.json:
        emit_json(
            {
                "files": [
                    {
                        "path": str(out / one.path),
                        "kind": one.kind,
                        "command": one.command,
                        "sha256": one.sha256,
                    }
                    for one in found.files
                ],
                "skipped": [{"what": one.run, "reason": one.reason} for one in found.skipped],
            }
        )
    else:
        for file in found.files:
            print(out / file.path)
    return 0


def _listed(text: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    if text is None:
        return default
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
