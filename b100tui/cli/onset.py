"""`b100 onset`: when each run began to change, and when it became bad."""

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from b100tui.cli.gaps import reference_of
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate, one_blas_thread
from b100tui.cli.tabular import counted, print_table
from b100tui.model.steps import parse_steps

if TYPE_CHECKING:
    from b100tui.report.evidence import OnsetRow

STATUSES = {
    "onset": "with an onset",
    "from_start": "changed from the reference on",
    "none": "without a change",
    "too_short": "too short to tell",
}
EPILOG = """examples:
  b100 onset
  b100 onset dongpo/replicate-2k-sim-pro --json
  b100 onset --filter 'editor:pro' --jsonl

onset is the first step that carries a change, with its interval and the signals that agree.
limit is the first bad step: beyond a tolerance for two comparable steps ([limit] in the
settings). This is the full answer; the onset in `b100 runs`, in the explorer's list and in
filters (onset<8) is a quick estimate of the same without an interval, and may differ.
How both are found stands in: b100 help analysis"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 onset`."""
    parser.epilog = EPILOG
    parser.add_argument("run", nargs="*", metavar="RUN", help="run ids or unique prefixes")
    parser.add_argument("--steps", metavar="STEPS", help="only these: 1,5,10-20,50- or every:10")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument("--filter", metavar="EXPR", help="only runs for which this holds")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the onsets."""
    select = parse_steps(args.steps) if args.steps else None
    reference = reference_of(args)
    one_blas_thread()
    from b100tui.report.evidence import kept_signals, named_runs, onset_table, tolerances_of

    using = tolerances_of(args.config)
    index = opened(args)
    try:
        runs = named_runs(index, args.run, args.filter)
        # Aligned fidelity counts where `b100 drift` or `b100 lies` measured it before.
        aligned = kept_signals(index, [one.run for one in runs], reference)
        rows = onset_table(
            index, runs, reference=reference, select=select, using=using, aligned=aligned
        )
    finally:
        index.close()
    if args.json:
        emit_json(rows)
    elif args.jsonl:
        emit_jsonl(rows)
    else:
        _print(rows)
    return 0


def _print(rows: "list[OnsetRow]") -> None:
    print_table(
        ("run", "onset", "interval", "signals", "limit", "beyond", "marked", "note"),
        (
            (
                row.run,
                row.step if row.status == "onset" else row.status.replace("_", " "),
                None if row.low is None else f"{row.low}-{row.high}",
                ", ".join(row.consensus) + (" (single)" if row.single else ""),
                row.limit,
                row.limit_why or None,
                row.marked,
                row.reason,
            )
            for row in rows
        ),
    )
    found = Counter[str](row.status for row in rows)
    told = ", ".join(f"{found[one]} {word}" for one, word in STATUSES.items() if found[one])
    narrate(counted(len(rows), "run") + (f": {told}" if told else ""))
