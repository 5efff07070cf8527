"""`b100 doctor`: what works here, what does not, and the fix for each."""

import argparse
from typing import TYPE_CHECKING

from b100tui.cli.output import add_json, emit_json

if TYPE_CHECKING:
    from b100tui.cli.doctor_checks import Check

EPILOG = """examples:
  b100 doctor
  b100 doctor --json | jq '.checks[] | select(.ok | not)'

A check that fails costs nothing but what it names: pictures, scores or colours. The exit
code is 0 whatever was found. Keys are never printed."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `b100 doctor`."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--paid",
        action="store_true",
        help="also ask a judge one question, after a typed yes",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run `b100 doctor`."""
    from b100tui.cli.doctor_checks import all_checks

    checks = all_checks(args.root, args.config, paid=args.paid)
    if args.json:
        emit_json({"checks": checks})
        return 0
    width = max(len(check.id) for check in checks)
    for check in checks:
        _print(check, width)
    failed = sum(not check.ok for check in checks)
    print(f"\n{len(checks) - failed} of {len(checks)} checks are fine")
    return 0


def _print(check: "Check", width: int) -> None:
    print(f"{'ok ' if check.ok else 'no '} {check.id:<{width}}  {check.found}")
    if check.fix:
        print(f"    {'':<{width}}  {'fix' if not check.ok else 'hint'}: {check.fix}")
