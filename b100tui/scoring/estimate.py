"""What scoring would take: pictures, time from what was measured here before, memory."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from b100tui.metrics import registry
from b100tui.model.records import Step
from b100tui.scoring import memory
from b100tui.scoring.done import read_records
from b100tui.scoring.plan import Select, Task, plan_scores
from b100tui.scoring.run import largest
from b100tui.scoring.session import default_threads


class Estimate(Struct, frozen=True, kw_only=True):
    """`seconds` is None when no wanted metric was measured before; `unmeasured` names those that
    were not, which `seconds` leaves out. `there` counts scores on disk for these files, of any
    metric version. `memory` is in bytes, at most at a time.
    """

    pictures: int
    scores: int
    there: int
    seconds: float | None
    memory: int
    groups: int
    unmeasured: tuple[str, ...]
    unavailable: dict[str, str]


def estimate(
    root: Path,
    steps: Iterable[Step],
    metrics: Sequence[str],
    unavailable: dict[str, str],
    select: Select | None = None,
) -> Estimate:
    """Return what scoring `metrics` of `steps` would take on this machine.

    Times are means of earlier scores by metric and picture size, any size where that one is new.
    Raises StoreError when the score parts cannot be read.
    """
    tasks = plan_scores(steps, [registry.metric(name) for name in metrics], select)
    wanted = set(metrics)
    there: set[tuple[str, str, str]] = set()
    times: dict[tuple[str, int], list[float]] = {}
    for record in read_records(root):
        if record.metric not in wanted:
            continue
        if record.value is not None and record.path is not None:
            there.add((record.path, record.member or "", record.metric))
        if record.seconds is not None and record.pixels is not None:
            size = record.pixels[0] * record.pixels[1]
            times.setdefault((record.metric, size), []).append(record.seconds)
            times.setdefault((record.metric, 0), []).append(record.seconds)
    missing = [
        (task, name) for task in tasks for name in task.metrics if _key(task, name) not in there
    ]
    timed = [_mean(times, name, task.step) for task, name in missing]
    known = [seconds for seconds in timed if seconds is not None]
    pixels = largest(tasks) or memory.USUAL_PIXELS
    heavy = [name for name in metrics if registry.metric(name).backend == "pyiqa"]
    groups = memory.groups(heavy, pixels, memory.free_memory()) if heavy else []
    hands = default_threads()
    most = max(
        (memory.of_process(g, pixels) * _processes(g, pixels, hands) for g in groups), default=0.0
    )
    return Estimate(
        pictures=len(tasks),
        scores=sum(len(task.metrics) for task in tasks),
        there=sum(len(task.metrics) for task in tasks) - len(missing),
        seconds=sum(known) / hands if known or not missing else None,
        memory=int(most),
        groups=max(1, len(groups)),
        unmeasured=tuple(sorted({n for _, n in missing if (n, 0) not in times})),
        unavailable=unavailable,
    )


def _key(task: Task, name: str) -> tuple[str, str, str]:
    picture = task.step.picture
    assert picture is not None
    return picture.path, picture.member or "", name


def _mean(times: dict[tuple[str, int], list[float]], name: str, step: Step) -> float | None:
    size = (step.width or 0) * (step.height or 0)
    found = times.get((name, size)) or times.get((name, 0))
    return sum(found) / len(found) if found else None


def _processes(group: tuple[str, ...], pixels: int, hands: int) -> int:
    return memory.processes(group, pixels, hands, memory.free_memory())
