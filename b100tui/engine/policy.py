"""What follows a failed attempt: try again after a while, end the run, or end the whole batch."""

import random
from typing import Literal

from msgspec import Struct

from b100tui.editors.protocol import FailureClass, Outcome


class Policy(Struct, frozen=True, kw_only=True):
    """Numbers of tries and seconds of waiting; full jitter between 0 and base * 2^n, capped.

    A named wait (RetryInfo, Retry-After) is kept to the second plus up to a second of jitter.
    """

    backoff_tries: int = 8
    backoff_base: float = 2.0
    backoff_cap: float = 120.0
    no_image_tries: int = 3
    refused_tries: int = 2
    wait_tries: int = 60
    longest_wait: float = 26 * 3600.0
    jitter: float = 1.0


class Decision(Struct, frozen=True):
    """`again` after `seconds`, or stop the `run` or the `batch`; `pause` holds every run back."""

    do: Literal["again", "stop_run", "stop_batch"]
    seconds: float = 0.0
    pause: bool = False


def decide(
    policy: Policy, outcome: Outcome, tries: dict[FailureClass, int], chance: random.Random
) -> Decision:
    """Return what follows `outcome`; `tries` counts the failures of this step, it included."""
    failure = outcome.failure
    assert failure is not None
    count = tries.get(failure, 0)
    if failure in ("fatal_all", "unavailable"):
        return Decision("stop_batch")
    if failure == "wait":
        return _wait(policy, outcome, count, chance)
    if failure == "backoff" and count < policy.backoff_tries:
        named = outcome.retry_after_seconds
        seconds = named if named is not None else _jittered(policy, count, chance)
        return Decision("again", min(seconds, policy.longest_wait))
    if failure == "no_image" and count < policy.no_image_tries:
        return Decision("again")
    if failure == "refused" and count < policy.refused_tries:
        return Decision("again")
    return Decision("stop_run")


def _wait(policy: Policy, outcome: Outcome, count: int, chance: random.Random) -> Decision:
    named = outcome.retry_after_seconds
    if named is not None and named > policy.longest_wait:
        return Decision("stop_batch")
    if count >= policy.wait_tries:
        return Decision("stop_run")
    if named is None:
        return Decision("again", _jittered(policy, count, chance), pause=False)
    return Decision("again", named + chance.random() * policy.jitter, pause=True)


def _jittered(policy: Policy, count: int, chance: random.Random) -> float:
    return chance.random() * min(policy.backoff_cap, policy.backoff_base * 2.0**count)
