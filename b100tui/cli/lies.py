"""`b100 lies`: metrics that said "better" while the evidence said "worse"."""

import argparse
import sys
from typing import TYPE_CHECKING

from b100tui.cli.drift import counting
from b100tui.cli.gaps import reference_of
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate, one_blas_thread
from b100tui.cli.tabular import print_table

if TYPE_CHECKING:
    from b100tui.report.lies import LieRow

EPILOG = """examples:
  b100 lies dongpo/replicate-2k-sim-pro/run-1
  b100 lies --filter 'editor:pro' --metrics paper --json

A metric contradicts the probes when its score improved beyond its repeat spread while aligned
fidelity fell and noise, cast, texture, halo or grid moved. The word "lie" needs human marks or
two independent kinds of evidence. Aligned fidelity is measured where it is not known yet, and
kept; --no-align leaves that out."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 lies`."""
    parser.epilog = EPILOG
    parser.add_argument("run", nargs="*", metavar="RUN", help="run ids or unique prefixes")
    parser.add_argument("--metrics", metavar="NAMES", help="all, paper or NAME,...")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument("--filter", metavar="EXPR", help="only runs for which this holds")
    parser.add_argument("--all", action="store_true", help="also metrics that nothing contradicts")
    parser.add_argument("--no-align", action="store_true", help="measure no aligned fidelity")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the contradictions."""
    reference = reference_of(args)
    one_blas_thread()
    from b100tui.report.evidence import lies_table, named_runs

    index = opened(args)
    try:
        runs = named_runs(index, args.run, args.filter)
        found = lies_table(
            index,
            runs,
            metrics=args.metrics,
            reference=reference,
            align=not args.no_align,
            progress=counting("looking at", "runs") if sys.stderr.isatty() else None,
        )
    finally:
        index.close()
    if runs and not found:
        narrate("no metric with a known direction is scored here: nothing can be accused")
    rows = [row for row in found if args.all or row.status != "consistent"]
    if args.json:
        emit_json(rows)
    elif args.jsonl:
        emit_jsonl(rows)
    else:
        _print(rows, len(runs))
    return 0


def _print(rows: "list[LieRow]", runs: int) -> None:
    shown = [row for row in rows if row.status != "not_applicable"]
    print_table(
        ("run", "step", "metric", "gap", "word", "confidence", "evidence"),
        (
            (
                row.run,
                row.step,
                row.metric,
                None if row.gap is None else round(row.gap, 2),
                row.word or row.status,
                round(row.confidence, 2),
                "; ".join(row.evidence) or row.reason,
            )
            for row in sorted(shown, key=lambda row: (-row.confidence, row.run, row.metric))
        ),
        widest=100,
    )
    counts: dict[str, int] = {}
    for row in shown:
        if row.status == "contradicts":
            counts[row.metric] = counts.get(row.metric, 0) + 1
    for metric, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        print(f"{metric}: contradicted in {count} of {runs} run{'s'[: runs != 1]}")
    reasons: dict[str, int] = {}
    for row in rows:
        if row.status == "not_applicable":
            reasons[row.reason] = reasons.get(row.reason, 0) + 1
    for reason, count in reasons.items():
        narrate(f"not applicable to {count} metrics of runs: {reason}")
