"""What state a job is in: pure rules over its files, its process and the clock."""

import time
from pathlib import Path

from b100tui.jobs.files import BEAT, find, folders, last_events, read_plan
from b100tui.jobs.process import is_here, lives
from b100tui.jobs.records import Event, Job, State, Stored
from b100tui.model.errors import StoreError

BEAT_SECONDS = 2.0
SILENT_SECONDS = 120.0  # a job on another host that has not touched its beat for so long is lost
_QUEUED_SECONDS = 60.0  # a keeper that never came up
GPU_SECONDS = 30.0


def list_jobs(root: Path) -> list[Job]:
    """Return all jobs of `root`, the newest first; an unreadable one is left out."""
    found = []
    for folder in folders(root):
        try:
            found.append(job_in(folder))
        except StoreError:
            continue  # removed or replaced between listing and reading
    return sorted(found, key=lambda job: (job.started or "~", job.id), reverse=True)


def read_job(root: Path, id: str) -> Job:
    """Return the job with this id or beginning of one. Raises UnknownJobError, StoreError."""
    return job_in(find(root, id))


def job_in(folder: Path) -> Job:
    """Return the job kept in `folder` as it is now. Raises StoreError."""
    stored = read_plan(folder)
    events = last_events(folder)
    progress = next((e for e in reversed(events) if e.what == "progress"), None)
    gpu = next((e for e in reversed(events) if e.what == "gpu"), None)
    state, reason = state_now(folder, stored)
    if state == "lost":  # its keeper may have written the end and left since the plan was read
        stored = read_plan(folder)
        state, reason = state_now(folder, stored)
    live = state == "running"
    return Job(
        id=folder.name,
        kind=stored.kind,
        state=state,
        done=progress.done if progress else 0,
        total=progress.total if progress else stored.total,
        failed=progress.failed if progress else 0,
        eta_seconds=_left(progress, live),
        started=stored.started or stored.created,
        host=stored.process.host if stored.process else "",
        pid=stored.process.pid if stored.process else None,
        title=stored.title,
        reason=reason,
        ended=stored.ended,
        by=progress.by if progress else {},
        failures=progress.failures if progress else {},
        gpus=gpu.gpus if gpu and live and time.time() - gpu.time < GPU_SECONDS else (),
        argv=stored.argv,
    )


def state_now(folder: Path, stored: Stored) -> tuple[State, str]:
    """Return the state and its reason: a job whose keeper is gone is lost, whatever it wrote."""
    if stored.state not in {"running", "queued"}:
        return stored.state, stored.reason
    process = stored.process
    silent = _silent(folder)
    if process is None:
        if silent > _QUEUED_SECONDS:
            return "lost", "it never came up; see its log"
        return "queued", stored.reason
    if is_here(process):
        if lives(process):
            return stored.state, stored.reason
        return "lost", f"pid {process.pid} on {process.host} is gone; b100 jobs resume goes on"
    if silent > SILENT_SECONDS:
        return "lost", f"no sign of life from {process.host} for {silent:.0f} s"
    return stored.state, stored.reason


def _silent(folder: Path) -> float:
    try:
        return max(0.0, time.time() - (folder / BEAT).stat().st_mtime)
    except OSError:
        return 0.0


def _left(progress: Event | None, live: bool) -> float | None:
    if progress is None or progress.eta_seconds is None or not live:
        return None
    return max(0.0, progress.eta_seconds - max(0.0, time.time() - progress.time))
