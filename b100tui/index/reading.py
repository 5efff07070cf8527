"""Reads steps (sidecars, headers) in batches, several at a time, in order."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from b100tui.model.records import Run, Step
from b100tui.model.scan import SourceStep

BATCH = 1000
THREADS = 4
Wanted = tuple[Run, SourceStep]


def read_steps(
    root: Path, wanted: Sequence[Wanted], cancelled: Callable[[], bool] | None
) -> Iterator[list[Step]]:
    """Yield the steps in the order wanted, a batch at a time; stops early once cancelled."""
    from b100tui.sources import read_step

    rest = iter(wanted)
    with ThreadPoolExecutor(THREADS, "b100-read") as pool:
        while batch := list(islice(rest, BATCH)):
            if cancelled is not None and cancelled():
                return
            yield list(pool.map(lambda pair: read_step(root, *pair), batch))
