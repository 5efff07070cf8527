"""What the explorer says of jobs: a line each, the details of one, and a banner. Pure."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from b100tui.model.text import clean_line, duration
from b100tui.tui.drawing import grouped, number, plural
from b100tui.tui.facts import Block

if TYPE_CHECKING:
    from b100tui.jobs.records import Gpu, Job, MetricProgress

Span = tuple[str, str]
KEY, DIM, BAD, GOOD, TITLE = "text--key", "text--dim", "text--bad", "text--good", "text--title"
LIVE = frozenset({"queued", "running"})
UNFINISHED = frozenset({"queued", "running", "paused", "lost"})
MARKS = {
    "queued": "…", "running": "▶", "paused": "‖", "done": "✓", "partial": "◐", "failed": "✗",
    "lost": "?",
}  # fmt: skip
BAR_CELLS = 12
LOG_LINES = 200


def count_words(job: "Job") -> str:
    """Return how far a job is: 312/2 400, 3 failed."""
    settled = job.done + job.failed
    count = f"{grouped(settled)}/{grouped(job.total)}" if job.total else grouped(settled)
    return f"{count}, {grouped(job.failed)} failed" if job.failed else count


def left_words(job: "Job") -> str:
    """Return how long a job still takes, or its state in words."""
    if job.state in LIVE and job.eta_seconds is not None:
        return f"{duration(job.eta_seconds)} left"
    return job.state


def bar(done: int, total: int, width: int = BAR_CELLS) -> str:
    """Return a bar of `width` cells."""
    full = min(width, done * width // total) if total > 0 else 0
    return "━" * full + "─" * (width - full)


def job_line(job: "Job") -> list[Span]:
    """Return the line of a job in the list."""
    style = BAD if job.state in {"failed", "lost"} or job.failed else ""
    settled = job.done + job.failed
    spans: list[Span] = [(f"{MARKS[job.state]} {job.kind:<6}", style), (" ", "")]
    full = job.state == "done" and not job.total  # what does not count is done at once
    line = bar(1, 1) if full else bar(settled, job.total)
    spans.append((line, KEY if job.state not in LIVE else ""))
    spans += [(f" {count_words(job)}", style), (f"  {left_words(job)}", DIM)]
    spans.append((f"  {clean_line(job.title)}", ""))
    return spans


def banner(jobs: "Sequence[Job]") -> str:
    """Return what stands in the status line while jobs are unfinished; empty when none are."""
    live = [job for job in jobs if job.state in LIVE]
    if not live:
        held = [job for job in jobs if job.state in UNFINISHED]
        return f"{plural(len(held), 'job')} {held[0].state}" if held else ""
    if len(live) == 1:
        return f"{live[0].kind} {count_words(live[0])}"
    done = sum(job.done + job.failed for job in live)
    total, failed = sum(job.total for job in live), sum(job.failed for job in live)
    told = f"{len(live)} jobs {grouped(done)}/{grouped(total)}"
    return f"{told}, {grouped(failed)} failed" if failed else told


def greeting(jobs: "Sequence[Job]") -> str:
    """Return what is told on reopening: the jobs that go on or wait; empty without any."""
    told = [
        f"{job.kind} {count_words(job)} ({left_words(job)})"
        for job in jobs
        if job.state in UNFINISHED
    ]
    if not told:
        return ""
    more = f" and {len(told) - 3} more" if len(told) > 3 else ""
    return "; ".join(told[:3]) + more + "; t shows jobs"


def ended_words(job: "Job") -> str:
    """Return what is told when a job has ended."""
    why = f": {clean_line(job.reason)}" if job.reason and job.state != "done" else ""
    return f"{job.kind} {job.state}, {count_words(job)}{why}"


def job_details(job: "Job", log: Sequence[str]) -> list[Block]:
    """Return the details of a job: where, each metric, failures by reason, GPUs, its log."""
    blocks: list[Block] = [((clean_line(job.title) or job.id, TITLE),)]
    blocks.append((("state   ", KEY), (f"{job.state}  {count_words(job)}  {_left(job)}", "")))
    if job.reason:
        blocks.append((("why     ", KEY), (clean_line(job.reason), "")))
    where = f"{job.host} pid {job.pid}" if job.pid else job.host
    blocks.append((("where   ", KEY), (f"{where}  {job.id}", DIM)))
    blocks += [(("GPU     ", KEY), (_gpu(gpu), "")) for gpu in job.gpus]
    if job.by:
        blocks += [(), (("Progress", TITLE),)]
        width = min(24, max(len(name) for name in job.by))
        blocks += [_part(name, one, width) for name, one in job.by.items()]
    reasons = [
        (name, reason, count)
        for name, counts in job.failures.items()
        for reason, count in counts.items()
    ]
    if reasons:
        blocks += [(), (("Failures", TITLE),)]
        for name, reason, count in sorted(reasons, key=lambda one: -one[2]):
            told = f"{clean_line(name)}: {clean_line(reason)}"
            blocks.append(((f"{grouped(count):>7} ", BAD), (told, "")))
    if log:
        blocks += [(), (("Log", TITLE),), *_log(log)]
    return blocks


def _left(job: "Job") -> str:
    return left_words(job) if job.state in LIVE and job.eta_seconds is not None else ""


def _part(name: str, one: "MetricProgress", width: int) -> Block:
    settled = one.done + one.failed
    words = f"{bar(settled, one.total)} {grouped(settled)}/{grouped(one.total)}"
    if one.failed:
        words += f", {grouped(one.failed)} failed"
    if one.mean_seconds is not None:
        words += f"  {number(one.mean_seconds)} s each"
    if one.eta_seconds is not None and settled < one.total:
        words += f"  {duration(one.eta_seconds)} left"
    return ((clean_line(name)[:width].ljust(width + 1), KEY), (words, BAD if one.failed else ""))


def _gpu(gpu: "Gpu") -> str:
    gigabytes = f"{gpu.used / 1e9:.1f} of {gpu.total / 1e9:.0f} GB"
    return f"{clean_line(gpu.name)}: {gpu.load} % busy, {gigabytes}"


def _log(lines: Iterable[str]) -> Iterable[Block]:
    return [((clean_line(line), DIM),) for line in lines]
