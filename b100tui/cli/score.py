"""`b100 score`: scores runs, resumably, here, as a job, or as a part of many machines' work."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, writing_root
from b100tui.model.text import duration

if TYPE_CHECKING:
    from b100tui.jobs import Reporter
    from b100tui.model.records import Step
    from b100tui.scoring.run import ScoreReport, Standing

PARTLY = 4
Progress = Callable[["Standing"], None]
EPILOG = """examples:
  b100 score --root runs --metrics probes
  b100 score dongpo --root runs --metrics paper --detach
  sbatch --array=0-7 --gpus=1 --wrap 'b100 score --root /shared/runs --metrics paper --shard auto'
  b100 score --root /shared/runs --metrics paper --ray ray://head:10001"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 score`."""
    parser.epilog = EPILOG
    parser.add_argument("runs", nargs="*", metavar="RUN", help="runs to score; all without any")
    parser.add_argument(
        "--metrics", default="probes", metavar="all|probes|paper|NAME,...", help="default probes"
    )
    parser.add_argument("--steps", metavar="STEPS", help="1,5,10-20,50- or every:10")
    parser.add_argument("--retry-failed", action="store_true", help="try failed scores again")
    parser.add_argument("--nice", action="store_true", help="leave the processor to others")
    add_refresh(parser)
    parser.add_argument("--device", metavar="D", help="auto, cpu, cuda, cuda:1, or cuda:0,cuda:2")
    parser.add_argument(
        "--dtype",
        choices=("float32", "bf16"),
        default="float32",
        help="bf16 is for the nets only, and makes another metric version",
    )
    parser.add_argument("--shard", metavar="i/n|auto", help="score part i (from 0) of n only")
    parser.add_argument("--ray", metavar="ADDRESS", help="spread the work over a Ray cluster")
    parser.add_argument("--detach", action="store_true", help="as a job that outlives the terminal")
    parser.add_argument("--plan", action="store_true", help="say what it would take, and stop")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Score and report; 4 when a part of what was asked for has no value."""
    root = writing_root(args)
    args.root = str(root)
    from b100tui.metrics.registry import metric
    from b100tui.scoring.plan import choose_metrics
    from b100tui.scoring.session import Options
    from b100tui.scoring.shards import parse_shard
    from b100tui.workspace.settings import load

    shard = parse_shard(args.shard) if args.shard else None
    settings = load(args.config)
    python = settings.score.python
    ready, unavailable = choose_metrics(args.metrics, python)
    if args.detach:
        return _detach(args, root)
    if args.plan:
        return _plan(args, root, [one.id for one in ready], unavailable)
    from b100tui.jobs import Reporter

    reporter = Reporter.current()
    steps = _steps(args)
    options = Options(
        retry_failed=args.retry_failed,
        nice=args.nice,
        python=python,
        device=args.device or settings.score.device,
        dtype=args.dtype,
        shard=shard,
    )
    progress = _reporting(reporter) if reporter else _bar()
    names = tuple(one.id for one in ready)
    select = args.steps or ""
    if args.ray:
        from b100tui.jobs.on_ray import Work, score_on_ray

        work = Work(str(root), tuple(steps), names, select, options)
        report = score_on_ray(args.ray, work, unavailable, progress)
    else:
        from b100tui.model.steps import parse_steps
        from b100tui.scoring.run import score

        report = score(
            root,
            steps,
            [metric(name) for name in names],
            unavailable=unavailable,
            select=parse_steps(select) if select else None,
            options=options,
            progress=progress,
        )
    if reporter:
        reporter.flush()
    if args.json:
        emit_json(report)
    else:
        _tell(report)
    return PARTLY if report.failed else 0


def _steps(args: argparse.Namespace) -> "list[Step]":
    index = opened(args)
    try:
        names = [index.find_run(name).run for name in args.runs] or index.run_ids()
        return [step for name in dict.fromkeys(names) for step in index.steps(name)]
    finally:
        index.close()


def _plan(
    args: argparse.Namespace, root: Path, names: list[str], unavailable: dict[str, str]
) -> int:
    from b100tui.model.steps import parse_steps
    from b100tui.scoring.estimate import estimate

    select = parse_steps(args.steps) if args.steps else None
    found = estimate(root, _steps(args), names, unavailable, select)
    if args.json:
        emit_json(found)
        return 0
    left = duration(found.seconds) if found.seconds is not None else "unknown"
    print(f"{found.pictures:,} pictures, {found.scores:,} scores, {found.there:,} there already")
    print(f"time {left}, memory {found.memory / 1e9:.1f} GB in {found.groups} groups")
    if found.unmeasured:
        narrate(f"  no time known yet for {', '.join(found.unmeasured)}")
    for name, reason in found.unavailable.items():
        narrate(f"  {name}: {reason}")
    return 0


def _detach(args: argparse.Namespace, root: Path) -> int:
    """Start the same command as a job, niced: whoever explores meanwhile comes first."""
    from b100tui.jobs import b100, start

    words = ["score", *args.runs, "--root", str(root), "--metrics", args.metrics, "--nice"]
    for option in ("steps", "device", "dtype", "shard", "ray", "config"):
        if getattr(args, option):
            words += [f"--{option}", getattr(args, option)]
    if args.no_refresh:
        words.append("--no-refresh")
    first = [*words, "--retry-failed"] if args.retry_failed else words
    what = ", ".join(args.runs) or "all runs"
    id = start(
        root,
        "score",
        b100(*first),
        title=f"{args.metrics} of {what}",
        resume_argv=b100(*words),
    )
    if args.json:
        emit_json({"job": id})
    else:
        print(id)
        narrate(f"b100 jobs log {id} --follow --root {root}")
    return 0


def _reporting(reporter: "Reporter") -> Progress:
    from b100tui.jobs import MetricProgress

    def report(standing: "Standing") -> None:
        reporter.progress(
            standing.settled - standing.failed,
            standing.wanted,
            standing.failed,
            eta_seconds=standing.eta_seconds,
            by={
                name: MetricProgress(
                    done=one.settled - one.failed,
                    total=one.total,
                    failed=one.failed,
                    mean_seconds=one.mean_seconds,
                    eta_seconds=one.eta_seconds,
                )
                for name, one in standing.by_metric.items()
            },
            failures=standing.failures,
        )

    return report


def _bar() -> Progress | None:
    if not sys.stderr.isatty():
        return None

    def show(standing: "Standing") -> None:
        over = standing.settled >= standing.wanted
        eta = standing.eta_seconds
        left = f", {duration(eta)} left" if eta is not None and not over else ""
        text = f"\r{standing.settled:,} of {standing.wanted:,} scores{left}\x1b[K"
        print(text, end="\n" if over else "", file=sys.stderr, flush=True)

    return show


def _tell(report: "ScoreReport") -> None:
    print(
        f"{report.done:,} scores made, {report.skipped:,} were there already, "
        f"{report.wanted:,} wanted, in {report.seconds:.1f} s"
    )
    if report.peak_bytes:
        busy = report.device_busy
        share = f", GPU lane busy {busy:.0%}" if busy is not None else ""
        narrate(f"  memory at most {report.peak_bytes / 1e9:.1f} GB{share}")
    by_reason: dict[str, dict[int, list[str]]] = {}
    for metric, reasons in report.failed.items():
        for reason, count in reasons.items():
            by_reason.setdefault(reason, {}).setdefault(count, []).append(metric)
    for reason, counts in by_reason.items():
        told = (f"{count:,} each of {', '.join(names)}" for count, names in counts.items())
        narrate(f"  without a value: {reason}: {'; '.join(told)}")
