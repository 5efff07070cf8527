"""`b100 estimate`: what a plan will take, before a cent is spent."""

import argparse

from b100tui.cli.editing import show_estimate
from b100tui.cli.output import add_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the plan to price."""
    add_json(parser)
    parser.add_argument("plan", metavar="PLAN", help="banana100, another shipped plan, or a file")
    parser.add_argument("--jobs", type=int, default=8, metavar="N", help="runs at once (default 8)")


def run(args: argparse.Namespace) -> int:
    """Price and print."""
    from b100tui.engine.estimate import estimate, experiment_runs
    from b100tui.engine.plans import read_experiment

    experiment = read_experiment(args.plan)
    told = estimate(
        experiment_runs(experiment), jobs=max(1, args.jobs), assumptions=experiment.assumptions
    )
    show_estimate(told, args.json)
    return 0
