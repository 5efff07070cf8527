"""Which jobs this user started: a folder of runs may come from anywhere, with commands in it.

A job's plan lies in the folder of runs and holds the commands to go on with. Whoever hands on
such a folder could put any command there, so only commands noted at the start run again.
"""

import hashlib
import os
from pathlib import Path

import msgspec

from b100tui.jobs.records import Stored
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line
from b100tui.workspace.places import make_private, state_dir

_NOTES = "jobs"


def note(stored: Stored) -> None:
    """Note the commands of a job in the user's state folder; one that is full notes nothing.

    The job runs all the same: only going on with it later is refused.
    """
    try:
        handle = os.open(
            make_private(state_dir()) / _NOTES, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600
        )
    except OSError:
        return
    with os.fdopen(handle, "ab") as file:
        try:
            file.write(_digest(stored) + b"\n")
            file.flush()
        except OSError:
            return


def check_own(stored: Stored, command: tuple[str, ...]) -> None:
    """Raise UsageError, naming `command`, for a job that was not started from here."""
    path: Path = state_dir() / _NOTES
    try:
        known = path.read_bytes().split()
    except OSError:
        known = []
    if _digest(stored) not in known:
        raise UsageError(
            f"job {stored.id} was not started by you, or its commands are not the same any more",
            f"look at its command, and run it yourself: {clean_line(' '.join(command))[:500]}",
        )


def _digest(stored: Stored) -> bytes:
    told = (stored.id, stored.argv, stored.resume_argv, stored.retry_argv, stored.cwd)
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest().encode()
