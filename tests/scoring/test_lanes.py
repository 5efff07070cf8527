"""Batches, buckets and clocks, with stand-in backends."""

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from b100tui.metrics.protocol import Failure, Outcome, Pixels
from b100tui.scoring.lanes import BatchLane, Clock, DirectLane, Piece


class Means:
    """Measures the mean; holds its first batch until told, so that the next ones fill."""

    def __init__(self, hold: bool = False) -> None:
        self.batches: list[tuple[str, int, tuple[int, ...]]] = []
        self.go = threading.Event()
        self.busy = threading.Event()
        if not hold:
            self.go.set()

    def measure_batch(
        self, metric: str, pictures: Sequence[Pixels], references: Sequence[Pixels | None]
    ) -> Sequence[Outcome]:
        self.busy.set()
        self.go.wait(240)
        self.batches.append((metric, len(pictures), pictures[0].shape))
        return [float(picture.mean()) for picture in pictures]


class Gathered:
    """Collects answers and says when all have come."""

    def __init__(self, count: int) -> None:
        self.answers: dict[tuple[int, str], object] = {}
        self._count = count
        self._all = threading.Event()

    def piece(self, job: int, size: tuple[int, int], *metrics: str, alone: bool = False) -> Piece:
        def answer(metric: str, outcome: object, seconds: float) -> None:
            self.answers[job, metric] = outcome
            if len(self.answers) == self._count:
                self._all.set()

        pixels = np.full((*size, 3), job, np.uint8)
        return Piece(job, metrics, pixels, None, alone, answer)

    def wait(self) -> None:
        assert self._all.wait(240)


def silent(job: int, metric: str) -> None:
    return None


def test_pictures_of_one_size_go_in_batches_and_each_gets_its_own_value() -> None:
    backend = Means(hold=True)
    lane = BatchLane(backend, Clock(silent), 4)
    gathered = Gathered(11)
    lane.put(gathered.piece(0, (8, 8), "m"))
    backend.busy.wait(240)
    for job in range(1, 11):
        lane.put(gathered.piece(job, (8, 8) if job % 5 else (4, 6), "m"))
    backend.go.set()
    gathered.wait()
    assert gathered.answers == {(job, "m"): float(job) for job in range(11)}
    assert all(size <= 4 for _, size, _ in backend.batches)
    assert ("m", 4, (8, 8, 3)) in backend.batches
    assert ("m", 2, (4, 6, 3)) in backend.batches


class Short:
    def measure_batch(
        self, metric: str, pictures: Sequence[Pixels], references: Sequence[Pixels | None]
    ) -> Sequence[Outcome]:
        if metric == "raises":
            raise RuntimeError("odd shape")
        return [1.0] * (len(pictures) + 1)


@pytest.mark.parametrize(("metric", "error"), [("count", "wrong_answer"), ("raises", "error")])
def test_a_wrong_count_and_a_fault_are_named_for_each_picture(metric: str, error: str) -> None:
    lane = BatchLane(Short(), Clock(silent), 4)
    gathered = Gathered(2)
    lane.put(gathered.piece(0, (8, 8), metric))
    lane.put(gathered.piece(1, (8, 8), metric))
    gathered.wait()
    for outcome in gathered.answers.values():
        assert isinstance(outcome, Failure)
        assert outcome.error == error


class Sum:
    def version_parts(self, metric: str) -> dict[str, str]:
        return {}

    def measure(
        self, metrics: Sequence[str], pixels: Pixels, reference: Pixels | None
    ) -> dict[str, Outcome]:
        return {name: float(len(metrics)) for name in metrics}


def test_a_lone_picture_is_measured_one_announced_metric_at_a_time() -> None:
    announced: list[tuple[int, str]] = []
    lane = DirectLane(Sum(), Clock(lambda job, metric: announced.append((job, metric))))
    gathered = Gathered(4)
    lane.put(gathered.piece(3, (2, 2), "a", "b", alone=True))
    lane.put(gathered.piece(4, (2, 2), "a", "b"))
    assert announced == [(3, "a"), (3, "b")]
    assert gathered.answers == {(3, "a"): 1.0, (3, "b"): 1.0, (4, "a"): 2.0, (4, "b"): 2.0}


def test_the_clock_names_what_overran_its_time() -> None:
    clock = Clock(silent)
    token = clock.begin("slow", [4, 5], False)
    assert clock.overdue(60.0) is None
    late = clock.overdue(0.0)
    assert late is not None
    assert late[:2] == ("slow", (4, 5))
    clock.end(token)
    assert clock.overdue(0.0) is None
