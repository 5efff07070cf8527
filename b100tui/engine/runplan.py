"""A run that is about to be made or gone on with: its frozen plan and where it lies."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from b100tui.editors.schedule import step_seed
from b100tui.model.records import RunPlan

_CYCLE = ("1K", "2K", "4K")


class PlannedRun(Struct, frozen=True, kw_only=True):
    """One run to work on until step `last` exists.

    `initial` is the picture of step 0 for a run that does not exist yet (a file, or bytes).
    """

    plan: RunPlan
    folder: Path
    last: int
    initial: Path | bytes | None = None
    done: int = 0

    @property
    def exists(self) -> bool:
        """Whether run.json is there already."""
        return self.initial is None


def prompt_of(plan: RunPlan, step: int) -> str:
    """Return the prompt that makes `step` (1 = first output)."""
    return plan.prompts[(step - 1) % len(plan.prompts)]


def resolution_of(plan: RunPlan, step: int) -> str | None:
    """Return the resolution asked at `step`; interleaved goes 1K, 2K, 4K and again."""
    asked = plan.parameters.get("resolution")
    if asked == "interleaved":
        return _CYCLE[(step - 1) % len(_CYCLE)]
    return asked if isinstance(asked, str) else None


def seed_of(plan: RunPlan, step: int) -> int | None:
    """Return the seed sent for `step`, a signed 32-bit number; a retry keeps it."""
    base = plan.parameters.get("seed_base", 0)
    return step_seed(plan.seed_policy, base if isinstance(base, int) else 0, plan.run, step)


def extra_of(plan: RunPlan) -> dict[str, Any]:
    """Return the adapter's own settings that the plan froze."""
    extra = plan.parameters.get("extra")
    return dict(extra) if isinstance(extra, dict) else {}
