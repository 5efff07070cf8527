"""What the scoring dialog asks: which metrics can run, what is scored, and to begin."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from b100tui.index.rows import RunRow
from b100tui.model.metric import Metric
from b100tui.tui.catalogue import Catalogue


class Choice(Struct, frozen=True):
    """A metric that can be ticked; without `ready` its reason and fix are shown instead."""

    metric: Metric
    ready: bool = True
    reason: str = ""
    fix: str = ""
    usual: bool = True  # ticked at first; what means something only in special cases is not


class Known(Struct, frozen=True):
    """Values there are already and the mean seconds of one, by metric id."""

    there: Mapping[str, int] = {}
    seconds: Mapping[str, float] = {}


class Wish(Struct, frozen=True):
    """What to score. `runs` empty means all; `steps` is empty for all or as --steps takes them."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    steps: str = ""


class Plan(Struct, frozen=True, kw_only=True):
    """What a wish takes: pictures, values asked for and there already, seconds, bytes of memory.

    `seconds` covers the metrics that were timed here before; `untimed` names the others.
    """

    runs: int
    images: int
    wanted: int
    there: int
    seconds: float
    untimed: tuple[str, ...]
    memory: float


class Scorer(Protocol):
    """The seam of the scoring dialog; every method may take long and is called from workers."""

    def choices(self) -> Sequence[Choice]:
        """Return every metric of the registry."""
        ...

    def known(self, runs: Sequence[RunRow], steps: Sequence[int]) -> Known:
        """Return what is there already among `runs` and `steps`. Raises B100Error."""
        ...

    def memory(self, metrics: Sequence[str], pixels: int) -> float:
        """Return the bytes that measuring `metrics` on pictures of `pixels` takes, estimated."""
        ...

    def begin(self, wish: Wish, title: str) -> str:
        """Start a job and return its id. Raises B100Error."""
        ...


class RootScorer:
    """Scores the runs of one folder by `b100 score` in a job."""

    def __init__(self, root: Path, catalogue: Catalogue, python: str, config: str | None) -> None:
        self.root = root
        self.catalogue = catalogue
        self.python = python
        self.config = config

    def choices(self) -> Sequence[Choice]:
        """Return every metric of the registry with whether it can run here."""
        from b100tui.metrics import preflight, registry
        from b100tui.scoring.plan import choose_metrics

        listed = registry.metrics()
        answers = preflight.check([metric.id for metric in listed], self.python)
        usual, _ = choose_metrics("all", self.python)
        names = {metric.id for metric in usual}
        return [
            Choice(
                metric,
                answers[metric.id].ready,
                answers[metric.id].reason,
                answers[metric.id].fix,
                metric.id in names,
            )
            for metric in listed
        ]

    def known(self, runs: Sequence[RunRow], steps: Sequence[int]) -> Known:
        """Return what is there already among `runs` and `steps`. Raises B100Error."""
        sql = files("b100tui.tui").joinpath("scored.sql").read_text(encoding="utf-8")
        rows = self.catalogue.ask(sql, [[row.run for row in runs], list(steps)])
        return Known(
            {str(metric): int(count) for metric, count, _ in rows},
            {str(metric): float(mean) for metric, _, mean in rows if mean is not None},
        )

    def memory(self, metrics: Sequence[str], pixels: int) -> float:
        """Return the bytes that measuring `metrics` on pictures of `pixels` takes, estimated."""
        from b100tui.metrics import registry
        from b100tui.scoring import memory

        learned = [name for name in metrics if registry.metric(name).backend == "pyiqa"]
        return memory.of_process(learned, pixels) if learned else 12.0 * pixels * 4

    def begin(self, wish: Wish, title: str) -> str:
        """Start a job and return its id. Raises B100Error."""
        from b100tui.jobs import b100, start

        words = ["score", *wish.runs, "--root", str(self.root)]
        words += ["--metrics", ",".join(wish.metrics)]
        words += ["--steps", wish.steps] if wish.steps else []
        words += ["--config", self.config] if self.config else []
        return start(self.root, "score", b100(*words), title=title)


def chosen_steps(row: RunRow, steps: str) -> list[int]:
    """Return the numbers of the steps of a run that `steps` means. Raises UsageError."""
    if row.first_step is None or row.last_step is None:
        return []
    missing = set(row.missing)
    have = [n for n in range(row.first_step, row.last_step + 1) if n not in missing]
    if not steps.strip():
        return have
    from b100tui.model.steps import parse_steps

    return parse_steps(steps)(have)


class Counted(Struct, frozen=True):
    """How many pictures some runs have at the chosen steps, and the numbers of these steps."""

    runs: int
    images: int
    steps: tuple[int, ...]


def count_steps(rows: Sequence[RunRow], steps: str) -> Counted:
    """Return what `steps` means on `rows`; runs of the same length are looked at once."""
    alike: dict[tuple[int | None, int | None, tuple[int, ...]], list[int]] = {}
    images = 0
    for row in rows:
        key = (row.first_step, row.last_step, tuple(row.missing))
        if key not in alike:
            alike[key] = chosen_steps(row, steps)
        images += len(alike[key])
    return Counted(len(rows), images, tuple(sorted({n for some in alike.values() for n in some})))


def make_plan(counted: Counted, wish: Wish, known: Known, memory: float, at_once: int = 1) -> Plan:
    """Return what `wish` takes on what was counted, `at_once` pictures at a time."""
    images = counted.images
    missing = {name: max(0, images - known.there.get(name, 0)) for name in wish.metrics}
    timed = [name for name in wish.metrics if name in known.seconds]
    return Plan(
        runs=counted.runs,
        images=images,
        wanted=images * len(wish.metrics),
        there=images * len(wish.metrics) - sum(missing.values()),
        seconds=sum(missing[name] * known.seconds[name] for name in timed) / max(1, at_once),
        untimed=tuple(name for name in wish.metrics if name not in timed and missing[name]),
        memory=memory,
    )
