"""Judges a storm's samples of memory: what comes to rest is no leak, what goes on growing is.

Picture caches are small in a storm (explore_small.py) and every screen has been shown before
its clock starts, so that all that has a bound has come to it by 40 % of the time.
"""

import statistics
from collections.abc import Sequence

from tests.e2e.pty_terminal import Memory

MOST_GROWTH = 1.10
SHORTEST = 230.0  # seconds: shorter storms are not judged
WARM = (0.4, 0.6)
LATE = (0.8, 1.01)
Samples = Sequence[tuple[float, Memory]]  # seconds, kB


def growth(samples: Samples) -> float | None:
    """Return late over warm anonymous memory, a ratio of medians; None for short storms.

    Anonymous memory, as pages of files (programs, the index) come and go with the machine's
    other work. In ten minutes 10 % of 110 MB is a leak of 3 MB a minute, in an hour of 0.5 MB.
    """
    first = samples[0][0]
    span = samples[-1][0] - first
    if span < SHORTEST:
        return None
    warm, late = (
        statistics.median(
            memory.anonymous for at, memory in samples if begin * span <= at - first < end * span
        )
        for begin, end in (WARM, LATE)
    )
    return late / warm
