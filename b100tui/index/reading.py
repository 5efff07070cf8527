"""Reads steps (sidecars, headers) in batches, several at a time, in order."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from b100tui.model.records import Run, Step
from b100tui.model.scan import SourceStep

BATCH = 1000
CHUNK = 50  # steps a thread takes at once: handing over each one costs as much as reading it
THREADS = 4
Wanted = tuple[Run, SourceStep]


def read_steps(
    root: Path, wanted: Sequence[Wanted], cancelled: Callable[[], bool] | None
) -> Iterator[list[Step]]:
    """Yield the steps in the order wanted, a batch at a time; stops early once cancelled."""
    from b100tui.sources import read_step

    def read(some: Sequence[Wanted]) -> list[Step]:
        return [read_step(root, run, step) for run, step in some]

    rest = iter(wanted)
    with ThreadPoolExecutor(THREADS, "b100-read") as pool:
        while batch := list(islice(rest, BATCH)):
            if cancelled is not None and cancelled():
                return
            chunks = [batch[start : start + CHUNK] for start in range(0, len(batch), CHUNK)]
            yield [step for steps in pool.map(read, chunks) for step in steps]
