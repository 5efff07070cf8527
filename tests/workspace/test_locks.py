import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from b100tui.model.errors import LockHeldError, StoreError
from b100tui.workspace.locks import hold, holder

HOLDER = """
import sys
from pathlib import Path
from b100tui.workspace.locks import hold
with hold(Path(sys.argv[1]), "build the index"):
    print("held", flush=True)
    sys.stdin.read()
"""


def start(lock: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_held_lock_names_purpose_pid_and_host(tmp_path: Path) -> None:
    lock = tmp_path / "build.lock"
    with start(lock) as process:
        with pytest.raises(LockHeldError) as caught, hold(lock, "mine"):
            pytest.fail("the lock was given twice")
        process.communicate("")
    assert "build the index" in caught.value.message
    assert f"pid {process.pid} on {socket.gethostname()}" in caught.value.message


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    lock = tmp_path / "build.lock"
    with start(lock) as process:
        os.kill(process.pid, signal.SIGKILL)
    with hold(lock, "mine"):
        assert f"pid {os.getpid()}" in holder(lock)


def test_a_lock_is_free_again_after_its_block(tmp_path: Path) -> None:
    lock = tmp_path / "build.lock"
    with hold(lock, "one"):
        pass
    assert holder(lock) == ""
    with hold(lock, "two"):
        assert "two" in holder(lock)


def test_a_lock_is_free_again_after_a_failure(tmp_path: Path) -> None:
    lock = tmp_path / "build.lock"
    with pytest.raises(ZeroDivisionError), hold(lock, "one"):
        raise ZeroDivisionError
    with hold(lock, "two"):
        assert "two" in holder(lock)


@pytest.mark.parametrize("note", [b"", b"not json", b"\xff", b"[1]", b"null"])
def test_an_owner_note_that_cannot_be_read_is_no_failure(tmp_path: Path, note: bytes) -> None:
    lock = tmp_path / "build.lock"
    with start(lock) as process:
        (tmp_path / "build.lock.owner").write_bytes(note)
        with pytest.raises(LockHeldError, match="another process"), hold(lock, "mine"):
            pytest.fail("the lock was given twice")
        process.communicate("")


def test_a_folder_that_cannot_hold_a_lock_is_a_named_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot lock"), hold(tmp_path / "file" / "l", "mine"):
        pytest.fail("there is no such folder")


def test_a_lock_whose_holder_finds_no_room_for_its_name_holds_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    lock = tmp_path / "a.lock"
    monkeypatch.setattr(Path, "write_bytes", full)
    refused = pytest.raises(LockHeldError, match="another process")
    with hold(lock, "work"), refused, hold(lock, "more work"):
        pass
