"""Deadlines over a whole call, by a clock that goes on while the machine sleeps."""

import asyncio
import threading

import pytest

from b100tui.editors.loop import CallLoop, CutError, DeadlineError


class Clock:
    """Jumps by an hour at its second look, as after a suspend."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return 0.0 if self.looks < 3 else 3600.0


async def _never() -> None:
    await asyncio.Event().wait()


def test_a_call_that_never_ends_is_cut_at_its_deadline() -> None:
    with pytest.raises(DeadlineError):
        CallLoop().call(_never, deadline=0.2)


def test_a_deadline_that_passed_during_a_suspend_cuts_the_call() -> None:
    with pytest.raises(DeadlineError):
        CallLoop(Clock()).call(_never, deadline=600.0)


def test_an_abort_cuts_the_call() -> None:
    abort = threading.Event()
    abort.set()
    with pytest.raises(CutError):
        CallLoop().call(_never, cancelled=abort.is_set)


def test_the_loop_stays_usable_after_a_cut_and_from_many_threads() -> None:
    loop = CallLoop()
    with pytest.raises(DeadlineError):
        loop.call(_never, deadline=0.1)
    got: list[int] = []

    async def number() -> int:
        return 7

    threads = [threading.Thread(target=lambda: got.append(loop.call(number))) for _ in range(16)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert got == [7] * 16


def test_what_the_call_raises_comes_through() -> None:
    async def broken() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        CallLoop().call(broken)
