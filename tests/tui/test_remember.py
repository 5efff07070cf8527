"""The last place in each root."""

from pathlib import Path

from b100tui.tui.remember import FILE_NAME, Place, recall, remember
from b100tui.workspace.places import state_dir


def test_a_place_is_found_again():
    assert remember(Path("/a"), Place("run", 42, 1)) == ""
    assert recall(Path("/a")) == Place("run", 42, 1)


def test_another_root_has_its_own():
    remember(Path("/a"), Place("run", 42, 1))
    assert recall(Path("/b")) is None


def test_a_broken_file_counts_as_none():
    state_dir().mkdir(parents=True)
    (state_dir() / FILE_NAME).write_text('{"/a": 7, "/b": {"run": 1}}')
    assert recall(Path("/a")) is None and recall(Path("/b")) is None


def test_a_folder_that_cannot_be_written_is_told(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("B100_STATE_DIR", str(tmp_path / "file" / "below"))
    assert "cannot make" in remember(Path("/a"), Place("run", 1, 1))
