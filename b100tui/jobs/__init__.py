"""Detached jobs: start, watch, pause, resume, retry, cancel; work that outlives the terminal.

A job is a command in a session of its own with its state on disk, so any number of explorers on
any machine that sees the folder can watch and steer it. Its files: `job.json` (the plan and what
became of it, atomic), `events.jsonl` (what happened, append-only), `log` (what it printed),
`beat` (touched while it lives) and `want` (what a person asked it to do).
"""

from b100tui.jobs.records import Event, Job, MetricProgress
from b100tui.jobs.report import Reporter
from b100tui.jobs.start import b100, start
from b100tui.jobs.state import list_jobs, read_job
from b100tui.jobs.steer import cancel, pause, resume, retry
from b100tui.jobs.tail import Place, Tail, tail

__all__ = [
    "Event",
    "Job",
    "MetricProgress",
    "Place",
    "Reporter",
    "Tail",
    "b100",
    "cancel",
    "list_jobs",
    "pause",
    "read_job",
    "resume",
    "retry",
    "start",
    "tail",
]
