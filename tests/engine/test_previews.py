"""A step that b100 makes has its previews when it is looked at."""

from pathlib import Path

from PIL import Image

from b100tui.engine.previews import keep_previews
from b100tui.imaging.previews import LEVELS, Cache
from b100tui.sources.assemble import picture_ref
from b100tui.sources.listing import list_files
from b100tui.workspace.places import cache_dir


def test_the_previews_are_those_that_the_explorer_asks_for(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    picture = root / "fog" / "step-001.png"
    picture.parent.mkdir(parents=True)
    Image.new("RGB", (1500, 900), (40, 90, 140)).save(picture)
    assert keep_previews(root, picture) == ""
    ref = picture_ref(list_files(root), "fog/step-001.png")
    cache = Cache(cache_dir(root) / "previews")
    assert all(cache.has(ref, level) for level in range(len(LEVELS)))


def test_what_is_no_picture_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "step-001.png").write_bytes(b"no picture")
    assert "step-001.png" in keep_previews(tmp_path, tmp_path / "step-001.png")
