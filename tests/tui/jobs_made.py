"""Jobs in memory for the explorer's tests."""

from typing import Any

from msgspec.structs import replace

from b100tui.jobs.records import Gpu, Job, MetricProgress
from b100tui.jobs.tail import Place, Tail
from b100tui.model.errors import UsageError


def make_job(id: str = "score-1", **more: Any) -> Job:
    fields: dict[str, Any] = {
        "id": id,
        "kind": "score",
        "state": "running",
        "done": 309,
        "total": 2400,
        "failed": 3,
        "eta_seconds": 240.0,
        "started": "2026-12-01T00:00:00.000+00:00",
        "host": "gpu-7",
        "pid": 4711,
        "title": "paper of dongpo",
        "by": {"brisque": MetricProgress(done=309, total=2400, failed=3, mean_seconds=0.25,
                                         eta_seconds=200.0)},
        "failures": {"brisque": {"too small: 8x8": 2, "unreadable": 1}},
        "gpus": (Gpu(name="H200", load=93, used=41_200_000_000, total=139_000_000_000),),
    }  # fmt: skip
    return Job(**(fields | more))


class FakeDesk:
    """Jobs that obey at once."""

    def __init__(self, *jobs: Job) -> None:
        self.listed = list(jobs)
        self.asked: list[tuple[str, str]] = []
        self.log = "loading weights\n[red]not markup[/red] \x1b[31m\n"

    def jobs(self) -> list[Job]:
        return list(self.listed)

    def tail(self, id: str, place: Place | None) -> Tail:
        job = next(job for job in self.listed if job.id == id)
        log = self.log if place is None else ""
        return Tail(job=job, events=(), log=log, place=Place(0, len(self.log)))

    def steer(self, verb: str, id: str) -> None:
        self.asked.append((verb, id))
        states = {"pause": "paused", "resume": "running", "retry": "running", "cancel": "failed"}
        at = next(at for at, job in enumerate(self.listed) if job.id == id)
        if verb == "pause" and self.listed[at].state != "running":
            raise UsageError(f"job {id} is {self.listed[at].state}, not running", "b100 jobs")
        self.listed[at] = replace(self.listed[at], state=states[verb])  # type: ignore[arg-type]
