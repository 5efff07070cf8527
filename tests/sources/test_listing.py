import os
import shutil
from pathlib import Path

import pytest

from b100tui.model.errors import CancelledError, RootError
from b100tui.sources import scan_folder, walk
from b100tui.sources.listing import list_files
from tests.sources.made import PNG, put


def test_stamps_are_size_and_time_of_every_file(tmp_path: Path) -> None:
    put(tmp_path, "a.png", "b/c/d.png")
    facts = (tmp_path / "a.png").stat()
    stamps = walk(tmp_path)
    assert stamps.keys() == {"a.png", "b/c/d.png"}
    assert stamps["a.png"] == (len(PNG), facts.st_mtime_ns)


def test_hidden_files_and_caches_are_not_scanned(tmp_path: Path) -> None:
    put(tmp_path, ".b100/x.png", ".hidden.png", "__pycache__/y.png", "a/.git/z.png", "kept.png")
    assert walk(tmp_path).keys() == {"kept.png"}


def test_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "out/secret.png", "root/kept.png")
    root = tmp_path / "root"
    (root / "file.png").symlink_to(tmp_path / "out/secret.png")
    (root / "folder").symlink_to(tmp_path / "out")
    listing = list_files(root)
    assert listing.stamps.keys() == {"kept.png"}
    assert {left.path for left in listing.left_out} == {"file.png", "folder"}
    assert all("outside" in left.reason for left in listing.left_out)


def test_link_inside_the_root_is_followed(tmp_path: Path) -> None:
    put(tmp_path, "originals/cat.png", "run/step_1.png")
    (tmp_path / "run/step_0.png").symlink_to("../originals/cat.png")
    assert "run/step_0.png" in walk(tmp_path)


def test_loop_of_links_ends(tmp_path: Path) -> None:
    put(tmp_path, "a/b/x.png")
    (tmp_path / "a/b/up").symlink_to(tmp_path / "a")
    (tmp_path / "self").symlink_to(tmp_path)
    listing = list_files(tmp_path)
    assert listing.stamps.keys() == {"a/b/x.png"}
    assert {left.path for left in listing.left_out} == {"a/b/up", "self"}


def test_dangling_link_is_listed_as_one(tmp_path: Path) -> None:
    (tmp_path / "gone.png").symlink_to(tmp_path / "nowhere.png")
    (left,) = list_files(tmp_path).unreadable
    assert (left.path, left.reason) == ("gone.png", "a link that leads nowhere")


def test_pipe_is_left_out_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "step_1.png")
    assert [left.path for left in list_files(tmp_path).left_out] == ["step_1.png"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_folder_is_listed(tmp_path: Path) -> None:
    put(tmp_path, "closed/x.png", "open/y.png")
    (tmp_path / "closed").chmod(0)
    try:
        listing = list_files(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert listing.stamps.keys() == {"open/y.png"}
    assert [left.path for left in listing.unreadable] == ["closed"]


def test_missing_root_is_named(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="nowhere"):
        scan_folder(tmp_path / "nowhere")


def test_scan_stops_when_cancelled(tmp_path: Path) -> None:
    for number in range(2100):
        (tmp_path / f"{number}.txt").touch()
    seen: list[int] = []
    with pytest.raises(CancelledError):
        scan_folder(tmp_path, progress=seen.append, cancelled=lambda: bool(seen))
    assert seen == [2048]


def test_scan_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path, *(f"step_{n}.png" for n in range(3)), "notes.csv")
    before = walk(tmp_path)
    scan_folder(tmp_path)
    assert walk(tmp_path) == before
    assert not (tmp_path / ".b100").exists()


def test_folder_that_vanishes_during_the_scan_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "gone/x.png", "kept.png")
    scandir = os.scandir

    def vanishing(place: object) -> object:
        if str(place).endswith("gone"):
            shutil.rmtree(str(place))
        return scandir(place)  # type: ignore[call-overload]

    monkeypatch.setattr("b100tui.sources.listing.os.scandir", vanishing)
    scan = scan_folder(tmp_path)
    assert [left.path for left in scan.unreadable] == ["gone"]
    assert "kept.png" in scan.stamps
