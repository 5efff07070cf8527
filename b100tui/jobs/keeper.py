"""The keeper of one job: runs its command, beats, obeys pause and cancel, writes the end down.

Started as `python -m b100tui.jobs.keeper FOLDER argv|resume_argv|retry_argv` in a session of its
own, so neither a closed terminal nor a dropped link reaches it.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from b100tui.jobs.files import BEAT, FOLDER, LOCK, append, last_events, read_plan, read_want
from b100tui.jobs.files import write_plan as write
from b100tui.jobs.gpu import gpus
from b100tui.jobs.process import myself
from b100tui.jobs.records import Event, State, Stored, Want
from b100tui.jobs.state import BEAT_SECONDS
from b100tui.model.errors import LockHeldError, StoreError
from b100tui.workspace.locks import hold

PARTLY = 4
_LOOK_SECONDS = 0.25
_GPU_EVERY = 5.0


def main(arguments: Sequence[str]) -> int:
    """Keep the job until its command ends."""
    folder, which = Path(arguments[0]), arguments[1]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the command inherits it
    # A shell lets what it starts with `&` ignore SIGINT; a pause asks by that very signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with hold(folder / LOCK, "job", wait_seconds=5.0):
            return _keep(folder, which)
    except LockHeldError as error:
        print(f"not started a second time: {error.message}", file=sys.stderr)
        return 1


def _keep(folder: Path, which: str) -> int:
    stored = read_plan(folder)
    stored = msgspec.structs.replace(
        stored,
        state="running",
        started=stored.started or _now(),
        ended=None,
        reason="",
        process=myself(),
    )
    write(folder, stored)
    append(folder, Event(time=time.time(), what="started", text=which))
    command = {"resume_argv": stored.resume_argv, "retry_argv": stored.retry_argv}
    try:
        child = subprocess.Popen(
            command.get(which, stored.argv),
            stdin=subprocess.DEVNULL,
            cwd=stored.cwd if os.path.isdir(stored.cwd) else None,
            env={**os.environ, FOLDER: str(folder), "PYTHONUNBUFFERED": "1"},
        )
    except OSError as error:
        return _end(folder, stored, "failed", f"cannot start: {error}")
    asked = _mind(folder, child, stored.grace_seconds)
    state, reason = outcome(child.returncode, asked, _has_done(folder))
    return _end(folder, stored, state, reason)


def _mind(folder: Path, child: "subprocess.Popen[bytes]", grace: float) -> Want:
    """Wait for the command's end; return what a person asked meanwhile."""
    asked: Want = "run"
    beat = shown = 0.0
    kills = iter((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
    next_kill = 0.0
    while True:
        now = time.monotonic()
        if now - beat >= BEAT_SECONDS:
            beat = now
            _beat(folder)
        if now - shown >= _GPU_EVERY:
            shown = now
            load = gpus()
            if load:
                _say(folder, Event(time=time.time(), what="gpu", gpus=load))
        wanted = read_want(folder)
        if wanted != "run":
            asked = wanted
            if now >= next_kill:
                child.send_signal(next(kills, signal.SIGKILL))
                next_kill = now + grace
        try:
            child.wait(_LOOK_SECONDS)
            return asked
        except subprocess.TimeoutExpired:
            continue


def outcome(code: int, asked: Want, some: bool) -> tuple[State, str]:
    """Return the state a command left with `code` leaves its job in, and the reason in words."""
    if code == 0:
        return "done", ""
    if code == PARTLY and asked == "run":
        return "partial", "part of what was asked for was not done; b100 jobs log says which"
    if asked == "pause":
        return "paused", "paused; b100 jobs resume goes on"
    if asked == "cancel":
        return ("partial" if some else "failed"), "cancelled"
    if code < 0:
        return "failed", f"ended by signal {-code} ({_signal_name(-code)})"
    return "failed", f"ended with code {code}; b100 jobs log says why"


def _end(folder: Path, stored: Stored, state: State, reason: str) -> int:
    write(folder, msgspec.structs.replace(stored, state=state, reason=reason, ended=_now()))
    _say(folder, Event(time=time.time(), what="ended", state=state, text=reason))
    return 0


def _has_done(folder: Path) -> bool:
    return any(event.done for event in last_events(folder) if event.what == "progress")


def _beat(folder: Path) -> None:
    try:
        os.utime(folder / BEAT)
    except FileNotFoundError:
        (folder / BEAT).touch()
    except OSError as error:
        print(f"cannot touch {folder / BEAT}: {error.strerror}", file=sys.stderr)


def _say(folder: Path, event: Event) -> None:
    try:
        append(folder, event)
    except StoreError as error:  # a full disk must not end the work that is under way
        print(error.message, file=sys.stderr)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
