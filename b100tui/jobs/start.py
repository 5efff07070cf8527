"""Starts jobs: a keeper process in a session of its own runs the command and minds it."""

import os
import secrets
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from b100tui.jobs.files import BEAT, LOG, write_plan
from b100tui.jobs.own import note
from b100tui.jobs.records import Stored
from b100tui.model.errors import StoreError
from b100tui.model.text import clean_line
from b100tui.workspace.places import make_private, workspace_dir

GRACE_SECONDS = 30.0


def b100(*words: str) -> list[str]:
    """Return the command line that runs `b100 WORDS` with this interpreter."""
    return [sys.executable, "-m", "b100tui", *words]


def start(
    root: Path,
    kind: str,
    argv: Sequence[str],
    total: int = 0,
    title: str = "",
    *,
    resume_argv: Sequence[str] | None = None,
    retry_argv: Sequence[str] | None = None,
    grace_seconds: float = GRACE_SECONDS,
) -> str:
    """Start `argv` as a job of `root` and return its id at once; it outlives this process.

    Pausing ends the command by SIGINT (SIGTERM after `grace_seconds`, then SIGKILL) and resuming
    starts `resume_argv` (default: `argv`), so the command must go on from what is on disk;
    `retry_argv` (default: `resume_argv` with --retry-failed) tries failures again. `total` may be
    0 when the command will say it. Exit code 0 means done, 4 partial.
    Raises StoreError when the job's folder cannot be written or the keeper cannot start.
    """
    resumed = tuple(resume_argv or argv)
    stamp = datetime.now(UTC)
    id = f"{kind}-{stamp:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    folder = make_private(workspace_dir(root) / "jobs" / id)
    stored = Stored(
        id=id,
        kind=kind,
        title=clean_line(title),
        argv=tuple(argv),
        resume_argv=resumed,
        retry_argv=tuple(retry_argv) if retry_argv else (*resumed, "--retry-failed"),
        cwd=os.getcwd(),
        grace_seconds=grace_seconds,
        created=stamp.isoformat(timespec="milliseconds"),
        total=total,
    )
    write_plan(folder, stored)
    note(stored)
    keep(folder)
    return id


def keep(folder: Path, *, again: str = "argv") -> None:
    """Start a keeper for the job in `folder`; `again` names which of its commands to run.

    Raises StoreError.
    """
    try:
        (folder / BEAT).touch()
        with (folder / LOG).open("ab") as log:
            subprocess.Popen(
                [sys.executable, "-m", "b100tui.jobs.keeper", str(folder), again],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    except OSError as error:
        raise StoreError(f"cannot start a job in {folder}: {error}", "free space") from error
