"""Live: newer records and steps are seen without a new generation, and readers never wait."""

import threading
from pathlib import Path

import pytest

from b100tui.index import tail
from b100tui.index.build import refresh
from b100tui.index.store import Index, open_index
from b100tui.metrics.registry import metric
from b100tui.model.errors import StoreError
from tests.index.folder import add_run, add_step, mark, png, record, score

BRISQUE = metric("brisque")
assert BRISQUE.low is not None and BRISQUE.high is not None
SCALE = 100.0 / (BRISQUE.high - BRISQUE.low)
RUN = "fog/replicate-2k/run-0"
OTHER = "fog/replicate-2k/run-1"
TABLES = ("run", "step", "section", "score", "series", "gap", "verdict", "mark", "run_summary")


def opened(root: Path) -> Index:
    refresh(root)
    index = open_index(root)
    index.poll()
    return index


def soon(index: Index) -> bool:
    """Poll without the pause that keeps scans of a large folder rare."""
    index._tail._next_scan = 0.0
    return index.poll()


def held(index: Index) -> dict[str, list[str]]:
    return {table: sorted(map(repr, index.ask(f"FROM {table}"))) for table in TABLES}


def test_nothing_new_is_no_news(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    index = opened(tmp_path)
    assert not soon(index)


def test_a_new_score_is_seen_and_summaries_follow(tmp_path: Path) -> None:
    hashes = add_run(tmp_path, RUN, 6)
    writer = record(tmp_path, "scores", score(RUN, 1, "brisque", 20.0, sha256=hashes[1]))
    index = opened(tmp_path)
    writer.append(score(RUN, 5, "brisque", 10.0, sha256=hashes[5]))
    assert index.poll()
    assert index.series(RUN)[0].values == (20.0, 10.0)
    row = index.runs()[0]
    assert (row.worst_metric, row.worst_gap) == ("brisque", pytest.approx(10.0 * SCALE))
    assert not index.poll()


def test_a_new_step_is_seen(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    add_run(tmp_path, OTHER, 2)
    index = opened(tmp_path)
    add_step(tmp_path, RUN, 2, sections=(("New", "zebra"),))
    assert soon(index)
    assert [step.step for step in index.steps(RUN)] == [0, 1, 2]
    assert [row.steps for row in index.runs()] == [3, 2]
    assert index.search("zebra", 5).total == 1


def test_a_new_run_is_seen_in_its_place(tmp_path: Path) -> None:
    add_run(tmp_path, "fog/replicate-2k/run-9", 1)
    add_run(tmp_path, "fog/replicate-2k/run-1", 1)
    index = opened(tmp_path)
    add_run(tmp_path, "fog/replicate-2k/run-2", 1)
    assert soon(index)
    assert [row.repeat for row in index.runs()] == [1, 2, 9]


def test_a_removed_run_is_gone(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 1)
    add_run(tmp_path, OTHER, 1)
    index = opened(tmp_path)
    for path in (tmp_path / OTHER).iterdir():
        path.unlink()
    assert soon(index)
    assert index.run_ids() == [RUN]


def test_a_score_of_shared_bytes_reaches_both_runs(tmp_path: Path) -> None:
    same = png(9)
    sha256 = add_step(tmp_path, RUN, 1, data=same)
    add_step(tmp_path, OTHER, 1, data=same)
    index = opened(tmp_path)
    record(tmp_path, "scores", score(RUN, 1, "niqe", 4.0, sha256=sha256))
    assert index.poll()
    assert index.series(OTHER)[0].values == (4.0,)


def test_a_mark_and_its_undo_are_seen(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    index = opened(tmp_path)
    writer = record(tmp_path, "marks", mark("a", RUN, 1, "tint"))
    assert index.poll()
    assert index.run_ids("mark:tint") == [RUN]
    writer.append(mark("a", RUN, 1, "tint", undo=True))
    assert index.poll()
    assert index.marks(RUN) == []


def test_the_tail_shows_what_a_new_generation_holds(tmp_path: Path) -> None:
    hashes = add_run(tmp_path, RUN, 6)
    add_run(tmp_path, OTHER, 3)
    writer = record(tmp_path, "scores", score(RUN, 1, "brisque", 20.0, sha256=hashes[1]))
    index = opened(tmp_path)
    writer.append(score(RUN, 5, "brisque", 10.0, sha256=hashes[5]))
    index.poll()
    fresh = add_step(tmp_path, OTHER, 3, sections=(("a", "b"),))
    writer.append(score(OTHER, 3, "niqe", 5.0, sha256=fresh), score(RUN, 2, "niqe", 3.0))
    record(tmp_path, "marks", mark("m", OTHER, 3, "tint"))
    assert soon(index)
    live = held(index)
    refresh(tmp_path)
    assert held(open_index(tmp_path)) == live


def test_moves_over_to_a_newer_generation(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    index = opened(tmp_path)
    before = index.generation
    add_step(tmp_path, RUN, 2)
    refresh(tmp_path)
    assert index.poll()
    assert index.generation > before
    assert len(index.steps(RUN)) == 3


def test_a_torn_line_waits_until_it_is_whole(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    path = record(tmp_path, "scores", score(RUN, 0, "brisque", 1.0)).path
    assert path is not None
    index = opened(tmp_path)
    line = f'{{"run":"{RUN}","step":1,"metric":"brisque","metric_version":"1","value":2.0}}\n'
    with path.open("a") as file:
        file.write(line[:30])
    assert not index.poll()
    with path.open("a") as file:
        file.write(line[30:])
    assert index.poll()
    assert index.series(RUN)[0].values == (1.0, 2.0)


def test_readers_go_on_while_the_tail_grows(tmp_path: Path) -> None:
    hashes = add_run(tmp_path, RUN, 10)
    writer = record(tmp_path, "scores", score(RUN, 0, "brisque", 0.0, sha256=hashes[0]))
    index = opened(tmp_path)
    seen: list[list[int]] = [[], []]
    wrong: list[BaseException] = []
    done = threading.Event()

    def read(mine: list[int]) -> None:
        try:
            while not done.is_set():
                series = index.series(RUN)
                mine.append(len(series[0].values))
                assert index.runs()[0].steps == 10
        except BaseException as error:
            wrong.append(error)

    readers = [threading.Thread(target=read, args=(mine,)) for mine in seen]
    for reader in readers:
        reader.start()
    for step in range(1, 10):
        writer.append(score(RUN, step, "brisque", float(step), sha256=hashes[step]))
        assert index.poll()
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert all(mine and mine == sorted(mine) for mine in seen)
    assert len(index.series(RUN)[0].values) == 10


def test_a_long_tail_starts_a_builder_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = add_run(tmp_path, RUN, 2)
    refresh(tmp_path)
    index = open_index(tmp_path, follow=True)
    index.poll()
    monkeypatch.setattr(tail, "BUILD_RECORDS", 2)
    writer = record(tmp_path, "scores", score(RUN, 0, "brisque", 1.0, sha256=hashes[0]))
    index.poll()
    assert index._tail._builder is None
    writer.append(score(RUN, 1, "brisque", 2.0, sha256=hashes[1]))
    index.poll()
    assert index._tail._builder is not None
    assert index._tail._builder.wait(240) == 0
    assert index.poll()
    assert index.generation == 2
    assert index.series(RUN)[0].values == (1.0, 2.0)


def test_two_indexes_of_one_root_do_not_disturb_each_other(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    first, second = opened(tmp_path), opened(tmp_path)
    add_step(tmp_path, RUN, 2)
    assert soon(first)
    first.close()
    assert len(second.steps(RUN)) == 2
    assert soon(second)
    assert len(second.steps(RUN)) == 3


def test_steps_of_a_run_that_began_meanwhile_are_followed(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 1)
    index = opened(tmp_path)
    add_run(tmp_path, OTHER, 1)
    assert soon(index)
    add_step(tmp_path, OTHER, 1)
    assert soon(index)
    assert len(index.steps(OTHER)) == 2


def test_closing_ends_what_is_still_running(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 1)
    index = opened(tmp_path)
    told: list[Exception] = []

    def ask_for_ever() -> None:
        try:
            index.ask("SELECT count(*) FROM range(10000000000) a, range(10000000000) b")
        except StoreError as error:
            told.append(error)

    asking = threading.Thread(target=ask_for_ever)
    asking.start()
    while asking.is_alive():  # the call may not have begun when the first close is heard
        index.close()
        asking.join(0.05)
    assert told


def test_what_was_seen_stays_when_a_generation_built_before_it_comes(tmp_path: Path) -> None:
    add_run(tmp_path, RUN, 2)
    index = opened(tmp_path)
    writer = record(tmp_path, "marks", mark("a", RUN, 1, "tint"))
    index.poll()
    held_back = writer.path
    assert held_back is not None
    data = held_back.read_bytes()
    held_back.write_bytes(b"")
    refresh(tmp_path, rebuild=True)
    held_back.write_bytes(data)
    assert index.poll()
    assert [one.id for one in index.marks(RUN)] == ["a"]
