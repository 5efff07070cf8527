"""Groups and processes by memory: estimates from the registry."""

from pathlib import Path

import pytest

from b100tui.scoring import memory

TWO_K = 2816 * 1504
LEARNED = ("topiq_nr", "musiq", "cnniqa", "niqe", "tres")


def test_everything_is_one_group_where_memory_is_plenty() -> None:
    assert memory.groups(LEARNED, TWO_K, 200 * 10**9) == [LEARNED]


def test_groups_fit_and_keep_every_metric_once() -> None:
    free = 5 * 10**9
    made = memory.groups(LEARNED, TWO_K, free)
    assert [name for group in made for name in group] == list(LEARNED)
    assert len(made) > 1
    assert all(len(g) == 1 or memory.of_process(g, TWO_K) <= free for g in made)


def test_a_metric_that_fits_nowhere_is_still_tried_alone() -> None:
    assert memory.groups(("qalign",), TWO_K, 10**9) == [("qalign",)]


def test_attention_grows_with_the_square_of_the_pixels() -> None:
    small, large = memory.activations("musiq", TWO_K), memory.activations("musiq", 4 * TWO_K)
    assert large > 8 * small


def test_processes_are_as_many_as_wanted_or_fit_and_at_least_one() -> None:
    assert memory.processes(("niqe",), TWO_K, 4, 100 * 10**9) == 4
    assert memory.processes(("niqe",), TWO_K, 4, 7 * 10**9) == 2
    assert memory.processes(("niqe",), TWO_K, 4, 0) == 1


def test_there_is_free_memory_here() -> None:
    assert memory.free_memory() > 0


@pytest.mark.parametrize(
    ("wanted", "devices"),
    [("cpu", ["cpu"]), ("cuda:1", ["cuda:1"]), ("cuda:0, cuda:2", ["cuda:0", "cuda:2"])],
)
def test_devices_given_by_name_are_those(wanted: str, devices: list[str]) -> None:
    assert memory.devices(wanted) == devices


def test_auto_is_one_worker_a_visible_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,3")
    assert memory.devices("auto") == ["cuda:0", "cuda:1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert memory.devices("auto") == ["auto"]


def test_resident_memory_of_this_process_is_seen_and_of_a_gone_one_is_none() -> None:
    import os

    if Path("/proc/self/statm").exists():
        assert memory.resident([os.getpid()]) > 10**6
    assert memory.resident([2**30]) == 0
