"""Refreshing: what is read again, what a generation is, and what happens when things go wrong."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from b100tui.index import generation
from b100tui.index.build import refresh
from b100tui.index.snapshot import read_first
from b100tui.index.store import open_index
from b100tui.model.errors import LockHeldError, RootError, StoreError
from b100tui.workspace.locks import hold
from b100tui.workspace.places import cache_dir
from tests.index.folder import add_run, add_step, record, score

RUN = "fog/replicate-2k/run-0"
OTHER = "fog/replicate-2k/run-1"


def test_counts_runs_and_steps(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3, sections=(("A", "b"),))
    report = refresh(tmp_path)
    assert (report.runs, report.steps, report.sections, report.added) == (1, 3, 3, 3)


def test_an_unchanged_folder_makes_no_new_generation(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    first = refresh(tmp_path)
    second = refresh(tmp_path)
    assert (second.generation, second.added, second.changed) == (first.generation, 0, 0)


def test_an_unchanged_folder_is_seen_without_a_database() -> None:
    code = (
        "import sys; from pathlib import Path; from b100tui.index.build import refresh;"
        "refresh(Path(sys.argv[1])); print('duckdb' in sys.modules)"
    )
    root = Path(os.environ["B100_DATA_DIR"]) / "root"
    add_run(root, RUN, 2)
    say = [
        subprocess.run(
            [sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert say == ["True", "False"]


def test_only_the_changed_step_is_read_again(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    refresh(tmp_path)
    add_step(tmp_path, RUN, 1, prompt="something else altogether")
    report = refresh(tmp_path)
    assert (report.added, report.changed, report.removed, report.steps) == (0, 1, 0, 3)
    assert open_index(tmp_path).steps(RUN)[1].prompt == "something else altogether"


def test_a_removed_run_disappears(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    add_run(tmp_path, OTHER, 2)
    refresh(tmp_path)
    for path in (tmp_path / OTHER).iterdir():
        path.unlink()
    report = refresh(tmp_path)
    assert (report.runs, report.steps, report.removed) == (1, 2, 2)
    assert [row.run for row in open_index(tmp_path).runs()] == [RUN]


def test_refreshing_step_by_step_equals_building_at_once(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    refresh(tmp_path)
    record(tmp_path, "scores", score(RUN, 1, "brisque", 30.0), score(RUN, 2, "brisque", 20.0))
    refresh(tmp_path)
    add_run(tmp_path, OTHER, 6)
    record(tmp_path, "scores", score(OTHER, 1, "niqe", 5.0), score(OTHER, 5, "niqe", 4.0))
    refresh(tmp_path)
    grown = open_index(tmp_path)
    tables = ("run", "step", "score", "series", "gap", "run_summary")
    before = {table: sorted(map(repr, grown.ask(f"FROM {table}"))) for table in tables}
    refresh(tmp_path, rebuild=True)
    anew = open_index(tmp_path)
    assert anew.generation > grown.generation
    assert {table: sorted(map(repr, anew.ask(f"FROM {table}"))) for table in tables} == before


def test_a_published_generation_may_not_be_written(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    report = refresh(tmp_path)
    path = generation.database_path(cache_dir(tmp_path), report.generation)
    assert stat.S_IMODE(path.stat().st_mode) == 0o444


def test_the_last_two_generations_are_kept(tmp_path: Path) -> None:
    for step in range(4):
        add_step(tmp_path, RUN, step)
        refresh(tmp_path)
    assert generation.generations(cache_dir(tmp_path)) == [3, 4]


def test_a_reader_keeps_what_it_opened(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    refresh(tmp_path)
    index = open_index(tmp_path)
    for step in range(2, 6):
        add_step(tmp_path, RUN, step)
        refresh(tmp_path)
    assert len(index.steps(RUN)) == 2


def test_a_damaged_cache_is_moved_aside_and_built_anew(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    first = refresh(tmp_path)
    cache = cache_dir(tmp_path)
    path = generation.database_path(cache, first.generation)
    path.chmod(0o644)
    path.write_bytes(b"not a database at all" * 500)
    add_step(tmp_path, RUN, 2)
    assert refresh(tmp_path).steps == 3
    assert (cache / "aside" / path.name).exists()
    assert len(open_index(tmp_path).steps(RUN)) == 3


def test_the_cache_of_an_older_schema_is_not_used(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    older = cache_dir(tmp_path) / "index-0-000009.duckdb"
    older.write_bytes(b"whatever an older release wrote")
    assert refresh(tmp_path).steps == 2
    assert not older.exists()


def test_a_full_disk_leaves_the_generation_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, RUN, 2)
    first = refresh(tmp_path)
    add_step(tmp_path, RUN, 2)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(StoreError, match="No space left") as told:
        refresh(tmp_path)
    assert "free space" in told.value.hint
    cache = cache_dir(tmp_path)
    assert generation.generations(cache) == [first.generation]
    assert not list(cache.glob("building-*"))


def test_a_second_builder_is_told_who_holds(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    with (
        hold(generation.lock_path(cache_dir(tmp_path)), "indexing elsewhere"),
        pytest.raises(LockHeldError, match=f"indexing elsewhere, pid {os.getpid()}"),
    ):
        refresh(tmp_path, wait_seconds=0.0)


def test_a_folder_that_vanished_is_named(tmp_path: Path) -> None:
    root = tmp_path / "gone"
    with pytest.raises(RootError, match="gone"):
        refresh(root)


def test_a_step_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    (tmp_path / RUN / "step-001.png").write_bytes(b"")
    report = refresh(tmp_path)
    assert report.steps >= 2
    assert report.unreadable == 1
    assert "step-001.png" in report.unreadable_files[0].path
    assert open_index(tmp_path).steps(RUN)[2].status == "ok"


def test_absurd_numbers_do_not_stop_the_build(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    add_step(tmp_path, RUN, 2, seed=2**70, cost_usd=1e308)
    add_step(tmp_path, RUN, 3, cost_usd=1e308)
    record(
        tmp_path,
        "scores",
        *(score(RUN, step, "brisque", (-1) ** step * 1e308) for step in range(4)),
    )
    refresh(tmp_path)
    index = open_index(tmp_path)
    step = index.steps(RUN)[2]
    assert step.seed is None
    assert any("does not fit" in text for text in step.warnings)
    assert index.series(RUN)[0].values[0] == 1e308


def test_texts_are_cleaned_before_they_are_kept(tmp_path: Path) -> None:
    add_step(tmp_path, RUN, 0, prompt="a\x1b[2Jb", sections=(("t\x07", "x\u202ey"),))
    refresh(tmp_path)
    step = open_index(tmp_path).steps(RUN)[0]
    assert (step.prompt, step.sections[0].title, step.sections[0].text) == ("ab", "t", "xy")


def test_the_snapshot_shows_the_first_rows_and_all_totals(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 3)
    add_run(tmp_path, OTHER, 2)
    report = refresh(tmp_path)
    first = read_first(tmp_path)
    assert first is not None
    assert (first.generation, first.total_runs, first.total_steps) == (report.generation, 2, 5)
    assert [row.run for row in first.rows] == [RUN, OTHER]
    assert list(first.rows) == open_index(tmp_path).runs()


def test_without_an_index_there_is_no_snapshot(tmp_path: Path) -> None:
    assert read_first(tmp_path) is None


def test_the_snapshot_is_read_without_a_database() -> None:
    code = (
        "import sys; from pathlib import Path; from b100tui.index.snapshot import read_first;"
        "print(read_first(Path(sys.argv[1])).total_steps);"
        "print([m for m in ('duckdb', 'numpy', 'PIL', 'tantivy') if m in sys.modules])"
    )
    root = Path(os.environ["B100_DATA_DIR"]) / "root"
    add_run(root, RUN, 2)
    refresh(root)
    say = subprocess.run(
        [sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True
    )
    assert say.stdout.split("\n")[:2] == ["2", "[]"]
