"""When did change begin: the first step that carries a change, or an honest "none"."""

from collections.abc import Iterable

import numpy as np

from b100tui.analysis import ramp

SHORTEST = 6  # fewer finite values than this can show nothing
QUICK_THRESHOLD = 30.0


def quick_onset(steps: Iterable[int], values: Iterable[float | None]) -> int | None:
    """Return the first step that carries a change of one signal, or None.

    A point estimate with a high threshold, for run lists. Steps are taken as equally spaced,
    None and non-finite values are left out; fewer than 6 values answer None.
    """
    at, series, _, size = ramp.prepared(list(steps), list(values))
    if len(at) < SHORTEST or size == 0.0:
        return None
    family = ramp.curves(tuple(range(len(at))))
    found = ramp.fit(family, series[np.newaxis, :])
    if float(found.statistic[0]) < QUICK_THRESHOLD:
        return None
    return at[int(family[int(found.phi[0])].start[int(found.curve[0])]) + 1]
