import os
from pathlib import Path

import pytest

from b100tui.model.errors import RootError, StoreError
from b100tui.workspace import places


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def read_only(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let `folder` be read-only also where the tests run as root, who may write anywhere."""
    real = os.access

    def access(path: str | os.PathLike[str], mode: int) -> bool:
        inside = Path(path) == folder or folder in Path(path).parents
        return False if inside and mode & os.W_OK else real(path, mode)

    monkeypatch.setattr(os, "access", access)


def test_records_go_inside_a_folder_that_can_be_written(root: Path) -> None:
    assert places.workspace_dir(root) == root / ".b100"


def test_asking_for_the_workspace_writes_nothing(root: Path) -> None:
    places.workspace_dir(root)
    assert list(root.iterdir()) == []


def test_records_about_a_read_only_folder_go_to_the_users_data_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_only(monkeypatch, root)
    folder = places.workspace_dir(root)
    assert folder.parent == Path(os.environ["B100_DATA_DIR"])
    assert root.name in folder.name


def test_two_folders_of_one_name_have_places_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "a" / "runs", tmp_path / "b" / "runs"
    one.mkdir(parents=True)
    two.mkdir(parents=True)
    read_only(monkeypatch, tmp_path)
    assert places.workspace_dir(one) != places.workspace_dir(two)
    assert places.cache_dir(one) != places.cache_dir(two)


def test_a_link_to_a_folder_shares_its_cache(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    assert places.cache_dir(link) == places.cache_dir(root)


def test_readers_find_records_in_both_places(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".b100").mkdir()
    with monkeypatch.context() as patch:
        read_only(patch, root)
        beside = places.make_private(places.workspace_dir(root))
    assert places.workspace_dirs(root) == [root / ".b100", beside]


def test_a_folder_without_records_has_no_workspace_to_read(root: Path) -> None:
    assert places.workspace_dirs(root) == []


def test_the_cache_is_private(root: Path) -> None:
    assert places.cache_dir(root).stat().st_mode & 0o777 == 0o700


def test_a_cache_that_cannot_be_made_names_the_fix(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("B100_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(StoreError) as caught:
        places.cache_dir(root)
    assert "B100_CACHE_DIR" in caught.value.hint


def test_a_root_is_absolute(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.parent)
    assert places.resolve_root("runs") == root
    assert places.resolve_root("./runs/../runs/") == root


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "runs").mkdir()
    assert places.resolve_root("~/runs") == tmp_path / "runs"


def test_a_root_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="does not exist"):
        places.resolve_root(tmp_path / "gone")


def test_a_root_that_cannot_be_asked_for_is_told(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="may not be reached"):
        places.resolve_root(tmp_path / ("long" * 2000))


def test_a_root_with_a_byte_no_name_has_is_told(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="does not exist"):
        places.resolve_root(str(tmp_path) + "/a\0b")


def test_a_root_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(RootError, match="is a file"):
        places.resolve_root(tmp_path / "a.png")


def test_a_root_that_may_not_be_read_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(RootError, match="may not be read"):
        places.resolve_root(root)


def test_the_last_root_is_remembered_whatever_bytes_its_name_has(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"runs \xff\xc3\xa9 1")
    folder.mkdir()
    places.remember_root(folder)
    assert places.last_root() == folder


def test_a_last_root_that_vanished_is_none(root: Path) -> None:
    places.remember_root(root)
    root.rmdir()
    assert places.last_root() is None


def test_a_state_folder_that_cannot_be_written_stops_no_reading(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("B100_STATE_DIR", str(tmp_path / "file"))
    assert places.remember_root(root) is False
    assert places.last_root() is None


@pytest.mark.parametrize("text", [b"", b"\n", b"\0\n", b"/gone\n"])
def test_a_damaged_note_of_the_last_root_is_none(text: bytes) -> None:
    places.make_private(places.state_dir())
    (places.state_dir() / "last-root").write_bytes(text)
    assert places.last_root() is None


def test_without_a_last_root_there_is_none() -> None:
    assert places.last_root() is None


def test_a_folder_without_write_bits_is_left_alone_even_by_root(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        assert places.workspace_dir(tmp_path).parent == places.data_home()
    finally:
        tmp_path.chmod(0o755)
