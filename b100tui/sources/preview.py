"""What `scan` shows: each run with its sizes and changes of aspect, read from the headers."""

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from msgspec import Struct

from b100tui.model.records import Step
from b100tui.model.scan import Duplicate, LeftOut, Reading, Scan, SourceRun, SourceStep
from b100tui.sources.difference import Difference
from b100tui.sources.paths import natural
from b100tui.sources.reading import read_step

_AHEAD = 8  # runs read before they are summed up
READ_LIMIT = 1024 * 1024 * 1024  # bytes of Parquet files that a scan reads for their headers
ASPECT = 0.02  # a change of width / height by more than this share is told


class AspectChange(Struct, frozen=True):
    """From `step` on the picture has another aspect ratio: sizes before and after."""

    step: int
    before: tuple[int, int]
    after: tuple[int, int]


class RunPreview(Struct, frozen=True, kw_only=True):
    """One run as `scan` prints it; the fields are the keys of its JSON."""

    run: str
    image: str
    recipe: str
    setting: str
    editor: str
    repeat: int
    labels: dict[str, str]
    steps: int
    first_step: int | None
    last_step: int | None
    missing: list[int]
    duplicates: list[Duplicate]
    sizes: list[tuple[int, int, int]]
    aspect_changes: list[AspectChange]
    prompts: int
    reasoning: int
    scores: int
    metrics: list[str]
    stopped: str | None


class Preview(Struct, frozen=True, kw_only=True):
    """The whole answer of `scan`."""

    layout: str
    readings: list[Reading]
    runs: list[RunPreview]
    unused: list[LeftOut]
    unreadable: list[LeftOut]
    headers_unread: int = 0  # pictures in large Parquet files, whose sizes the index reads
    difference: Difference | None = None  # what a given mapping changes


def preview(
    root: Path, scan: Scan, *, progress: Callable[[int, int], None] | None = None
) -> Preview:
    """Read the header of every step and sum up each run; no picture is decoded.

    `progress` gets steps done and steps in all. Sizes are [width, height, count] in order of
    appearance; steps that cannot be read are listed as unreadable with their reason.
    """
    large = _large(scan)
    total = sum(len(source.steps) for source in scan.runs)
    done = 0
    runs: list[RunPreview] = []
    unreadable = list(scan.unreadable)
    pool = ThreadPoolExecutor(min(4, (os.cpu_count() or 1) + 1))
    try:
        for source, steps in _in_order(pool, root, scan.runs, large):
            runs.append(_summary(source, steps))
            unreadable += [
                LeftOut(_shown(step), step.reason or step.status)
                for step in steps
                if step.status in ("unreadable", "missing", "refused")
            ]
            done += len(steps)
            if progress is not None:
                progress(done, total)
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupted scan leaves at once
    return Preview(
        layout=scan.layout,
        readings=list(scan.readings),
        headers_unread=sum(
            step.picture.path in large for source in scan.runs for step in source.steps
        ),
        runs=runs,
        unused=list(scan.unused),
        unreadable=sorted(unreadable, key=lambda left: natural(left.path)),
    )


def _in_order(
    pool: ThreadPoolExecutor, root: Path, runs: Iterable[SourceRun], large: frozenset[str]
) -> Iterator[tuple[SourceRun, list[Step]]]:
    """Yield each run with its read steps, in the order of `runs`."""
    rest = iter(runs)
    waiting: deque[tuple[SourceRun, Future[list[Step]]]] = deque()
    while True:
        for source in islice(rest, _AHEAD - len(waiting)):
            waiting.append((source, pool.submit(_read, root, source, large)))
        if not waiting:
            return
        source, future = waiting.popleft()
        yield source, future.result()


def _large(scan: Scan) -> frozenset[str]:
    """Return the Parquet files of a scan when they are so large that it would read for minutes.

    The pictures lie between the cells: to see their headers, all their bytes pass by.
    """
    paths = {step.picture.path for source in scan.runs for step in source.steps}
    shards = frozenset(path for path in paths if path.lower().endswith(".parquet"))
    size = sum(scan.stamps.get(path, (0, 0))[0] for path in shards)
    return shards if size > READ_LIMIT else frozenset()


def _read(root: Path, source: SourceRun, large: frozenset[str]) -> list[Step]:
    return [
        _unopened(source, step) if step.picture.path in large else read_step(root, source.run, step)
        for step in source.steps
    ]


def _unopened(source: SourceRun, step: SourceStep) -> Step:
    """Return what the tables say of a step whose picture is not looked at."""
    return Step(
        run=source.run.run,
        step=step.step,
        picture=step.picture,
        width=step.width,
        height=step.height,
        prompt=step.prompt,
        sections=step.sections,
    )


def _summary(source: SourceRun, steps: list[Step]) -> RunPreview:
    run = source.run
    numbers = [step.step for step in steps]
    sized = [
        (step.step, (step.width, step.height))
        for step in steps
        if step.status == "ok" and step.width and step.height
    ]
    sizes = Counter(size for _, size in sized)
    return RunPreview(
        run=run.run,
        image=run.image,
        recipe=run.recipe,
        setting=run.setting,
        editor=run.editor,
        repeat=run.repeat,
        labels=run.labels,
        steps=len(numbers),
        first_step=min(numbers, default=None),
        last_step=max(numbers, default=None),
        missing=list(source.missing),
        duplicates=list(source.duplicates),
        sizes=[(width, height, count) for (width, height), count in sizes.items()],
        aspect_changes=_changes(sized),
        prompts=sum(step.prompt is not None for step in steps),
        reasoning=sum(bool(step.sections) for step in steps),
        scores=sum(len(step.scores) for step in source.steps),
        metrics=sorted({name for step in source.steps for name in step.scores}),
        stopped=run.stopped,
    )


def _changes(sized: list[tuple[int, tuple[int, int]]]) -> list[AspectChange]:
    changes: list[AspectChange] = []
    for (_, before), (step, after) in zip(sized, sized[1:], strict=False):  # noqa: RUF007
        ratio = (after[0] * before[1]) / (after[1] * before[0])
        if abs(ratio - 1) > ASPECT:
            changes.append(AspectChange(step, before, after))
    return changes


def _shown(step: Step) -> str:
    if step.picture is None or not step.picture.path:
        return f"{step.run}@{step.step}"
    member = step.picture.member
    return step.picture.path if member is None else f"{step.picture.path}#{member}"
