import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.errors import StoreError
from b100tui.model.records import ScoreRecord
from b100tui.model.scan import LeftOut
from b100tui.workspace import parts
from b100tui.workspace.parts import PartWriter, part_files, read_part

# Prints the number of each record once it is acknowledged, and never ends by itself.
WRITER = """
import itertools, sys
from pathlib import Path
from b100tui.model.records import ScoreRecord
from b100tui.workspace.parts import PartWriter
writer = PartWriter(Path(sys.argv[1]))
for step in itertools.count():
    writer.append(ScoreRecord(run="r", step=step, metric="m", metric_version="v", value=0.5))
    print(step, flush=True)
"""
LIMITED = """
import resource, signal, sys
from pathlib import Path
from b100tui.model.errors import StoreError
from b100tui.model.records import ScoreRecord
from b100tui.workspace.parts import PartWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
writer = PartWriter(Path(sys.argv[1]))
for step in range(100):
    try:
        writer.append(ScoreRecord(run="r", step=step, metric="m", metric_version="v", value=0.5))
    except StoreError as error:
        print(step)
        print(error.message, "|", error.hint)
        break
"""


def score(step: int, value: float | None = 1.5) -> ScoreRecord:
    return ScoreRecord(run="r", step=step, metric="m", metric_version="v", value=value)


def read(path: Path, offset: int = 0) -> list[ScoreRecord | LeftOut]:
    return [record for record, _ in read_part(path, ScoreRecord, offset)]


def written(folder: Path, *records: ScoreRecord) -> Path:
    writer = PartWriter(folder)
    writer.append(*records)
    writer.close()
    assert writer.path is not None
    return writer.path


def test_records_come_back_in_order(tmp_path: Path) -> None:
    path = written(tmp_path / "scores", score(1), score(2, None), score(3))
    assert read(path) == [score(1), score(2, None), score(3)]


def test_nothing_is_made_before_the_first_record(tmp_path: Path) -> None:
    PartWriter(tmp_path / "scores").append()
    assert list(tmp_path.iterdir()) == []


def test_two_writers_of_one_process_never_share_a_part(tmp_path: Path) -> None:
    assert written(tmp_path, score(1)) != written(tmp_path, score(2))


def test_the_parts_of_all_folders_of_a_root_are_found(tmp_path: Path) -> None:
    one = written(tmp_path / "a" / "scores", score(1))
    two = written(tmp_path / "b" / "scores", score(2))
    written(tmp_path / "a" / "marks", score(3))
    folders = [tmp_path / "a", tmp_path / "b", tmp_path / "gone"]
    assert part_files(folders, "scores") == [one, two]


def test_a_torn_last_line_is_not_a_record_yet(tmp_path: Path) -> None:
    path = written(tmp_path, score(1), score(2))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole)):
        path.write_bytes(whole[:cut])
        assert read(path) == [score(1)]


def test_a_reader_goes_on_where_it_stopped_once_the_line_is_whole(tmp_path: Path) -> None:
    path = written(tmp_path, score(1), score(2))
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    ((_, offset),) = read_part(path, ScoreRecord)
    path.write_bytes(whole)
    assert read(path, offset) == [score(2)]


@pytest.mark.parametrize(
    "line",
    [b"not json", b"{}", b"[]", b"\xff\xfe", b"", b"\x00" * 40, b'{"run":"r","step":"one"}'],
)
def test_a_broken_line_costs_itself_and_names_its_place(tmp_path: Path, line: bytes) -> None:
    path = written(tmp_path, score(1), score(2))
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + line + b"\n" + second)
    before, broken, after = read(path)
    assert (before, after) == (score(1), score(2))
    assert isinstance(broken, LeftOut)
    assert f"byte {len(first)}" in broken.reason


@given(st.lists(st.binary(max_size=30)))
def test_any_bytes_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("part") / "p.jsonl"
    path.write_bytes(b"\n".join(lines))
    offsets = [offset for _, offset in read_part(path, ScoreRecord)]
    assert offsets == sorted(set(offsets))
    assert len(offsets) == path.read_bytes().count(b"\n")


def test_a_line_too_long_to_hold_is_skipped_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MAX_LINE", 600)
    path = written(tmp_path, score(1), score(2))
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"x" * 3000 + b"\n" + second)
    before, broken, after = read(path)
    assert (before, after) == (score(1), score(2))
    assert isinstance(broken, LeftOut)


def test_a_line_too_long_and_not_finished_is_not_a_record_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MAX_LINE", 600)
    path = written(tmp_path, score(1))
    with path.open("ab") as file:
        file.write(b"x" * 3000)
    assert read(path) == [score(1)]


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(50)][-1]
        os.kill(process.pid, signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in process.stdout)])
    (path,) = tmp_path.glob("*.jsonl")
    steps = [record.step for record in read(path) if isinstance(record, ScoreRecord)]
    assert steps[: acknowledged + 1] == list(range(acknowledged + 1))
    assert len(steps) <= acknowledged + 2


def test_a_full_disk_is_told_and_leaves_only_whole_records(tmp_path: Path) -> None:
    """A limit on file size stands in for the disk: the write fails half way with an OSError."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    failed, message = done.stdout.splitlines()
    (path,) = tmp_path.glob("*.jsonl")
    assert str(path) in message
    assert "free space" in message
    assert path.read_bytes().endswith(b"\n")
    assert [record.step for record in read(path) if isinstance(record, ScoreRecord)] == list(
        range(int(failed))
    )


def test_a_place_that_cannot_be_made_is_a_named_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make"):
        PartWriter(tmp_path / "file" / "scores").append(score(1))
