"""`b100 edit`: makes new runs, goes on with runs, forks them; never paid without a yes."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from b100tui.cli.editing import (
    add_ask,
    add_limits,
    ask_of,
    confirm,
    limits_of,
    show_estimate,
    shower,
)
from b100tui.cli.output import add_json, emit_json, narrate, reading_root, writing_root
from b100tui.cli.registry import add_global_options
from b100tui.cli.tabular import counted
from b100tui.model.errors import UsageError

if TYPE_CHECKING:
    from b100tui.engine.estimate import Estimate
    from b100tui.engine.events import EditReport
    from b100tui.engine.request import Request
    from b100tui.engine.runplan import PlannedRun

PARTLY = 4
INTERRUPTED = 130
_EXAMPLES = {
    "new": "b100 edit new cat.png --editor simulate --steps 5 --root runs",
    "continue": "b100 edit continue cat/replicate-2k-sim-pro/run-0 --steps 10 --root runs",
    "plan": "b100 edit plan banana100 --images initial --estimate --root runs",
    "resume": "b100 edit resume --root runs --yes --budget 10",
    "fork": "b100 edit fork cat/replicate-2k-sim-pro/run-0@12 --editor simulate --root runs",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions of `b100 edit`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = _action(actions, "new", "new runs from images")
    new.add_argument("images", nargs="+", metavar="IMAGE", help="PNG, JPEG or WebP files")
    add_ask(new)
    go_on = _action(actions, "continue", "more steps for a run that b100 made")
    go_on.add_argument("run", metavar="RUN", help="run id or a unique prefix of it")
    go_on.add_argument("--steps", type=int, required=True, metavar="N", help="steps to add")
    plan = _action(actions, "plan", "all runs of a plan file; goes on where it was")
    plan.add_argument("plan", metavar="FILE", help="a TOML file or a shipped plan: banana100")
    plan.add_argument("--images", metavar="DIR", help="folder of the initial images")
    resume = _action(actions, "resume", "go on with unfinished runs")
    resume.add_argument("runs", nargs="*", metavar="RUN", help="all unfinished ones without any")
    resume.add_argument(
        "--retry-failed", action="store_true", help="also those that a failure ended"
    )
    fork = _action(actions, "fork", "a new run from a step of any run")
    fork.add_argument("target", metavar="RUN@STEP", help="where the new run begins")
    fork.add_argument("--into", metavar="DIR", help="root to write into instead")
    add_ask(fork)
    for action in (new, go_on, plan, resume, fork):
        add_limits(action)
        add_json(action)
        add_global_options(action.add_argument_group("options of every command"), again=True)
        action.epilog = f"example:\n  {_EXAMPLES[action.prog.split()[-1]]}"
        action.formatter_class = parser.formatter_class
    parser.epilog = (
        "examples:\n"
        "  b100 edit new cat.png --editor simulate --steps 5 --root runs\n"
        "  b100 edit new cat.png --editor nano-banana-pro --recipe mirror --estimate --root runs\n"
        "  b100 edit resume --root runs --yes --budget 10"
    )


def _action(actions: Any, name: str, about: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = actions.add_parser(name, help=about, description=about)
    return made


def run(args: argparse.Namespace) -> int:
    """Plan, estimate, confirm, make; 4 when a run ended before its last step."""
    from b100tui.engine.edit import make, plan
    from b100tui.engine.estimate import estimate
    from b100tui.engine.stopping import Stop
    from b100tui.workspace.places import remember_root
    from b100tui.workspace.settings import load

    root, request = _request(args)
    settings = load(args.config)
    planned = plan(root, request)
    told = estimate(planned, jobs=args.jobs)
    if args.estimate:
        show_estimate(told, args.json)
        return 0
    confirm(told, args)
    if args.detach:
        return _detach(root, planned, told, args)
    report = make(
        root,
        planned,
        limits_of(args),
        settings=settings,
        stop=Stop(_say_at_once),
        tell=shower(args, planned),
    )
    remember_root(root)
    _show(report, args.json)
    if report.interrupted:
        return INTERRUPTED
    return 0 if all(one.status == "done" for one in report.runs) else PARTLY


def _say_at_once(words: str) -> None:
    # In a signal handler the buffered stderr may be busy with a line of its own.
    os.write(sys.stderr.fileno(), f"\nb100: {words}\n".encode())


def _request(args: argparse.Namespace) -> "tuple[Path, Request]":
    from b100tui.engine.request import Continue, FromPlan, New, Resume

    if args.action == "fork":
        return _fork(args)
    root = writing_root(args)
    if args.action == "new":
        return root, New(images=tuple(Path(path) for path in args.images), ask=ask_of(args))
    if args.action == "continue":
        return root, Continue(run=args.run, steps=args.steps)
    if args.action == "plan":
        images = Path(args.images).expanduser() if args.images else None
        return root, FromPlan(plan=args.plan, images=images)
    return root, Resume(runs=tuple(args.runs), retry_failed=args.retry_failed)


def _fork(args: argparse.Namespace) -> "tuple[Path, Request]":
    """Find the step in the index of its root; --into writes elsewhere."""
    from b100tui.cli.indexed import opened
    from b100tui.engine.request import Fork
    from b100tui.sources.pictures import open_picture

    name, _, number = args.target.rpartition("@")
    if not name or not number.isdigit():
        raise UsageError(f"{args.target!r} names no step", "write RUN@STEP, such as run-2@20")
    into = Path(args.into).expanduser() if args.into else writing_root(args)
    source = reading_root(args) if args.into else into
    args.root, args.no_refresh = str(source), False
    index = opened(args)
    try:
        row = index.find_run(name)
        step = next((one for one in index.steps(row.run) if one.step == int(number)), None)
    finally:
        index.close()
    if step is None or step.picture is None or step.status != "ok":
        raise UsageError(f"{row.run} has no picture at step {number}", "b100 steps RUN lists them")
    into.mkdir(parents=True, exist_ok=True)
    return into, Fork(
        parent=row.run,
        step=int(number),
        image=row.image,
        picture=open_picture(source, step.picture),
        ask=ask_of(args),
    )


def _detach(
    root: Path, planned: "tuple[PlannedRun, ...]", told: "Estimate", args: argparse.Namespace
) -> int:
    from b100tui.engine.edit import prepare
    from b100tui.jobs import b100, start

    names = prepare(root, planned)
    words = ["edit", "resume", *names, "--root", str(root), "--yes", "--jobs", str(args.jobs)]
    if args.budget is not None or not told.is_free:
        # What was confirmed without a cap is capped by what was shown.
        words += ["--budget", f"{told.usd.high if args.budget is None else args.budget:g}"]
    if args.run_budget is not None:
        words += ["--run-budget", f"{args.run_budget:g}"]
    if getattr(args, "retry_failed", False):
        words.append("--retry-failed")
    if args.config:
        words += ["--config", args.config]
    title = names[0] if len(names) == 1 else f"{len(names)} runs"
    id = start(root, "edit", b100(*words), told.images, title)
    if args.json:
        emit_json({"job": id, "runs": list(names)})
    else:
        print(id)
        runs = counted(len(names), "run")
        narrate(f"{runs} in the background; b100 jobs log {id} --follow shows it")
    return 0


def _show(report: "EditReport", as_json: bool) -> None:
    if as_json:
        emit_json(_contract(report))
        return
    for one in report.runs:
        why = f": {one.reason}" if one.reason else ""
        cost = f"  ${one.usd:.4f}" if one.usd else ""
        print(f"{one.run}  {one.steps_done} steps  {one.status}{cost}{why}")
    if not report.runs:
        narrate("nothing to do: every run is complete, or needs --retry-failed")
    if report.usd:
        maybe = report.possibly_billed_usd
        more = f", ${maybe:.4f} of it possibly billed" if maybe else ""
        print(f"${report.usd:.4f} spent{more}", file=sys.stderr)


def _contract(report: "EditReport") -> dict[str, Any]:
    names = ("run", "steps_done", "status", "reason", "usd", "total_usd", "possibly_billed_usd")
    return {
        "runs": [{name: getattr(one, name) for name in names} for one in report.runs],
        "usd": report.usd,
        "possibly_billed_usd": report.possibly_billed_usd,
    }
