"""`b100 score`: scores runs, resumably, in a worker process of its own."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, writing_root
from b100tui.model.errors import NotYetError

if TYPE_CHECKING:
    from b100tui.scoring.run import ScoreReport

PARTLY = 4
_LATER = {
    "device": "choosing a device comes with the pyiqa metrics",
    "shard": "sharing the work over machines is not there yet",
    "ray": "scoring on Ray is not there yet",
    "detach": "jobs that outlive the terminal are not there yet; tmux or nohup keep this one",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 score`."""
    parser.add_argument("runs", nargs="*", metavar="RUN", help="runs to score; all without any")
    parser.add_argument(
        "--metrics", default="probes", metavar="all|probes|paper|NAME,...", help="default: probes"
    )
    parser.add_argument("--steps", metavar="STEPS", help="1,5,10-20,50- or every:10")
    parser.add_argument("--retry-failed", action="store_true", help="try failed scores again")
    parser.add_argument("--nice", action="store_true", help="leave the processor to others")
    add_refresh(parser)
    parser.add_argument("--device", metavar="D", help="not there yet")
    parser.add_argument("--shard", metavar="i/n|auto", help="not there yet")
    parser.add_argument("--ray", metavar="ADDRESS", help="not there yet")
    parser.add_argument("--detach", action="store_true", help="not there yet")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Score and report; 4 when a part of what was asked for has no value."""
    for option, words in _LATER.items():
        if getattr(args, option):
            raise NotYetError(f"b100 score --{option}: {words}", f"leave --{option} away")
    root = writing_root(args)
    from b100tui.model.steps import parse_steps
    from b100tui.scoring.plan import choose_metrics
    from b100tui.scoring.run import score
    from b100tui.scoring.session import Options
    from b100tui.workspace.settings import load

    select = parse_steps(args.steps) if args.steps else None
    metrics, unavailable = choose_metrics(args.metrics)
    settings = load(args.config)
    args.root = str(root)
    index = opened(args)
    try:
        names = [index.find_run(name).run for name in args.runs] or index.run_ids()
        steps = [step for name in dict.fromkeys(names) for step in index.steps(name)]
    finally:
        index.close()
    report = score(
        root,
        steps,
        metrics,
        unavailable=unavailable,
        select=select,
        options=Options(
            retry_failed=args.retry_failed, nice=args.nice, python=settings.score.python
        ),
        progress=_progress(),
    )
    if args.json:
        emit_json(report)
    else:
        _tell(report)
    return PARTLY if report.failed else 0


def _progress() -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None

    def show(settled: int, wanted: int) -> None:
        end = "\n" if settled >= wanted else ""
        print(f"\r{settled:,} of {wanted:,} scores", end=end, file=sys.stderr, flush=True)

    return show


def _tell(report: "ScoreReport") -> None:
    print(
        f"{report.done:,} scores made, {report.skipped:,} were there already, "
        f"{report.wanted:,} wanted, in {report.seconds:.1f} s"
    )
    for metric, reasons in report.failed.items():
        for reason, count in reasons.items():
            narrate(f"  {metric}: {count:,} without a value: {reason}")
