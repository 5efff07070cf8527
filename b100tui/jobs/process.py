"""Tells whether the process that kept a job is still that process."""

import os
import socket
import subprocess
from functools import cache
from pathlib import Path

from b100tui.jobs.records import Process


def myself() -> Process:
    """Return this process, with what tells it from a later one of the same pid."""
    pid = os.getpid()
    return Process(host=socket.gethostname(), pid=pid, born=born(pid), boot=_boot())


def born(pid: int) -> str:
    """Return when `pid` started as the system counts it; empty when it is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _born_by_ps(pid) if not Path("/proc/self/stat").exists() else ""
    fields = text.rpartition(")")[2].split()  # the name in brackets may hold anything
    state, start = fields[0], fields[19]
    return "" if state in {"Z", "X"} else start


def is_here(process: Process) -> bool:
    """Say whether `process` belongs to this host."""
    return process.host == socket.gethostname()


def lives(process: Process) -> bool:
    """Say whether `process`, of this host, still runs; a reused pid is not it."""
    if process.boot and process.boot != _boot():
        return False
    return bool(process.born) and born(process.pid) == process.born


def _born_by_ps(pid: int) -> str:
    shown = subprocess.run(
        ["ps", "-o", "lstart=", "-o", "state=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    start, _, state = shown.stdout.strip().rpartition(" ")
    return "" if state.startswith("Z") else start.strip()


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
