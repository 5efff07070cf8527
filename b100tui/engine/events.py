"""What the engine tells while it works; the command line and the explorer show it."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

Kind = Literal["run_started", "asking", "committed", "waiting", "failed", "run_ended"]


class Progress(Struct, frozen=True, kw_only=True):
    """One event of a run. `seconds` is a countdown for `waiting`, the edit's time for others."""

    kind: Kind
    run: str
    step: int = 0
    message: str = ""
    seconds: float | None = None
    usd: float = 0.0
    done: int = 0
    total: int = 0


Tell = Callable[[Progress], None]


class RunReport(Struct, frozen=True, kw_only=True):
    """What became of one run; `usd` is this call's, `total_usd` the run's since its start."""

    run: str
    steps_done: int
    status: Literal["done", "stopped", "failed"]
    reason: str = ""
    usd: float = 0.0
    total_usd: float = 0.0
    possibly_billed_usd: float = 0.0


class EditReport(Struct, frozen=True, kw_only=True):
    """What became of a call of the engine; dollars of this call."""

    runs: tuple[RunReport, ...]
    usd: float = 0.0
    possibly_billed_usd: float = 0.0
    interrupted: bool = False
