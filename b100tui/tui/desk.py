"""The desk: what the explorer has done by jobs that outlive it. Called from worker threads."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from b100tui.jobs.records import Job
    from b100tui.jobs.tail import Place, Tail

Verb = Literal["pause", "resume", "retry", "cancel"]


class Desk(Protocol):
    """Jobs of one ROOT: listed, followed and steered."""

    def jobs(self) -> "Sequence[Job]":
        """Return all jobs, the newest first."""
        ...

    def tail(self, id: str, place: "Place | None") -> "Tail":
        """Return a job and what it has said since `place`. Raises B100Error."""
        ...

    def steer(self, verb: Verb, id: str) -> None:
        """Pause, resume, retry or cancel a job. Raises B100Error."""
        ...


class JobDesk:
    """The jobs on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def jobs(self) -> "Sequence[Job]":
        """Return all jobs, the newest first."""
        from b100tui.jobs import list_jobs

        return list_jobs(self.root)

    def tail(self, id: str, place: "Place | None") -> "Tail":
        """Return a job and what it has said since `place`. Raises B100Error."""
        from b100tui.jobs import tail

        return tail(self.root, id, place)

    def steer(self, verb: Verb, id: str) -> None:
        """Pause, resume, retry or cancel a job. Raises B100Error."""
        from b100tui import jobs

        verbs = {"pause": jobs.pause, "resume": jobs.resume, "retry": jobs.retry}
        (verbs.get(verb) or jobs.cancel)(self.root, id)
