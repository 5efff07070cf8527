"""What is known of a job: on disk (`job.json`, a line of `events.jsonl`) and as it is shown."""

from typing import Literal

from msgspec import Struct, field

State = Literal["queued", "running", "paused", "done", "partial", "failed", "lost"]
Want = Literal["run", "pause", "cancel"]


class MetricProgress(Struct, frozen=True, kw_only=True):
    """How far one metric (or one run, for other kinds of job) is; seconds are means a value."""

    done: int = 0
    total: int = 0
    failed: int = 0
    mean_seconds: float | None = None
    eta_seconds: float | None = None


class Gpu(Struct, frozen=True, kw_only=True):
    """Load of one GPU in percent and its memory in bytes."""

    name: str
    load: int
    used: int
    total: int


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `events.jsonl`; `what` says which of the other fields are set."""

    time: float  # seconds since 1970, by the clock of the host that wrote it
    what: Literal["started", "progress", "gpu", "asked", "ended", "note"]
    done: int = 0
    total: int = 0
    failed: int = 0
    eta_seconds: float | None = None
    by: dict[str, MetricProgress] = field(default_factory=dict)
    failures: dict[str, dict[str, int]] = field(default_factory=dict)
    gpus: tuple[Gpu, ...] = ()
    text: str = ""
    state: str = ""


class Process(Struct, frozen=True, kw_only=True):
    """Which process keeps the job: `born` and `boot` tell a reused pid from the same one."""

    host: str
    pid: int
    born: str = ""
    boot: str = ""


class Stored(Struct, frozen=True, kw_only=True):
    """`job.json`: the plan, frozen, and what became of it.

    `argv` makes the work; `resume_argv` goes on with it and `retry_argv` tries failures again.
    """

    schema: int = 1
    id: str
    kind: str
    title: str
    argv: tuple[str, ...]
    resume_argv: tuple[str, ...]
    retry_argv: tuple[str, ...]
    cwd: str
    grace_seconds: float
    created: str
    total: int = 0
    state: State = "queued"
    started: str | None = None
    ended: str | None = None
    reason: str = ""
    process: Process | None = None


class Job(Struct, frozen=True, kw_only=True):
    """A job as the command line and the explorer show it; the first ten keys are the contract."""

    id: str
    kind: str
    state: State
    done: int
    total: int
    failed: int
    eta_seconds: float | None
    started: str | None
    host: str
    pid: int | None
    title: str = ""
    reason: str = ""
    ended: str | None = None
    by: dict[str, MetricProgress] = field(default_factory=dict)
    failures: dict[str, dict[str, int]] = field(default_factory=dict)
    gpus: tuple[Gpu, ...] = ()
    argv: tuple[str, ...] = ()
