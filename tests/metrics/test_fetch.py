"""Weight files: whole, damaged, fetched under a lock from a loopback mirror."""

import hashlib
import io
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from b100tui.metrics import fetch as fetching
from b100tui.metrics import registry, weights
from b100tui.metrics.fetch import fetch
from b100tui.metrics.registry import Weight
from tests.metrics.server import Reply, serve


def archive(text: str = "weights") -> bytes:
    """A zip file: the form torch.save writes. Dated, so that two of one text are the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(zipfile.ZipInfo("archive/data.pkl", (2026, 1, 1, 0, 0, 0)), text * 100)
    return file.getvalue()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    return tmp_path / "torch" / "hub" / "pyiqa"


def placed(data: bytes, weight: Weight) -> Path:
    path = weights.place_of(weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "name", "whole"),
    [
        (archive(), "a.pth", True),
        (archive()[:-30], "a.pth", False),
        (b"", "a.pth", False),
        (b"<html>not found</html>", "a.pth", False),
        (b"\x80\x02" + bytes(200), "old.pth", True),
        (b"MATLAB 5.0 MAT-file" + bytes(100), "a.mat", True),
        (b"<html>", "a.mat", False),
        ((20).to_bytes(8, "little") + bytes(20), "a.safetensors", True),
        ((900).to_bytes(8, "little") + bytes(20), "a.safetensors", False),
    ],
)
def test_a_file_cut_short_or_of_another_kind_is_seen(data: bytes, name: str, whole: bool) -> None:
    weight = Weight(name)
    placed(data, weight)
    assert (weights.fault_of(weight) == "") is whole


def test_size_and_hash_are_held_where_they_are_known() -> None:
    data = archive()
    placed(data, Weight("a.pth"))
    right = hashlib.sha256(data).hexdigest()
    assert weights.verified(Weight("a.pth", bytes=len(data), sha256=right[:8])) == ""
    assert "bytes" in weights.verified(Weight("a.pth", bytes=1))
    assert "sha256" in weights.verified(Weight("a.pth", sha256="0" * 8))
    assert weights.identity_of(Weight("a.pth")) == right


def test_a_changed_file_is_hashed_again() -> None:
    path = placed(archive("one"), Weight("a.pth"))
    first = weights.sha256_of(path)
    path.write_bytes(archive("other"))
    assert weights.sha256_of(path) != first


def test_a_hub_repository_is_there_when_a_snapshot_holds_files() -> None:
    weight = Weight("timm/resnet50.a1_in1k", place="hf")
    assert "is not in" in weights.fault_of(weight)
    snapshot = weights.place_of(weight) / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    assert weights.fault_of(weight)
    (snapshot / "model.safetensors").write_bytes(b"x")
    assert weights.fault_of(weight) == ""


FILE = "CNNIQA_koniq10k-e6f14c91.pth"


def test_a_missing_file_is_fetched_verified_and_then_left_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        asked.append(path)
        return 200, {}, archive()

    with serve(answer) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        (first,) = fetch(["cnniqa"])
        (again,) = fetch(["cnniqa"])
    assert (first.status, again.status) == ("fetched", "there")
    assert asked == [f"/chaofengc/IQA-PyTorch-Weights/resolve/main/{FILE}"]
    assert (cache / FILE).read_bytes() == archive()
    assert [path.name for path in cache.iterdir() if path.suffix == ".part"] == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((404, {}, b"no"), "answered 404"),
        ((200, {}, b"<html>captive portal</html>"), "no such file"),
        ((200, {}, archive()[:-40]), "no such file"),
    ],
)
def test_what_is_not_the_file_is_not_kept(
    cache: Path, monkeypatch: pytest.MonkeyPatch, reply: Reply, words: str
) -> None:
    with serve(lambda path, body, headers: reply) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        (found,) = fetch(["cnniqa"])
    assert found.status == "failed"
    assert words in found.reason
    assert "put the file" in found.fix
    assert not (cache / FILE).exists()


def test_a_download_cut_short_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reply: Reply = (200, {"Content-Length": str(10**6)}, archive())
    with serve(lambda path, body, headers: reply) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        (found,) = fetch(["cnniqa"])
    assert found.status == "failed"
    assert not (cache / FILE).exists()


def test_without_a_network_the_failure_names_address_and_place(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(lambda path, body, headers: (200, {}, b"")) as url:
        pass
    monkeypatch.setenv("HF_ENDPOINT", url)
    (found,) = fetch(["cnniqa"])
    assert found.status == "failed"
    assert url in found.fix
    assert str(cache / FILE) in found.fix


def test_a_wrong_hash_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(lambda path, body, headers: (200, {}, archive())) as url:
        weight = Weight("a.pth", url=f"{url}/a.pth", sha256="00000000")
        monkeypatch.setattr(registry, "weights", lambda name: (weight,))
        (found,) = fetch(["cnniqa"])
    assert found.status == "failed"
    assert "sha256" in found.reason
    assert not weights.place_of(weight).exists()


def test_two_fetches_at_once_download_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    both = threading.Barrier(2, timeout=240)

    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        asked.append(path)
        return 200, {}, archive()

    def work() -> list[fetching.Fetched]:
        both.wait()
        return fetch(["cnniqa"])

    with serve(answer) as url, ThreadPoolExecutor(2) as pool:
        monkeypatch.setenv("HF_ENDPOINT", url)
        found = [each.result()[0].status for each in [pool.submit(work), pool.submit(work)]]
    assert sorted(found) == ["fetched", "there"]
    assert len(asked) == 1


def test_only_addresses_of_the_registry_are_known() -> None:
    for metric in registry.metrics():
        for weight in registry.weights(metric.id):
            if weight.place != "hf":
                assert fetching.address_of(weight).startswith("https://")
