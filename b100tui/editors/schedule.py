"""What is planted in a simulated run: decided before the first step and written down.

A schedule is pure data drawn from (base seed, run, profile); the pictures follow from it, so
onset, drift and failures of a simulated run have a known truth.
"""

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np


class Profile(Struct, frozen=True, kw_only=True):
    """How one simulated model breaks pictures; units as in profiles.toml."""

    about: str
    onset: tuple[int, ...]
    grain: float
    chroma: float
    blotch: float
    tint: tuple[float, float, float]
    texture: float
    halo: float
    saturation: float
    grid: float
    zoom: float
    zoom_every: int
    ignores: float


class Shift(Struct, frozen=True):
    """One geometric slip: enlargement about the centre, then a move right and down.

    `zoom` is a share (0.004 = 0.4 percent larger); dx and dy are pixels of that step.
    """

    step: int
    zoom: float
    dx: float = 0.0
    dy: float = 0.0


class Schedule(Struct, frozen=True, kw_only=True):
    """The planted truth of one run.

    `onset` is the first step that carries damage, None for a clean run. `strength` scales the
    profile. `ignored` lists steps whose instruction is not carried out; `refused` the step at
    which the model declines; `noticed` the steps whose reasoning summary admits noise.
    """

    profile: str
    seed: int
    steps: int
    onset: int | None
    strength: float
    shifts: tuple[Shift, ...] = ()
    ignored: tuple[int, ...] = ()
    refused: int | None = None
    noticed: tuple[int, ...] = ()

    def zoom_at(self, step: int) -> float:
        """Return the enlargement of `step` against step 1 as a share (0 = none)."""
        zoom = 1.0
        for shift in self.shifts:
            if shift.step <= step:
                zoom *= 1.0 + shift.zoom
        return zoom - 1.0

    def move_at(self, step: int) -> tuple[float, float]:
        """Return how far content has moved right and down against step 1, in pixels."""
        x = y = 0.0
        for shift in self.shifts:
            if shift.step <= step:
                x = x * (1.0 + shift.zoom) + shift.dx
                y = y * (1.0 + shift.zoom) + shift.dy
        return x, y


@cache
def profiles() -> dict[str, Profile]:
    """Return the simulated models by name."""
    text = files("b100tui.editors").joinpath("profiles.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Profile])


def derive_seed(*parts: object) -> int:
    """Return a seed in 0 .. 2**31 - 1 that hangs on `parts` alone, on every machine."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") & 0x7FFFFFFF


def step_seed(policy: str, base: int, run: str, step: int) -> int | None:
    """Return the seed sent for `step` under a seed policy: none, fixed or per-step.

    Raises ValueError for an unknown policy.
    """
    if policy == "none":
        return None
    if policy == "fixed":
        return base & 0x7FFFFFFF
    if policy == "per-step":
        return derive_seed(base, run, step)
    raise ValueError(f"seed policy {policy!r} is none of none, fixed, per-step")


def generator(*parts: object) -> "np.random.Generator":
    """Return a random generator of its own that hangs on `parts` alone."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(derive_seed(*parts)))


def draw_schedule(
    profile_name: str,
    seed: int,
    run: str,
    steps: int,
    *,
    strength: float = 1.0,
    plain_copy: bool = True,
    refused: int | None = None,
) -> Schedule:
    """Return the planted truth of a run; the same arguments give the same schedule.

    With `plain_copy` slips also move the picture; otherwise they only enlarge it about the
    centre, which commutes with mirroring and turning, so the truth stays one number a step.
    """
    profile = profiles()[profile_name]
    random = generator("schedule", seed, run, profile_name)
    onset = None
    if profile.onset and strength > 0:
        onset = int(random.integers(profile.onset[0], profile.onset[1] + 1))
    shifts = []
    if profile.zoom_every and onset is not None:
        # Never before the onset: resampling softens texture, which would be an onset of its own.
        step = onset + int(random.integers(0, profile.zoom_every))
        while step <= steps:
            zoom = round(float(random.uniform(0.35, 1.0)) * profile.zoom * strength, 5)
            dx, dy = (round(float(v), 2) for v in random.uniform(-0.9, 0.9, 2))
            shifts.append(Shift(step, zoom, dx, dy) if plain_copy else Shift(step, zoom))
            step += int(random.integers(max(1, profile.zoom_every - 2), profile.zoom_every + 3))
    draws = random.random(steps + 1)
    ignored: tuple[int, ...] = ()
    if not plain_copy:
        ignored = tuple(n for n in range(2, steps + 1) if draws[n] < profile.ignores)
    return Schedule(
        profile=profile_name,
        seed=seed,
        steps=steps,
        onset=onset,
        strength=strength,
        shifts=tuple(shifts),
        ignored=ignored,
        refused=refused,
        noticed=_noticed(random, onset, steps),
    )


def _noticed(random: "np.random.Generator", onset: int | None, steps: int) -> tuple[int, ...]:
    """Steps whose summary admits noise: never before long after the onset, then more often."""
    if onset is None:
        return ()
    first = onset + int(random.integers(8, 20))
    draws = random.random(steps + 1)
    later = tuple(
        n for n in range(first + 1, steps + 1) if draws[n] < min(0.85, 0.2 + 0.03 * (n - first))
    )
    return (first, *later) if first <= steps else ()
