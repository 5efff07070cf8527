import subprocess
import sys
from pathlib import Path

import pytest

from b100tui.model.errors import StoreError
from b100tui.workspace.atomic import at_once, write_atomic, write_in_order

LIMITED = """
import resource, signal, sys
from pathlib import Path
from b100tui.model.errors import StoreError
from b100tui.workspace.atomic import write_atomic
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomic(Path(sys.argv[1]), b"x" * 5000)
except StoreError as error:
    print(error.message, "|", error.hint)
"""


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_written_whole_with_its_mode(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, b"new", durable=durable, mode=0o600)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_older_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_older_file_and_no_rest(tmp_path: Path) -> None:
    """A limit on file size stands in for the disk: the write fails half way with an OSError."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert str(path) in done.stdout
    assert "free space" in done.stdout
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="gone"):
        write_atomic(tmp_path / "gone" / "a.json", b"x")


def test_a_folder_in_the_place_of_the_file_is_a_named_failure(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(StoreError, match="cannot write"):
        write_atomic(tmp_path / "a", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_files_of_one_folder_appear_in_the_order_given(tmp_path: Path) -> None:
    seen: list[tuple[str, list[str]]] = []

    def renamed(path: Path) -> None:
        seen.append((path.name, sorted(one.name for one in tmp_path.glob("step*"))))

    write_in_order([(tmp_path / "step.png", b"x"), (tmp_path / "step.json", b"y")], renamed=renamed)
    assert seen == [("step.png", ["step.png"]), ("step.json", ["step.json", "step.png"])]
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [b"y", b"x"]


def test_nothing_appears_before_all_bytes_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: list[list[str]] = []
    monkeypatch.setattr("os.fsync", lambda handle: here.append([*map(str, tmp_path.glob("step*"))]))
    write_in_order([(tmp_path / "step.png", b"x"), (tmp_path / "step.json", b"y")])
    assert here[:2] == [[], []]
    assert len(here) == 3


def test_a_file_that_cannot_be_written_keeps_all_of_them_away(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone.step\.json"):
        write_in_order([(tmp_path / "step.png", b"x"), (tmp_path / "gone" / "step.json", b"y")])
    assert list(tmp_path.iterdir()) == []


def test_work_done_at_once_has_all_ended_and_its_failure_is_raised() -> None:
    done: list[int] = []

    def fail() -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        at_once([lambda: done.append(1), fail, lambda: done.append(2)])
    assert sorted(done) == [1, 2]
