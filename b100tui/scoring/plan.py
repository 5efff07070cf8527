"""Which scores are wanted: pure rules from steps, metrics and what is done already."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from b100tui.metrics import registry
from b100tui.metrics.preflight import check
from b100tui.model.errors import MetricError
from b100tui.model.metric import Metric
from b100tui.model.records import Step

REFERENCE_STEP = 1
# Pixel fidelity means something on aligned pictures only: asked for by name, never by group.
_BY_NAME_ONLY = frozenset({"psnr", "ssim"})
Select = Callable[[Iterable[int]], list[int]]


class Task(Struct, frozen=True):
    """One picture to score: the wanted metrics, and the step the comparing ones refer to."""

    step: Step
    metrics: tuple[str, ...]
    reference: Step | None = None


def choose_metrics(text: str, python: str = "") -> tuple[tuple[Metric, ...], dict[str, str]]:
    """Return the metrics meant by `all`, `probes`, `paper` or NAME,..., and those not ready.

    `python` is the interpreter that will score (empty: this one). The second part maps id to the
    reason. Groups leave out, without a word, probes that are not ready. Raises MetricError for an
    unknown name.
    """
    chosen: dict[str, Metric] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        if word in {"all", "probes", "paper"}:
            chosen |= {metric.id: metric for metric in _group(word)}
        else:
            metric = registry.metric(word)
            chosen[metric.id] = metric
    if not chosen:
        raise MetricError(f"no metric named in {text!r}", "e.g. --metrics probes")
    states = check(list(chosen), python)
    ready = tuple(metric for name, metric in chosen.items() if states[name].ready)
    return ready, {name: state.reason for name, state in states.items() if not state.ready}


def plan_scores(
    steps: Iterable[Step], metrics: Sequence[Metric], select: Select | None = None
) -> list[Task]:
    """Return the wanted scores, one task a picture, in the order of `steps`.

    Steps without a picture are not wanted. Metrics that compare refer to step 1 of the run, or
    to its first step where there is no step 1, chosen from all its steps before `select`.
    """
    runs: dict[str, list[Step]] = {}
    for step in steps:
        if step.picture is not None and step.status != "missing":
            runs.setdefault(step.run, []).append(step)
    alone = tuple(metric.id for metric in metrics if not metric.needs_reference)
    against = tuple(metric.id for metric in metrics if metric.needs_reference)
    tasks = []
    for members in runs.values():
        reference = _reference(members) if against else None
        wanted = set(select(step.step for step in members)) if select else None
        for step in members:
            if wanted is None or step.step in wanted:
                tasks.append(Task(step, (*alone, *against), reference))
    return tasks


def _group(word: str) -> list[Metric]:
    found = []
    for metric in registry.metrics():
        if metric.backend == "probes":
            ready = registry.availability(metric).ready
            if word in {"all", "probes"} and ready and metric.id not in _BY_NAME_ONLY:
                found.append(metric)
        elif word == "all" or (word == "paper" and metric.paper):
            found.append(metric)
    return found


def _reference(steps: Sequence[Step]) -> Step:
    for step in steps:
        if step.step == REFERENCE_STEP:
            return step
    return min(steps, key=lambda step: step.step)
