import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.index import build
from b100tui.index.generation import lock_path
from b100tui.model.errors import StoreError
from b100tui.workspace.locks import hold
from b100tui.workspace.places import cache_dir, last_root
from tests.index.folder import add_run, add_step
from tests.report.test_onsets import planted, write

A = "dongpo/replicate-2k/run-0"
B = "fog/replicate-2k/run-1"
KEYS = {
    *("run", "image", "recipe", "setting", "editor", "repeat", "labels", "steps", "first_step"),
    *("last_step", "missing", "duplicates", "sizes", "coverage", "onset", "limit", "editor_kind"),
    *("simulated", "parent"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    add_run(tmp_path, A, 3)
    for step in (0, 2):
        add_step(tmp_path, B, step)
    return tmp_path


def test_json_has_the_keys_of_the_contract(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first.keys() >= KEYS
    assert (first["run"], first["steps"], first["sizes"]) == (A, 3, [[4, 3, 3]])
    assert (second["run"], second["missing"]) == (B, [1])


def test_jsonl_prints_one_run_a_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root), "--jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["run"] for line in lines] == [A, B]


def test_filters(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root), "--filter", "missing>0", "--json"]) == 0
    assert [run["run"] for run in json.loads(capsys.readouterr().out)] == [B]


def test_a_filter_that_cannot_be_read_is_wrong_use(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", str(root), "--filter", "imge:fog"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "character 1" in told.err and "image" in told.err


def test_the_table_shows_each_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root)]) == 0
    out = capsys.readouterr().out
    assert A in out and B in out and "2 runs, 5 steps" in out


def test_the_root_is_remembered(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root)]) == 0
    assert last_root() == root
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_the_root_may_come_from_the_environment(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("B100_ROOT", str(root))
    assert main(["runs", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_changes_are_taken_in_unless_told_not_to(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["runs", str(root)])
    add_step(root, A, 3)
    capsys.readouterr()
    main(["runs", str(root), "--no-refresh", "--json"])
    assert json.loads(capsys.readouterr().out)[0]["steps"] == 3
    main(["runs", str(root), "--json"])
    assert json.loads(capsys.readouterr().out)[0]["steps"] == 4


def test_without_any_root_it_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs"]) == 2
    assert "name one" in capsys.readouterr().err


def test_a_damaged_index_is_built_anew(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root)]) == 0
    (path,) = cache_dir(root).glob("index-*.duckdb")
    path.chmod(0o644)
    path.write_bytes(b"damaged" * 1000)
    capsys.readouterr()
    assert main(["runs", str(root), "--json"]) == 0
    told = capsys.readouterr()
    assert len(json.loads(told.out)) == 2
    assert "moved to" in told.err


def test_a_builder_at_work_does_not_stop_reading(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", str(root)]) == 0
    add_step(root, A, 3)
    capsys.readouterr()
    with hold(lock_path(cache_dir(root)), "indexing elsewhere"):
        assert main(["runs", str(root), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)[0]["steps"] == 3
    assert "indexing elsewhere" in told.err


def test_a_filter_may_begin_with_not(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(root), "--filter", "-image:fog", "--json"]) == 0
    assert [run["run"] for run in json.loads(capsys.readouterr().out)] == [A]


def test_a_folder_without_runs_says_where_to_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "photo.png").write_bytes(b"")
    assert main(["runs", str(tmp_path), "--json"]) == 0
    told = capsys.readouterr()
    assert told.out == "[]\n"
    assert f"b100 scan {tmp_path}" in told.err


def test_a_filter_that_leaves_nothing_is_no_empty_folder(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", str(root), "--filter", "image:nothing"]) == 0
    told = capsys.readouterr()
    assert "0 runs, 0 steps" in told.out and told.err == ""


def test_an_index_that_cannot_be_renewed_still_answers(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["runs", str(root), "--json"]) == 0
    before = capsys.readouterr().out
    add_step(root, B, 3)

    def full(*_: object, **__: object) -> None:
        raise StoreError("the index could not be written: No space left", "free space")

    monkeypatch.setattr(build, "refresh", full)
    assert main(["runs", str(root), "--json"]) == 0
    told = capsys.readouterr()
    assert told.out == before
    assert "No space left" in told.err and "fix: free space" in told.err


def test_a_first_index_that_cannot_be_written_is_a_failure(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("the index could not be written: No space left", "free space")

    monkeypatch.setattr(build, "refresh", full)
    assert main(["runs", str(root), "--json"]) == 1
    told = capsys.readouterr()
    assert told.out == "" and "No space left" in told.err


def test_the_table_says_that_its_onset_is_a_quick_estimate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, A, {"noise_sigma": planted(9, 1), "gradient_energy": planted(9, 2)})
    assert main(["runs", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "quick estimate" in told.err and "b100 onset" in told.err
    assert "quick" not in told.out
