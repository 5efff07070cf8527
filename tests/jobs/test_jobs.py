"""Jobs through real keepers, commands, signals and files."""

import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from b100tui import jobs
from b100tui.jobs.files import BEAT, UnknownJobError, read_plan, write_plan
from b100tui.jobs.process import myself
from b100tui.jobs.state import SILENT_SECONDS, job_in
from b100tui.model.errors import UsageError
from tests.jobs.made import Waiting

REPORTING = """
from b100tui.jobs import Reporter
reporter = Reporter.current()
greet()
reporter.progress(3, 10, 1, eta_seconds=60.0, failures={'niqe': {'flat': 1}})
reporter.flush()
word = wait()
print('worked on', word)
sys.exit(int(word))
"""


def test_a_job_is_shown_with_the_keys_of_the_contract(tmp_path: Path) -> None:
    made = Waiting(tmp_path, REPORTING, total=10)
    made.greeted()
    (job,) = jobs.list_jobs(tmp_path)
    contract = "id kind state done total failed eta_seconds started host pid"
    assert list(msgspec.to_builtins(job))[:10] == contract.split()
    assert (job.id, job.kind, job.state, job.total) == (made.id, "score", "running", 10)
    assert job.host == socket.gethostname()
    assert job.pid != os.getpid()
    made.tell("0")
    made.ended()


@pytest.mark.parametrize(
    ("code", "state"), [("0", "done"), ("4", "partial"), ("1", "failed"), ("2", "failed")]
)
def test_the_exit_code_is_the_end(tmp_path: Path, code: str, state: str) -> None:
    made = Waiting(tmp_path, REPORTING)
    made.greeted()
    made.tell(code)
    made.ended()
    job = jobs.read_job(tmp_path, made.id)
    assert job.state == state
    assert (job.done, job.total, job.failed) == (3, 10, 1)
    assert job.failures == {"niqe": {"flat": 1}}
    assert bool(job.reason) == (code != "0")
    assert jobs.tail(tmp_path, made.id).log == f"worked on {code}\n"


def test_a_job_has_a_session_of_its_own_and_survives_sighup(tmp_path: Path) -> None:
    made = Waiting(tmp_path, REPORTING)
    made.greeted()
    pid = jobs.read_job(tmp_path, made.id).pid
    assert pid is not None
    assert os.getsid(pid) == pid
    os.kill(pid, signal.SIGHUP)
    os.killpg(pid, signal.SIGHUP)
    made.tell("0")
    made.ended()
    assert jobs.read_job(tmp_path, made.id).state == "done"


def test_a_job_outlives_the_process_that_started_it(tmp_path: Path) -> None:
    starter = (
        "import sys\nfrom pathlib import Path\nfrom tests.jobs.made import Waiting, HEAD\n"
        "made = Waiting(Path(sys.argv[1]), sys.argv[2])\nprint(made.id)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", starter, str(tmp_path), REPORTING],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    (tmp_path / "up").read_text()
    assert jobs.read_job(tmp_path, out.stdout.strip()).state == "running"
    (tmp_path / "go").write_text("0")


def test_pause_ends_the_command_in_order_and_resume_starts_it_again(tmp_path: Path) -> None:
    made = Waiting(
        tmp_path,
        """
greet()
try:
    word = wait()
except KeyboardInterrupt:
    Path('kept').write_text('acknowledged')
    sys.exit(130)
sys.exit(int(word))
""",
    )
    made.greeted()
    jobs.pause(tmp_path, made.id)
    made.ended()
    assert jobs.read_job(tmp_path, made.id).state == "paused"
    assert (tmp_path / "kept").read_text() == "acknowledged"
    jobs.resume(tmp_path, made.id[:-1])
    made.greeted()
    assert jobs.read_job(tmp_path, made.id).state == "running"
    with pytest.raises(UsageError, match="running already"):
        jobs.resume(tmp_path, made.id)
    made.tell("0")
    made.ended()
    assert jobs.read_job(tmp_path, made.id).state == "done"


def test_a_job_started_where_interrupts_are_ignored_can_be_paused(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for `command &`
    try:
        made = Waiting(
            tmp_path, "greet()\ntry:\n    wait()\nexcept KeyboardInterrupt:\n    sys.exit(130)\n"
        )
    finally:
        signal.signal(signal.SIGINT, before)
    made.greeted()
    jobs.pause(tmp_path, made.id)
    made.ended()
    assert jobs.read_job(tmp_path, made.id).state == "paused"


def test_cancel_ends_even_a_command_that_will_not(tmp_path: Path) -> None:
    lines = (
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ngreet()\nwait()\n"
    )
    made = Waiting(tmp_path, lines, grace_seconds=0.1)
    made.greeted()
    jobs.cancel(tmp_path, made.id)
    made.ended()
    job = jobs.read_job(tmp_path, made.id)
    assert (job.state, job.reason) == ("failed", "cancelled")
    with pytest.raises(UsageError, match="is failed"):
        jobs.cancel(tmp_path, made.id)


def test_retry_runs_the_command_of_a_retry(tmp_path: Path) -> None:
    made = Waiting(tmp_path, "greet()\nprint(sys.argv[1:])\nsys.exit(4)\n")
    made.greeted()
    made.ended()
    jobs.retry(tmp_path, made.id)
    made.greeted()
    made.ended()
    assert "['--retry-failed']" in jobs.tail(tmp_path, made.id).log


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open")
def test_a_killed_keeper_leaves_a_lost_job_and_its_command_ends(tmp_path: Path) -> None:
    made = Waiting(
        tmp_path,
        """
from b100tui.jobs import Reporter
Reporter.current()
Path('pid').write_text(str(os.getpid()))
greet()
wait()
""",
    )
    made.greeted()
    command = os.pidfd_open(int((tmp_path / "pid").read_text()))
    pid = jobs.read_job(tmp_path, made.id).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    made.ended()
    assert jobs.read_job(tmp_path, made.id).state == "lost"
    assert select.select([command], [], [], 240)[0] == [command]
    os.close(command)
    jobs.resume(tmp_path, made.id)
    made.greeted()
    made.tell()
    made.ended()
    assert jobs.read_job(tmp_path, made.id).state == "done"


def ended_job(root: Path) -> Path:
    made = Waiting(root, "greet()\n")
    made.greeted()
    made.ended()
    return made.folder


def test_a_reused_pid_is_not_the_job(tmp_path: Path) -> None:
    folder = ended_job(tmp_path)
    other = msgspec.structs.replace(myself(), born="1")
    write_plan(folder, msgspec.structs.replace(read_plan(folder), state="running", process=other))
    assert job_in(folder).state == "lost"
    write_plan(
        folder, msgspec.structs.replace(read_plan(folder), state="running", process=myself())
    )
    assert job_in(folder).state == "running"


def test_a_job_of_a_silent_host_is_lost_and_one_that_beats_is_not(tmp_path: Path) -> None:
    folder = ended_job(tmp_path)
    away = msgspec.structs.replace(myself(), host="node-17")
    write_plan(folder, msgspec.structs.replace(read_plan(folder), state="running", process=away))
    assert job_in(folder).state == "running"
    old = (folder / BEAT).stat().st_mtime - 2 * SILENT_SECONDS
    os.utime(folder / BEAT, (old, old))
    job = job_in(folder)
    assert job.state == "lost"
    assert "node-17" in job.reason


def test_readers_follow_from_their_own_places(tmp_path: Path) -> None:
    folder = ended_job(tmp_path)
    (folder / "log").write_bytes(b"one\n\x1b[31mtwo\x1b[0m\nto")
    first = jobs.tail(tmp_path, folder.name)
    assert first.log == "one\ntwo\n"
    with (folder / "log").open("ab") as log:
        log.write(b"rn\n")
    again = jobs.tail(tmp_path, folder.name, first.place)
    assert (again.log, again.events) == ("torn\n", ())
    assert jobs.tail(tmp_path, folder.name).log == "one\ntwo\ntorn\n"


def test_torn_and_foreign_lines_of_the_events_cost_themselves_only(tmp_path: Path) -> None:
    folder = ended_job(tmp_path)
    with (folder / "events.jsonl").open("ab") as events:
        events.write(b'{"time": 1, "what": "progress", "done": 7, "total": 9}\nnonsense\n{"ti')
    assert job_in(folder).done == 7


def test_an_unknown_job_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownJobError, match="no job 'x'"):
        jobs.read_job(tmp_path, "x")


def test_a_command_that_cannot_start_is_a_failed_job(tmp_path: Path) -> None:
    made = Waiting(tmp_path, "greet()\n", resume_argv=("/nowhere/at/all",))
    made.greeted()
    made.ended()
    jobs.resume(tmp_path, made.id)
    keeper_gone(made)
    job = jobs.read_job(tmp_path, made.id)
    assert job.state == "failed"
    assert "cannot start" in job.reason


def keeper_gone(made: Waiting) -> None:
    """Wait for the children of this process: the keeper is one."""
    while jobs.read_job(made.root, made.id).state in {"queued", "running"}:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        made.ended()


def test_commands_that_came_with_a_folder_are_not_run(tmp_path: Path) -> None:
    made = Waiting(tmp_path, "greet(); wait()")
    made.greeted()
    made.tell()
    made.ended()
    touched = tmp_path / "touched"
    stored = read_plan(made.folder)
    foreign = msgspec.structs.replace(stored, resume_argv=("touch", str(touched)))
    write_plan(made.folder, msgspec.structs.replace(foreign, state="paused"))
    with pytest.raises(UsageError, match="not started by you") as caught:
        jobs.resume(tmp_path, made.id)
    assert f"touch {touched}" in str(caught.value.hint) and not touched.exists()
