"""The words, the estimate and the yes that `edit`, `estimate` and `judge` share."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from b100tui.cli.output import emit_json, narrate
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line, duration

if TYPE_CHECKING:
    from b100tui.engine.estimate import Estimate
    from b100tui.engine.events import Progress, Tell
    from b100tui.engine.request import Ask, Limits
    from b100tui.engine.runplan import PlannedRun

_EVERY_SECONDS = 0.2
_MINUTE = 60.0  # estimates are no finer


def add_ask(parser: argparse.ArgumentParser) -> None:
    """Add what says how to edit."""
    parser.add_argument("--editor", required=True, metavar="E", help="b100 editors lists them")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--recipe",
        default="replicate",
        metavar="R",
        help="one of b100 recipes",
    )
    what.add_argument("--prompt", metavar="TEXT", help="your own words instead of a recipe")
    parser.add_argument("--steps", type=int, default=100, metavar="N", help="default 100")
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="K", help="runs an image (default 1)"
    )
    parser.add_argument("--seed", metavar="none|fixed:S|per-step:S", help="default none")
    parser.add_argument("--temperature", type=float, metavar="T", help="default the model's own")
    parser.add_argument("--resolution", metavar="1K|2K|4K|interleaved", help="default 2K")
    parser.add_argument("--aspect-ratio", metavar="W:H", help="default as the input")
    parser.add_argument("--thinking", metavar="LEVEL", help="where the model has levels")
    parser.add_argument(
        "--session",
        choices=("multi", "single"),
        default="multi",
        help="multi: a fresh request each step (default), single: one conversation",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="for the editor itself"
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add budget, confirmation and how many at once."""
    parser.add_argument("--budget", type=float, metavar="USD", help="most dollars of this call")
    parser.add_argument("--run-budget", type=float, metavar="USD", help="most dollars of a run")
    parser.add_argument("--yes", action="store_true", help="do not ask; needs --budget if paid")
    parser.add_argument("--jobs", type=int, default=8, metavar="N", help="runs at once (default 8)")
    parser.add_argument("--detach", action="store_true", help="as a job that outlives the terminal")
    parser.add_argument("--estimate", action="store_true", help="only say what it would take")


def ask_of(args: argparse.Namespace) -> "Ask":
    """Return the options as the engine takes them."""
    from b100tui.engine.request import Ask

    extra: dict[str, Any] = {}
    for word in args.set:
        name, mark, value = word.partition("=")
        if not mark or not name:
            raise UsageError(f"--set {clean_line(word)!r}", "write --set NAME=VALUE")
        extra[name] = _value(value)
    return Ask(
        editor=args.editor,
        recipe=args.recipe,
        prompt=args.prompt,
        steps=args.steps,
        repeats=args.repeats,
        seed=args.seed,
        temperature=args.temperature,
        resolution=args.resolution,
        aspect_ratio=args.aspect_ratio,
        thinking=args.thinking,
        session=args.session,
        extra=extra,
    )


def limits_of(args: argparse.Namespace) -> "Limits":
    """Return the caps as the engine takes them."""
    from b100tui.engine.request import Limits

    return Limits(
        budget=args.budget,
        run_budget=args.run_budget,
        jobs=max(1, args.jobs),
        batch=job_id(),
    )


def job_id() -> str:
    """Return the id of the job this process works for, empty when it is none.

    A job has its budget once, however often it is paused and resumed.
    """
    from b100tui.jobs.files import FOLDER

    folder = os.environ.get(FOLDER, "")
    return os.path.basename(folder)


def confirm(told: "Estimate", args: argparse.Namespace) -> None:
    """Let paid work begin only with a typed yes, or with --yes and --budget.

    Raises UsageError otherwise; free work needs neither.
    """
    if told.is_free or not told.images:
        return
    if args.yes:
        if args.budget is None:
            raise UsageError(
                f"--yes for paid work (likely ${told.usd.likely:.2f}) needs a cap",
                "add --budget USD",
            )
        return
    show_estimate(told, False, to_person=True)
    if not sys.stdin.isatty():
        raise UsageError("this would cost money", "add --yes and --budget USD, or use a terminal")
    cap = f", capped at ${args.budget:.2f}" if args.budget is not None else ""
    print(f"Type yes to spend about ${told.usd.likely:.2f}{cap}: ", end="", file=sys.stderr)
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        raise UsageError("not confirmed; nothing was sent", "type yes, or give --yes and --budget")


def show_estimate(told: "Estimate", as_json: bool, *, to_person: bool = False) -> None:
    """Print an estimate: the contract's JSON, or words (on stderr when a question follows)."""
    if as_json:
        emit_json(told)
        return
    out = sys.stderr if to_person else sys.stdout
    lines = [
        f"{told.images:,} images in {told.runs:,} run{'s' if told.runs != 1 else ''}",
        "dollars   free: nothing leaves this machine"
        if told.is_free
        else f"dollars   low {told.usd.low:,.2f}  likely {told.usd.likely:,.2f}  "
        f"reserved at most {told.usd.high:,.2f}   (prices of {told.price_table_date})",
        f"time      {_time(told.hours)}; the longest run alone {_time(told.longest_run_hours)}",
        f"disk      about {_room(told.gigabytes)}",
    ]
    if len(told.editors) > 1:
        lines += [
            f"  {part.editor:<24} {part.images:>7,} images  ${part.usd.likely:>9,.2f}  "
            f"{_time(part.hours)}"
            for part in told.editors
        ]
    lines += [f"limit     {text}" for text in told.limits]
    lines += [f"assumed   {text}" for text in told.assumptions]
    print("\n".join(lines), file=out)


def _time(hours: float) -> str:
    """Return hours for a person: no finer than a minute, and a day of work stays in hours."""
    if hours >= 1:
        return f"{hours:,.1f} h"
    return duration(hours * 3600) if hours * 3600 >= _MINUTE else "less than a minute"


def _room(gigabytes: float) -> str:
    return f"{gigabytes:,.1f} GB" if gigabytes >= 1 else f"{max(1.0, gigabytes * 1000):,.0f} MB"


def shower(args: argparse.Namespace, planned: "Sequence[PlannedRun]") -> "Tell":
    """Return what shows progress on stderr: a job's events, or lines for a person."""
    from b100tui.jobs import Reporter

    return _Shown(Reporter.current(), args.verbose, planned).tell


class _Shown:
    """Adds up the progress of all runs; called from many threads, one line at a time."""

    def __init__(self, reporter: Any, verbose: int, planned: "Sequence[PlannedRun]") -> None:
        import threading

        self._reporter = reporter
        self._verbose = verbose
        self._runs = len(planned)
        self._mutex = threading.Lock()
        # All of the plan from the first step on: runs that wait for their turn count too.
        self._done = {one.plan.run: max(0, one.done) for one in planned}
        self._total = {one.plan.run: one.last for one in planned}
        self._failed = 0
        self._last = 0.0
        self._live = sys.stderr.isatty()

    def tell(self, event: "Progress") -> None:
        with self._mutex:
            if event.kind == "run_started":
                self._total[event.run] = event.total
                self._done[event.run] = max(0, event.done)
            elif event.kind == "committed":
                self._done[event.run] = event.done
            elif event.kind == "run_ended" and event.message not in {"", "interrupted"}:
                self._failed += 1
            self._print(event)
            self._report(event)

    def _report(self, event: "Progress") -> None:
        if self._reporter is None:
            return
        # Whole runs are counted, so that a job that is paused and resumed goes on counting.
        self._reporter.progress(sum(self._done.values()), sum(self._total.values()), self._failed)
        if event.kind in {"failed", "run_ended"} and event.message:
            self._reporter.note(f"{event.run} step {event.step}: {clean_line(event.message)}")
        if event.kind == "run_ended":
            self._reporter.flush()

    def _print(self, event: "Progress") -> None:
        where = f"{event.run} step {event.step}"
        if event.kind == "run_ended":
            self._clear()
            if event.message:
                narrate(f"{event.run}: {event.message}")
        elif event.kind == "failed":
            self._clear()
            narrate(f"{where}: {event.message}")
        elif event.kind == "committed" and (self._verbose or self._runs == 1):
            cost = f", ${event.usd:.4f}" if event.usd else ""
            self._clear()
            narrate(f"{where} of {event.total}: {event.seconds or 0:.1f} s{cost}")
        elif self._live and time.monotonic() - self._last > _EVERY_SECONDS:
            self._last = time.monotonic()
            text = f"{sum(self._done.values()):,} of {sum(self._total.values()):,} steps"
            if event.kind == "waiting" and event.seconds is not None:
                text = f"{where}: waiting {event.seconds:.0f} s ({clean_line(event.message)})"
            print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _value(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
