"""What a person can ask of a job: pause, resume, retry, cancel. It obeys within a second."""

import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

import msgspec

from b100tui.jobs.files import append, find, read_plan, write_plan, write_want
from b100tui.jobs.own import check_own
from b100tui.jobs.records import Event, Want
from b100tui.jobs.start import keep
from b100tui.jobs.state import state_now
from b100tui.model.errors import UsageError
from b100tui.workspace.locks import hold


def pause(root: Path, id: str) -> None:
    """Ask a running job to stop where it is; what is acknowledged is kept and memory is freed."""
    _ask(find(root, id), "pause")


def cancel(root: Path, id: str) -> None:
    """End a job for good; one that does not run any more is marked as cancelled."""
    folder = find(root, id)
    with _steering(folder):
        stored = read_plan(folder)
        state, _ = state_now(folder, stored)
        if state in {"running", "queued"}:
            _ask(folder, "cancel")
        elif state in {"paused", "lost"}:
            write_plan(folder, msgspec.structs.replace(stored, state="failed", reason="cancelled"))
            append(folder, Event(time=time.time(), what="asked", text="cancel"))
        else:
            raise UsageError(
                f"job {folder.name} is {state}", "only unfinished jobs can be cancelled"
            )


def resume(root: Path, id: str) -> None:
    """Go on with a paused, lost, failed or partial job."""
    _again(find(root, id), "resume_argv")


def retry(root: Path, id: str) -> None:
    """Try again what failed in a job that has ended."""
    _again(find(root, id), "retry_argv")


def _ask(folder: Path, want: Want) -> None:
    state, _ = state_now(folder, read_plan(folder))
    if state not in {"running", "queued"}:
        raise UsageError(f"job {folder.name} is {state}, not running", "b100 jobs lists them")
    write_want(folder, want)
    append(folder, Event(time=time.time(), what="asked", text=want))


def _steering(folder: Path) -> AbstractContextManager[None]:
    """Hold the job against others who steer it: one of a cancel and a resume comes first."""
    return hold(folder / "steer.lock", "job steering", wait_seconds=5.0)


def _again(folder: Path, command: Literal["resume_argv", "retry_argv"]) -> None:
    with _steering(folder):
        stored = read_plan(folder)
        state, _ = state_now(folder, stored)
        if state in {"running", "queued"}:
            raise UsageError(f"job {folder.name} is {state} already", "b100 jobs lists them")
        check_own(stored, getattr(stored, command))
        write_want(folder, "run")
        write_plan(
            folder,
            msgspec.structs.replace(stored, state="queued", reason="", ended=None, process=None),
        )
        keep(folder, again=command)
