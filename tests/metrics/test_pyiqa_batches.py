"""Batches of the pyiqa backend: halving on out of memory, single retries, shapes; no torch here."""

import urllib.error
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from b100tui.metrics.protocol import Failure, Outcome, Pixels
from b100tui.metrics.pyiqa import CLASSICS, OutOfMemoryError, Pyiqa, _numbers


def pictures(count: int, size: int = 64) -> list[Pixels]:
    return [
        np.random.default_rng(n).integers(0, 255, (size, size, 3), dtype=np.uint8)
        for n in range(count)
    ]


class Small(Pyiqa):
    """A device that holds `room` pictures; scores are the pictures' means."""

    def __init__(self, room: int) -> None:
        super().__init__("cpu")
        self.room = room
        self.sizes: list[int] = []

    def _net(self, metric: str) -> Any:
        return None

    def _forward(
        self, metric: str, net: Any, batch: Sequence[Pixels], references: Sequence[Pixels | None]
    ) -> list[Outcome]:
        self.sizes.append(len(batch))
        if len(batch) > self.room:
            raise OutOfMemoryError("tried to allocate")
        if any(picture[0, 0, 0] == 255 for picture in batch):
            raise RuntimeError("this one is odd")
        return [float(picture.mean()) for picture in batch]


def test_out_of_memory_halves_and_the_size_that_fits_is_remembered() -> None:
    device = Small(3)
    batch = pictures(8)
    outcomes = device.measure_batch("cnniqa", batch, [None] * 8)
    assert outcomes == [float(picture.mean()) for picture in batch]
    assert device.sizes == [8, 4, 2, 2, 2, 2]
    device.sizes.clear()
    device.measure_batch("cnniqa", batch, [None] * 8)
    assert device.sizes == [2, 2, 2, 2]


def test_a_picture_that_never_fits_is_marked_alone() -> None:
    outcomes = Small(0).measure_batch("cnniqa", pictures(2), [None, None])
    assert [outcome.error for outcome in outcomes if isinstance(outcome, Failure)] == ["oom", "oom"]


def test_an_odd_picture_costs_itself_only() -> None:
    batch = pictures(4)
    batch[2][0, 0] = 255
    outcomes = Small(9).measure_batch("cnniqa", batch, [None] * 4)
    assert isinstance(outcomes[2], Failure)
    assert "this one is odd" in outcomes[2].message
    assert [outcomes[n] for n in (0, 1, 3)] == [float(batch[n].mean()) for n in (0, 1, 3)]


def test_metrics_for_one_picture_at_a_time_get_one() -> None:
    device = Small(9)
    device.measure_batch("qalign", pictures(3), [None] * 3)
    assert device.sizes == [1, 1, 1]


def test_flat_and_small_pictures_are_failures_before_any_net_is_asked() -> None:
    flat = np.full((96, 96, 3), 9, np.uint8)
    for metric in CLASSICS & {"brisque", "piqe"}:
        (outcome,) = Small(0).measure_batch(metric, [flat], [None])
        assert isinstance(outcome, Failure)
        assert outcome.error == "flat"
    (outcome,) = Small(0).measure_batch("liqe", pictures(1, 100), [None])
    assert isinstance(outcome, Failure)
    assert "224" in outcome.message


def test_a_reference_of_another_size_or_none_is_named() -> None:
    one, other = pictures(1)[0], pictures(1, 80)[0]
    outcomes = Small(9).measure_batch("lpips", [one, one], [other, None])
    errors = [outcome.error for outcome in outcomes if isinstance(outcome, Failure)]
    assert errors == ["size_differs", "no_reference"]


class Tensor:
    """What _numbers needs of a tensor."""

    def __init__(self, values: list[float]) -> None:
        self._values = values

    def detach(self) -> "Tensor":
        return self

    double = cpu = detach

    def reshape(self, size: int) -> "Tensor":
        return self

    def tolist(self) -> list[float]:
        return self._values


def test_a_wrong_count_of_values_is_a_failure() -> None:
    assert _numbers(Tensor([1.0, 2.0]), 2) == [1.0, 2.0]
    (outcome,) = _numbers(Tensor([1.0, 2.0]), 1)
    assert isinstance(outcome, Failure)
    with pytest.raises(ValueError, match="2 values for 3"):
        _numbers(Tensor([1.0, 2.0]), 3)


def test_bf16_and_the_device_are_other_versions_for_nets_and_not_for_classics() -> None:
    plain, half, gpu = Pyiqa(), Pyiqa("cpu", "bf16"), Pyiqa("cuda:1")
    assert half.version_parts("cnniqa") != plain.version_parts("cnniqa")
    assert gpu.version_parts("cnniqa")["device"] == "cuda"
    assert gpu.version_parts("niqe") == plain.version_parts("niqe") == half.version_parts("niqe")


class Offline(Pyiqa):
    def _net(self, metric: str) -> Any:
        raise urllib.error.URLError("Name or service not known")


def test_weights_that_cannot_be_fetched_are_named_for_every_picture() -> None:
    outcomes = Offline().measure_batch("lpips_vgg", pictures(2), pictures(2))
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert outcome.error == "unavailable"
        assert "cannot be fetched" in outcome.message
