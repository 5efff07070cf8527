"""`b100 metrics`: the registry, with what is ready here and why not; fetches weights."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from b100tui.cli.output import add_json, emit_json, narrate
from b100tui.model.text import clean

if TYPE_CHECKING:
    from b100tui.metrics.fetch import Fetched, Progress
    from b100tui.metrics.preflight import Availability

FAILED, PARTLY = 1, 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 metrics`."""
    add_json(parser)
    parser.add_argument("--all", action="store_true", help="also every other name pyiqa knows")
    parser.add_argument("action", nargs="?", choices=("fetch",), help="fetch weight files")
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics whose weights to fetch")


def run(args: argparse.Namespace) -> int:
    """Print every metric with its availability, or fetch weights."""
    from b100tui.metrics import preflight, registry
    from b100tui.workspace.settings import load

    python = load(args.config).score.python
    if args.action == "fetch":
        return _fetch(args, python)
    listed = registry.metrics() + (registry.more() if args.all else ())
    states = preflight.check([metric.id for metric in listed], python)
    rows = [_row(metric, states[metric.id]) for metric in listed]
    if args.json:
        emit_json(rows)
        return 0
    _print_table(rows)
    print(
        "\npyiqa and its metrics are licensed PolyForm-Noncommercial-1.0.0: not for commercial use."
    )
    return 0


def _print_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print one line a metric, and each reason with its fix once below."""
    notes: dict[tuple[str, str], int] = {}
    print(f"{'id':<19} {'backend':<9} {'better':<8} {'range':<10} ready")
    for row in rows:
        bounds = f"{_bound(row['low'])}..{_bound(row['high'])}"
        state = "yes"
        if not row["ready"]:
            number = notes.setdefault((row["reason"], row["fix"]), len(notes) + 1)
            state = f"no ({number})"
        line = f"{row['id']:<19} {row['backend']:<9} {row['direction']:<8} {bounds:<10} {state}"
        print(clean(line).rstrip())
    for (reason, fix), number in notes.items():
        print(clean(f"\n({number}) {reason}\n    fix: {fix}"))


def _fetch(args: argparse.Namespace, python: str) -> int:
    from b100tui.metrics import registry
    from b100tui.metrics.fetch import fetch
    from b100tui.model.errors import UsageError

    if not args.names:
        raise UsageError("b100 metrics fetch needs names", "b100 metrics fetch niqe brisque")
    names = [registry.metric(name).id for name in args.names]
    found = fetch(names, python, _bar())
    if args.json:
        emit_json(found)
    else:
        _tell(found)
    failed = sum(one.status == "failed" for one in found)
    if not failed:
        return 0
    return PARTLY if failed < len(found) else FAILED


def _tell(found: "Sequence[Fetched]") -> None:
    for one in found:
        print(clean(f"{one.metric:<12} {one.status:<8} {one.path}"))
        if one.reason:
            narrate(f"  {one.reason}\n  fix: {one.fix}")
    if not found:
        print("these metrics need no weight files")


def _bar() -> "Progress | None":
    if not sys.stderr.isatty():
        return None

    def show(file: str, so_far: int, whole: int) -> None:
        of = f" of {whole / 1e6:.0f}" if whole else ""
        text = f"\r{file}: {so_far / 1e6:.0f}{of} MB\x1b[K"
        print(text, end="\n" if so_far == whole else "", file=sys.stderr, flush=True)

    return show


def _row(metric: Any, state: "Availability") -> dict[str, Any]:
    return {
        "id": metric.id,
        "name": metric.name,
        "ready": state.ready,
        "reason": state.reason,
        "fix": state.fix,
        "backend": metric.backend,
        "direction": metric.direction,
        "low": metric.low,
        "high": metric.high,
        "min_side": metric.min_side,
        "licence": metric.licence,
        "paper": metric.paper,
        "needs_reference": metric.needs_reference,
        "cost": metric.cost,
        "about": metric.about,
    }


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
