"""What the demo consists of: runs with their settings and planted schedules, before any pixel."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from b100tui.editors.schedule import Schedule, derive_seed, draw_schedule
from b100tui.engine.recipes import recipe
from b100tui.model.errors import UsageError

_CYCLE = ("1K", "2K", "4K")


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """One setting for each of `images`; field meanings as in the sidecar."""

    images: tuple[str, ...]
    recipe: str
    profile: str = "sim-pro"
    resolution: str = "2K"
    seed_policy: str = "none"
    temperature: float | None = None
    strength: float = 1.0
    store: str = "jpeg"
    reasons: bool = True


class Scale(Struct, frozen=True, forbid_unknown_fields=True):
    """One size of demo: how many steps and repeats, how small the pictures."""

    steps: int
    repeats: int
    scale: float
    probes: bool
    groups: tuple[Group, ...]
    refused: dict[str, int] = {}


class Job(Struct, frozen=True, kw_only=True):
    """One run to make; pure data that crosses to a worker process."""

    run: str
    image: str
    setting: str
    repeat: int
    group: Group
    steps: int
    scale: float
    probes: bool
    seed: int
    schedule: Schedule

    def resolution(self, step: int) -> str:
        """Return the resolution asked at `step`; interleaved goes 1K, 2K, 4K and again."""
        if self.group.resolution == "interleaved":
            return _CYCLE[(step - 1) % len(_CYCLE)]
        return self.group.resolution

    @property
    def made(self) -> int:
        """Number of output steps that will exist: up to a planted refusal."""
        refused = self.schedule.refused
        return self.steps if refused is None else refused - 1


@cache
def scales() -> dict[str, Scale]:
    """Return the sizes of demo by name: small, paper."""
    text = files("b100tui.engine").joinpath("demo_plans.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Scale])


def demo_jobs(scale: str, seed: int) -> list[Job]:
    """Return the runs of a demo in natural order; UsageError for an unknown scale."""
    known = scales()
    if scale not in known:
        raise UsageError(f"no demo scale {scale!r}", f"there are: {', '.join(known)}")
    return sorted(_jobs(known[scale], seed), key=lambda job: job.run)


def setting_name(group: Group) -> str:
    """Return recipe + parameters + editor as one folder name."""
    words = [group.recipe, group.resolution.lower()]
    if group.seed_policy != "none":
        words.append(f"seed-{group.seed_policy}")
    if group.temperature is not None:
        words.append(f"t{group.temperature:g}".replace(".", "-"))
    return "-".join([*words, group.profile])


def _jobs(plan: Scale, seed: int) -> Iterator[Job]:
    for group in plan.groups:
        setting = setting_name(group)
        plain = recipe(group.recipe).kind == "identity"
        for image in group.images:
            for repeat in range(plan.repeats):
                run = f"{image}/{setting}/run-{repeat}"
                schedule = draw_schedule(
                    group.profile,
                    derive_seed("run", seed, run),
                    run,
                    plan.steps,
                    strength=group.strength,
                    plain_copy=plain,
                    refused=plan.refused.get(run),
                )
                yield Job(
                    run=run,
                    image=image,
                    setting=setting,
                    repeat=repeat,
                    group=group,
                    steps=plan.steps,
                    scale=plan.scale,
                    probes=plan.probes,
                    seed=seed,
                    schedule=schedule,
                )
