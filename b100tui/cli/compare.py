"""`b100 compare GROUP GROUP`: remedies, editors or two dates of one analysis side by side."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.gaps import listed_steps, reference_of
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, one_blas_thread
from b100tui.cli.tabular import counted, print_table

if TYPE_CHECKING:
    from b100tui.analysis.groups import Broken
    from b100tui.report.comparison import GroupComparison, GroupSide, TableComparison

EPILOG = """examples:
  b100 compare 'editor:pro' 'editor:fast'
  b100 compare 'setting:replicate-2k' 'setting:denoise' --steps 5,10,20,50 --json
  b100 compare @yesterday.json now

A GROUP is a filter expression. @FILE is a table saved by b100 gaps --json; `now` is the same
table of today: the cells that changed are listed, those whose failure turned first."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 compare`."""
    parser.epilog = EPILOG
    parser.add_argument("first", metavar="GROUP", help="a filter expression, or @FILE")
    parser.add_argument("second", metavar="GROUP", help="another one, or now")
    parser.add_argument("--steps", default="5,10,20", metavar="N,N", help="default 5,10,20")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument("--metrics", metavar="NAMES", help="all, paper, probes or NAME,...")
    parser.add_argument("--by", metavar="KIND", help="of `now` (default as the saved table)")
    parser.add_argument(
        "--bound", action="append", default=[], metavar="pi=20", help="of `now`, as in b100 gaps"
    )
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the comparison."""
    one_blas_thread()
    from b100tui.report.comparison import SAVED

    if args.first.startswith(SAVED) or args.second.startswith(SAVED):
        return _tables(args)
    steps = listed_steps(args.steps)
    reference = reference_of(args)
    from b100tui.report.comparison import compare_groups
    from b100tui.report.onsets import tolerances_of

    using = tolerances_of(args.config)
    index = opened(args)
    try:
        found = compare_groups(
            index,
            args.first,
            args.second,
            steps=steps,
            reference=reference,
            metrics=args.metrics,
            using=using,
        )
    finally:
        index.close()
    if args.json:
        emit_json(found)
    else:
        _print(found)
    for note in found.notes:
        narrate(note)
    return 0


def _tables(args: argparse.Namespace) -> int:
    from b100tui.model.errors import UsageError
    from b100tui.report.chosen import parse_bounds
    from b100tui.report.comparison import NOW, SAVED, compare_tables, read_saved, table_now

    sides = []
    for text, other in ((args.first, args.second), (args.second, args.first)):
        if text.startswith(SAVED):
            sides.append(read_saved(Path(text[1:])))
        elif text == NOW:
            index = opened(args)
            try:
                like = read_saved(Path(other[1:]))
                bounds = parse_bounds(args.bound)
                sides.append(table_now(index, like, by=args.by, bounds=bounds).rows())
            finally:
                index.close()
        else:
            raise UsageError(
                f"{text!r} cannot stand beside a saved table", "write now, or @FILE on both sides"
            )
    found = compare_tables(sides[0], sides[1])
    if args.json:
        emit_json(found)
    else:
        _print_tables(found)
    for note in found.notes:
        narrate(note)
    return 0


def _print(found: "GroupComparison") -> None:
    differences = {(one.metric, one.step): one for one in found.differences}
    rows = []
    for metric in found.first.metrics:
        for at, step in enumerate(found.steps):
            one, other = found.first.metrics[metric][at], found.second.metrics[metric][at]
            apart = differences[metric, step]
            between = "-" if apart.low is None else f"{apart.low:+.1f} to {apart.high:+.1f}"
            name = metric + (" (raw)" if metric in found.open_ranges else "")
            rows.append((name, step, _cell(one), _cell(other), apart.value, between, apart.clear))
    print_table(
        ("metric", "step", found.first.group, found.second.group, "apart", "95 %", "clear"), rows
    )
    for name in ("onset", "limit"):
        told = "; ".join(
            f"{side.group}: {_broken(getattr(side, name))}" for side in (found.first, found.second)
        )
        print(f"{name}: {told}")
    print("; ".join(_cost(side) for side in (found.first, found.second)))


def _cell(cell: tuple[float | None, float | None, int]) -> str:
    mean, sd, n = cell
    if mean is None:
        return "-"
    return f"{mean:+.1f}" + (f" ±{sd:.1f}" if sd is not None else "") + f" (n {n})"


def _broken(one: "Broken") -> str:
    unknown = f"not known in {one.unknown} of {one.n}" if one.unknown else ""
    if one.low is None:
        never = f"never in {one.never} of {one.n}" if one.never or not unknown else ""
        return ", ".join(filter(None, (never, unknown)))
    middle = "never" if one.median is None else f"{one.median:g}"
    told = f"median {middle}, {one.low}-{one.high}, never in {one.never} of {one.n}"
    return ", ".join(filter(None, (told, unknown)))


def _cost(side: "GroupSide") -> str:
    if side.usd is None:
        return f"{side.group}: {counted(side.runs, 'run')}, cost not known"
    return (
        f"{side.group}: {counted(side.runs, 'run')}, {side.usd:.2f} USD (known of {side.usd_known})"
    )


def _print_tables(found: "TableComparison") -> None:
    print_table(
        ("group", "metric", "step", "before", "after", "failure before", "failure after"),
        (
            (
                *(one.group, one.metric, one.step, one.before, one.after),
                *(one.failure_before, one.failure_after),
            )
            for one in found.changed
        ),
    )
    print(
        f"{len(found.changed)} of {found.cells} cells changed, {found.turned} failures turned,"
        f" {found.new} new, {found.gone} gone"
    )
