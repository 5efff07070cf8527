"""`b100 metrics`: the registry, with what is ready here and why not."""

import argparse
from typing import Any

from b100tui.cli.output import add_json, emit_json
from b100tui.model.errors import NotYetError
from b100tui.model.text import clean


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 metrics`."""
    add_json(parser)
    parser.add_argument(
        "action", nargs="?", choices=("fetch",), help="fetch weight files (not there yet)"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="metrics whose weights to fetch")


def run(args: argparse.Namespace) -> int:
    """Print every metric with its availability."""
    from b100tui.metrics import registry

    if args.action == "fetch":
        for name in args.names:
            registry.metric(name)
        raise NotYetError(
            "b100 metrics fetch is not there yet: this release scores with the probes only",
            "b100 score --metrics probes; other scores: b100 scores import FILE",
        )
    rows = [_row(metric) for metric in registry.metrics()]
    if args.json:
        emit_json(rows)
        return 0
    for row in rows:
        bounds = f"{_bound(row['low'])}..{_bound(row['high'])}"
        state = "ready" if row["ready"] else f"{row['reason']}; fix: {row['fix']}"
        line = f"{row['id']:<19} {row['backend']:<9} {row['direction']:<8} {bounds:<10} {state}"
        print(clean(line).rstrip())
    print(
        "\npyiqa and its metrics are licensed PolyForm-Noncommercial-1.0.0: not for commercial use."
    )
    return 0


def _row(metric: Any) -> dict[str, Any]:
    from b100tui.metrics.registry import availability

    state = availability(metric)
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
