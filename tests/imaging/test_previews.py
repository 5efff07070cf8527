"""The preview cache on disk."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.previews import LEVELS, Cache
from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from tests.imaging.files import encoded, smooth


def put(root: Path, name: str = "a.png", size: tuple[int, int] = (2000, 1000)) -> PictureRef:
    path = root / name
    path.write_bytes(encoded(smooth(*size)))
    facts = path.stat()
    return PictureRef(name, None, facts.st_size, facts.st_mtime_ns)


def stored(cache: Cache) -> list[Path]:
    return sorted(cache.folder.glob("*/*.jpg"))


def test_one_decode_makes_both_levels(tmp_path: Path) -> None:
    ref, cache = put(tmp_path), Cache(tmp_path / "previews")
    assert cache.get(tmp_path, ref, 1).size == (704, 352)
    assert cache.has(ref, 0)
    assert cache.get(tmp_path, ref, 0).size == (1408, 704)
    assert len(stored(cache)) == 2


def test_a_cached_preview_needs_no_source(tmp_path: Path) -> None:
    ref, cache = put(tmp_path), Cache(tmp_path / "previews")
    first = cache.get(tmp_path, ref, 1)
    (tmp_path / "a.png").unlink()
    again = Cache(tmp_path / "previews").get(tmp_path, ref, 1)
    apart = np.abs(np.asarray(first, float) - np.asarray(again, float))
    assert apart.mean() < 2


@pytest.mark.parametrize("change", ["path", "member", "bytes", "mtime_ns"])
def test_another_stamp_is_another_preview(tmp_path: Path, change: str) -> None:
    import msgspec

    ref, cache = PictureRef("a", None, 1, 1), Cache(tmp_path)
    other = msgspec.structs.replace(ref, **{change: {"path": "b", "member": "m"}.get(change, 2)})
    assert cache.path(ref, 0) != cache.path(other, 0)


def test_a_small_picture_is_not_enlarged(tmp_path: Path) -> None:
    ref, cache = put(tmp_path, size=(300, 200)), Cache(tmp_path / "previews")
    assert cache.get(tmp_path, ref, 0).size == (300, 200)


def test_two_levels_of_a_noisy_4k_picture_stay_under_300_kb(tmp_path: Path) -> None:
    base = np.asarray(smooth(2816, 1504), float)
    grain = np.random.default_rng(2).normal(0, 8, base.shape)
    pixels = np.clip(base + grain, 0, 255).astype(np.uint8)
    path = tmp_path / "a.png"
    Image.fromarray(pixels).save(path, compress_level=1)
    facts = path.stat()
    ref = PictureRef("a.png", None, facts.st_size, facts.st_mtime_ns)
    cache = Cache(tmp_path / "previews")
    cache.make(tmp_path, ref)
    assert sum(file.stat().st_size for file in stored(cache)) <= 300_000


def test_a_damaged_preview_is_made_anew(tmp_path: Path) -> None:
    ref, cache = put(tmp_path), Cache(tmp_path / "previews")
    cache.get(tmp_path, ref, 1)
    path = cache.path(ref, 1)
    path.write_bytes(path.read_bytes()[:500])
    assert cache.get(tmp_path, ref, 1).size == (704, 352)
    assert len(path.read_bytes()) > 500


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    refs = [put(tmp_path, f"{n}.png", (400, 300)) for n in range(4)]
    folder = tmp_path / "previews"
    Cache(folder).make(tmp_path, refs[0])
    each = sum(path.stat().st_size for path in folder.glob("*/*.jpg"))
    cache = Cache(folder, limit_bytes=int(3.5 * each))
    for age, ref in enumerate(refs[:3]):
        cache.make(tmp_path, ref)
        for level in range(len(LEVELS)):
            os.utime(cache.path(ref, level), (1000 + age, 1000 + age))
    cache.get(tmp_path, refs[0], 0)
    cache.get(tmp_path, refs[0], 1)
    cache.make(tmp_path, refs[3])
    assert cache.has(refs[0], 0)
    assert not cache.has(refs[1], 0)
    total = sum(path.stat().st_size for path in stored(cache))
    assert total <= cache.limit_bytes


def test_a_folder_that_cannot_be_made_costs_only_the_storing(tmp_path: Path) -> None:
    ref = put(tmp_path)
    (tmp_path / "previews").write_text("in the way")
    cache = Cache(tmp_path / "previews")
    assert cache.get(tmp_path, ref, 1).size == (704, 352)
    assert "not kept" in cache.trouble


def test_a_full_disk_costs_only_the_storing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, cache = put(tmp_path), Cache(tmp_path / "previews")

    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert cache.get(tmp_path, ref, 0).size == (1408, 704)
    assert "No space left" in cache.trouble
    assert not any(path.is_file() for path in cache.folder.rglob("*"))


def test_members_come_through_the_opener(tmp_path: Path) -> None:
    data = encoded(smooth(900, 600))
    ref = PictureRef("shard.parquet", "3:image", 7, 7)
    cache = Cache(tmp_path, opener=lambda root, ref: data)
    assert cache.get(tmp_path, ref, 1).size == (704, 469)


def test_a_member_without_an_opener_is_named(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="container"):
        Cache(tmp_path).get(tmp_path, PictureRef("shard.parquet", "3:image"), 0)


def test_a_bad_picture_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"nothing")
    cache = Cache(tmp_path / "previews")
    with pytest.raises(PictureError):
        cache.get(tmp_path, PictureRef("a.png", None, 7, 1), 0)
    assert stored(cache) == []


def test_the_folder_is_private(tmp_path: Path) -> None:
    ref, cache = put(tmp_path), Cache(tmp_path / "previews")
    cache.get(tmp_path, ref, 1)
    assert stored(cache)[0].parent.stat().st_mode & 0o077 == 0
