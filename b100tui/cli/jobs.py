"""`b100 jobs`: lists detached jobs and steers them."""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.output import add_json, emit_json, reading_root
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line, duration

if TYPE_CHECKING:
    from b100tui.jobs import Job, Place

_STEER = ("pause", "resume", "retry", "cancel")
_EVERY_SECONDS = 0.5
_LIVE = {"queued", "running"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `b100 jobs`."""
    add_json(parser)
    parser.add_argument("action", nargs="?", choices=("log", *_STEER), help="what to do with ID")
    parser.add_argument("id", nargs="?", metavar="ID", help="a job, or the beginning of its id")
    parser.add_argument(
        "--follow", "-f", action="store_true", help="with log: go on until the job ends"
    )


def run(args: argparse.Namespace) -> int:
    """List, steer or follow."""
    from b100tui import jobs

    root = reading_root(args)
    if args.action is None:
        _show(jobs.list_jobs(root), args.json)
        return 0
    if args.id is None:
        raise UsageError(f"jobs {args.action} needs the id of a job", "b100 jobs lists them")
    if args.action == "log":
        _log(root, args)
        return 0
    do = {"pause": jobs.pause, "resume": jobs.resume, "retry": jobs.retry, "cancel": jobs.cancel}
    do[args.action](root, args.id)
    _show([jobs.read_job(root, args.id)], args.json)
    return 0


def _log(root: Path, args: argparse.Namespace) -> None:
    from b100tui.jobs import tail

    if args.json:
        found = tail(root, args.id)
        emit_json({"job": found.job, "log": found.log, "events": found.events})
        return
    place: Place | None = None
    while True:
        found = tail(root, args.id, place)
        sys.stdout.write(found.log)
        sys.stdout.flush()
        more = found.place != place and place is not None
        place = found.place
        if not args.follow or (found.job.state not in _LIVE and not more):
            return
        time.sleep(_EVERY_SECONDS)


def _show(jobs: "list[Job]", as_json: bool) -> None:
    if as_json:
        emit_json(jobs)
        return
    if not jobs:
        print("no jobs; b100 score --detach starts one")
    for job in jobs:
        count = f"{job.done:,} of {job.total:,}" if job.total else f"{job.done:,}"
        failed = f", {job.failed:,} failed" if job.failed else ""
        left = f", {duration(job.eta_seconds)} left" if job.eta_seconds is not None else ""
        where = f"{job.host} pid {job.pid}" if job.pid else job.host
        print(f"{job.id}  {job.state:<7}  {count}{failed}{left}  {where}")
        for text in filter(None, (job.title, job.reason)):
            print(f"    {clean_line(text)}")
