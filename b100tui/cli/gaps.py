"""`b100 gaps`: score gaps against the reference step, and which of them are failures."""

import argparse
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate
from b100tui.cli.tabular import counted, print_table
from b100tui.model.errors import UsageError

if TYPE_CHECKING:
    from b100tui.analysis.gaps import Gap
    from b100tui.report.evidence import GapTable

EPILOG = """examples:
  b100 gaps
  b100 gaps --by editor --metrics paper --bound pi=20
  b100 gaps --filter 'image:dongpo' --by run --jsonl

A gap is the normalised score (0 to 100, higher is better, never clipped) of a step minus that
of the reference step. X marks a failure: the metric says "better" although the picture went
through the editor again. ~ marks a gap within its own spread. b100 help analysis says more."""
_LEFT_OUT_SHOWN = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 gaps`."""
    parser.epilog = EPILOG
    parser.add_argument("--steps", default="5,10,20", metavar="N,N", help="default 5,10,20")
    parser.add_argument("--reference", type=int, metavar="N", help="reference step (default 1)")
    parser.add_argument("--metrics", metavar="NAMES", help="all, paper, probes or NAME,...")
    parser.add_argument(
        "--by", default="image", metavar="KIND", help="image, setting, recipe, editor or run"
    )
    parser.add_argument(
        "--bound",
        action="append",
        default=[],
        metavar="pi=20",
        help="close an open range at a stated value",
    )
    parser.add_argument("--filter", metavar="EXPR", help="only runs for which this holds")
    parser.add_argument(
        "--all-recipes", action="store_true", help="also runs that do not replicate"
    )
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Print the gaps."""
    steps = listed_steps(args.steps)
    from b100tui.report.evidence import gap_table, parse_bounds

    bounds = parse_bounds(args.bound)
    reference = reference_of(args)
    index = opened(args)
    try:
        table = gap_table(
            index,
            args.filter,
            steps=steps,
            reference=reference,
            by=args.by,
            metrics=args.metrics,
            bounds=bounds,
            all_recipes=args.all_recipes,
        )
    finally:
        index.close()
    if args.json:
        emit_json(table.rows())
    elif args.jsonl:
        emit_jsonl(table.rows())
    else:
        _print(table)
    _narrate(table)
    return 0


def listed_steps(text: str) -> tuple[int, ...]:
    """Read `5,10,20`; UsageError for anything else."""
    try:
        steps = tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise UsageError(f"--steps {text!r} cannot be read", "write 5,10,20") from None
    if min(steps) < 0:
        raise UsageError(f"--steps {text!r}: a step is 0 or more", "write 5,10,20")
    return steps


def reference_of(args: argparse.Namespace) -> int:
    """Return the reference step: the flag, else the setting; UsageError below 0."""
    from b100tui.workspace import settings

    value: int = settings.load(args.config).reference if args.reference is None else args.reference
    if value < 0:
        raise UsageError(f"--reference {value}: a step is 0 or more", "1 is the first output")
    return value


def _print(table: "GapTable") -> None:
    header = ["group", "metric", *(f"gap {step}" for step in table.steps), "failures", "n", "note"]
    rows = []
    told: dict[str, int] = {}
    for group in table.groups:
        for metric in table.metrics:
            cells = [table.cell(group, metric.id, step) for step in table.steps]
            notes = dict.fromkeys(note for cell in cells for note in cell.note.split("; ") if note)
            rows.append(
                (
                    group,
                    metric.name,
                    *(_shown(cell) for cell in cells),
                    table.failures(group, metric.id),
                    _range([cell.n for cell in cells]),
                    " ".join(f"({told.setdefault(note, len(told) + 1)})" for note in notes),
                )
            )
    print_table(header, rows)
    for note, number in told.items():
        print(f"({number}) {note}")
    groups, metrics = counted(len(table.groups), "group"), counted(len(table.metrics), "metric")
    print(f"{groups}, {metrics}, reference {table.reference}")


def _shown(cell: "Gap") -> str:
    value = cell.gap if cell.gap is not None else cell.raw_gap
    if value is None:
        return "-"
    sd = f" ±{cell.sd:.1f}" if cell.sd is not None else ""
    raw = "" if cell.gap is not None else " raw"
    return f"{value:+.1f}{sd}{raw}{'~' if cell.within_noise else ' '}{'X' if cell.failure else ' '}"


def _range(counts: list[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low}-{high}"


def _narrate(table: "GapTable") -> None:
    """Say on stderr what was left out, and why."""
    for note in table.notes:
        narrate(note)
    reasons: dict[str, list[str]] = {}
    for one in table.left_out:
        reasons.setdefault(one.reason, []).append(one.run)
    for reason, runs in reasons.items():
        some = ", ".join(runs[:_LEFT_OUT_SHOWN])
        more = f" and {len(runs) - _LEFT_OUT_SHOWN} more" if len(runs) > _LEFT_OUT_SHOWN else ""
        narrate(f"left out, {reason}: {some}{more}")
    if table.left_out:
        narrate("--all-recipes takes them in")
