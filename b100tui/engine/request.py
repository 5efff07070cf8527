"""What a person can ask of the engine; the command line and the explorer fill the same structs."""

from pathlib import Path
from typing import Literal

from msgspec import Struct


class Ask(Struct, frozen=True, kw_only=True):
    """How to edit. None means: the editor's own default, or (continuing) what the run has.

    `prompt` replaces the recipe. `seed` is none, fixed:S or per-step:S. `resolution` is 1K, 2K,
    4K, 512 or interleaved. `extra` holds the adapter's own settings.
    """

    editor: str = "nano-banana-pro"
    recipe: str = "replicate"
    prompt: str | None = None
    steps: int = 100
    repeats: int = 1
    seed: str | None = None
    temperature: float | None = None
    resolution: str | None = None
    aspect_ratio: str | None = None
    thinking: str | None = None
    session: Literal["multi", "single"] = "multi"
    extra: dict[str, str | float | int] = {}


class New(Struct, frozen=True, kw_only=True):
    """New runs: `ask.repeats` from each image."""

    images: tuple[Path, ...]
    ask: Ask


class Continue(Struct, frozen=True, kw_only=True):
    """`steps` more for a run that b100 made, with its own frozen plan."""

    run: str
    steps: int


class Fork(Struct, frozen=True, kw_only=True):
    """A new run that starts from a step of any run; the parent is named, never written into."""

    parent: str
    step: int
    image: str
    picture: Path | bytes
    ask: Ask


class Resume(Struct, frozen=True, kw_only=True):
    """Go on with unfinished runs (all without any named); failed ones only when asked."""

    runs: tuple[str, ...] = ()
    retry_failed: bool = False


class FromPlan(Struct, frozen=True, kw_only=True):
    """All runs of a plan file, or of a shipped plan; `images` is a folder of initial images."""

    plan: str
    images: Path | None = None


Request = New | Continue | Fork | Resume | FromPlan


class Limits(Struct, frozen=True, kw_only=True):
    """Caps in dollars for this call, each run, a UTC day and a month; runs at once.

    Calls of one `batch` id share the budget: a job that is paused and resumed has it once.
    """

    budget: float | None = None
    run_budget: float | None = None
    day: float | None = None
    month: float | None = None
    jobs: int = 8
    batch: str = ""
