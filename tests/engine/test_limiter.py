"""The limiter: how many calls at once, quota windows, up by one and down by half."""

import threading

import pytest

from b100tui.engine.limiter import Limiter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_no_more_calls_run_at_once_than_allowed() -> None:
    limiter = Limiter(2)
    running, most, mutex = [0], [0], threading.Lock()

    def work() -> None:
        with limiter.slot():
            with mutex:
                running[0] += 1
                most[0] = max(most[0], running[0])
            with mutex:
                running[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert most[0] <= 2
    assert limiter.running == 0


def test_overload_halves_and_success_adds_one_a_round() -> None:
    limiter = Limiter(8)
    limiter.overloaded()
    assert limiter.allowed == 4
    for _ in range(4):
        limiter.succeeded()
    assert 4.8 < limiter.allowed <= 5
    for _ in range(10):
        limiter.overloaded()
    assert limiter.allowed == 1
    for _ in range(100):
        limiter.succeeded()
    assert limiter.allowed == 8


def test_calls_a_minute_are_counted_in_a_sliding_window() -> None:
    clock = Clock()
    limiter = Limiter(8, per_minute=2, clock=clock)
    for _ in range(2):
        with limiter.slot() as got:
            assert got
    assert limiter.missing() == pytest.approx(60.0)
    clock.now += 59.0
    assert limiter.missing() == pytest.approx(1.0)
    clock.now += 1.0
    assert limiter.missing() == 0.0


def test_dollars_in_ten_minutes_hold_the_next_call_back() -> None:
    clock = Clock()
    limiter = Limiter(8, usd_per_ten_minutes=1.0, clock=clock)
    with limiter.slot(0.8):
        pass
    assert limiter.missing(0.1) == 0.0
    assert limiter.missing(0.3) == pytest.approx(600.0)


def test_a_pause_holds_every_call_back() -> None:
    clock = Clock()
    limiter = Limiter(8, clock=clock)
    limiter.pause(30.0)
    assert limiter.missing() == pytest.approx(30.0)


def test_a_slot_is_given_up_when_asked() -> None:
    limiter = Limiter(1)
    with limiter.slot(), limiter.slot(given_up=lambda: True) as got:
        assert got is False
