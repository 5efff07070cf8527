"""`b100 judge`: asks a model about each reasoning summary; first-yes step over runs."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from b100tui.cli.editing import job_id
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, writing_root
from b100tui.model.errors import UsageError

if TYPE_CHECKING:
    from b100tui.engine.judge import JudgeReport

PARTLY = 4
INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 judge`."""
    parser.add_argument("runs", nargs="*", metavar="RUN", help="runs to judge; all without any")
    parser.add_argument(
        "--model",
        default="gemini-3-flash",
        metavar="M",
        help="judge or model id (default gemini-3-flash)",
    )
    parser.add_argument("--steps", metavar="STEPS", help="1,5,10-20,50- or every:10")
    parser.add_argument("--budget", type=float, metavar="USD", help="most dollars of this call")
    parser.add_argument("--yes", action="store_true", help="do not ask; needs --budget if paid")
    parser.add_argument("--jobs", type=int, default=8, metavar="N", help="questions at once")
    parser.add_argument("--detach", action="store_true", help="as a job that outlives the terminal")
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Judge and report; 4 when a step that was asked for has no answer."""
    root = writing_root(args)
    from b100tui.engine.judge import JudgeItem, judge, judge_cost
    from b100tui.engine.ledger import Caps
    from b100tui.engine.stopping import Stop
    from b100tui.model.steps import parse_steps
    from b100tui.workspace.settings import load

    settings = load(args.config).edit
    select = parse_steps(args.steps) if args.steps else None
    args.root = str(root)
    index = opened(args)
    try:
        names = [index.find_run(name).run for name in args.runs] or index.run_ids()
        items = []
        for name in dict.fromkeys(names):
            row = index.find_run(name)
            steps = {step.step: step for step in index.steps(name) if step.status == "ok"}
            chosen = set(select(steps)) if select else set(steps)
            items += [
                JudgeItem(
                    run=name,
                    step=number,
                    sections=step.sections,
                    group=f"{row.image}/{row.setting}" if row.setting else row.image,
                )
                for number, step in sorted(steps.items())
                if number > 0 and number in chosen
            ]
    finally:
        index.close()
    cost = judge_cost(items, args.model)
    _confirm(cost, len(items), args)
    if args.detach:
        return _detach(args, len(items))
    report = judge(
        root,
        items,
        args.model,
        caps=Caps(batch=args.budget, day=settings.day_usd, month=settings.month_usd),
        batch=job_id(),
        jobs=max(1, args.jobs),
        stop=Stop(_say),
        tell=_progress(),
    )
    if args.json:
        emit_json(report)
    else:
        _show(report)
    if report.interrupted:
        return INTERRUPTED
    return PARTLY if report.failed or report.unparsed else 0


def _confirm(cost: float, count: int, args: argparse.Namespace) -> None:
    if not cost:
        return
    if args.yes:
        if args.budget is None:
            raise UsageError(f"--yes for up to ${cost:.2f} needs a cap", "add --budget USD")
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{count:,} questions may cost up to ${cost:.2f}", "add --yes and --budget USD"
        )
    print(f"Type yes to ask {count:,} questions (at most ${cost:.2f}): ", end="", file=sys.stderr)
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        raise UsageError("not confirmed; nothing was sent", "type yes, or give --yes and --budget")


def _detach(args: argparse.Namespace, count: int) -> int:
    from pathlib import Path

    from b100tui.jobs import b100, start

    words = ["judge", *args.runs, "--root", args.root, "--model", args.model, "--yes"]
    words += ["--budget", f"{args.budget or 0:g}", "--jobs", str(args.jobs)]
    for option in ("steps", "config"):
        if value := getattr(args, option):
            words += [f"--{option}", value]
    argv = b100(*words)
    id = start(Path(args.root), "judge", argv, count, f"judge {count} steps", retry_argv=argv)
    if args.json:
        emit_json({"job": id})
    else:
        print(id)
    return 0


def _say(words: str) -> None:
    os.write(sys.stderr.fileno(), f"\nb100: {words}\n".encode())


def _progress() -> Callable[[int, int], None]:
    from b100tui.jobs import Reporter

    reporter = Reporter.current()
    live = sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        if reporter is not None:
            reporter.progress(done, total)
            if done == total:
                reporter.flush()
        elif live:
            end = "\n" if done >= total else ""
            print(f"\r{done:,} of {total:,} steps", end=end, file=sys.stderr, flush=True)

    return show


def _show(report: "JudgeReport") -> None:
    print(
        f"{report.yes:,} yes, {report.no:,} no, {report.unparsed:,} unparsed, "
        f"{report.no_summary:,} without a summary; {report.asked:,} asked, "
        f"{report.cached:,} cached, ${report.usd:.4f}"
    )
    for row in report.first_yes:
        median = "never" if row.median is None else f"{row.median:g}"
        mean = "" if row.mean is None else f"  mean {row.mean:.1f}"
        spread = "" if row.sd is None else f" sd {row.sd:.1f}"
        print(
            f"{row.group}  first yes: median {median}{mean}{spread}  "
            f"n {row.n}, {row.censored} censored"
        )
    for why, count in report.reasons.items():
        narrate(f"  {count:,} without an answer: {why}")
