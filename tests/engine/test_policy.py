"""What follows a failure, by its class alone."""

import random

import pytest

from b100tui.editors.protocol import FailureClass, Outcome
from b100tui.engine.policy import Decision, Policy, decide


def after(failure: FailureClass, count: int, **outcome: float) -> Decision:
    told = Outcome(failure=failure, **outcome)  # type: ignore[arg-type]
    return decide(Policy(), told, {failure: count}, random.Random(3))


@pytest.mark.parametrize(
    ("failure", "last_try"), [("backoff", 7), ("no_image", 2), ("refused", 1), ("wait", 59)]
)
def test_each_class_has_its_number_of_tries(failure: FailureClass, last_try: int) -> None:
    assert after(failure, last_try).do == "again"
    assert after(failure, last_try + 1).do == "stop_run"


@pytest.mark.parametrize("failure", ["fatal_all", "unavailable"])
def test_a_fault_of_the_account_stops_the_batch(failure: FailureClass) -> None:
    assert after(failure, 1).do == "stop_batch"


def test_a_request_that_can_never_work_stops_its_run() -> None:
    assert after("fatal_run", 1).do == "stop_run"


def test_pauses_have_full_jitter_under_a_doubling_cap() -> None:
    for count in range(1, 8):
        waits = [
            decide(Policy(), Outcome(failure="backoff"), {"backoff": count}, random.Random(n))
            for n in range(200)
        ]
        cap = min(120.0, 2.0 * 2**count)
        assert all(0 <= one.seconds <= cap for one in waits)
        assert max(one.seconds for one in waits) > 0.9 * cap
        assert min(one.seconds for one in waits) < 0.1 * cap


def test_a_named_wait_is_never_shortened_and_holds_every_run() -> None:
    decision = after("wait", 1, retry_after_seconds=37.0)
    assert decision.pause and 37.0 <= decision.seconds <= 38.0
