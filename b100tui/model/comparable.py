"""Which steps may be held against each other; every comparison asks here.

A step is comparable with a reference step when both are in the same phase of the recipe's
cycle, have the same pixel size, and the recipe means to give the same picture back.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from msgspec import Struct

from b100tui.model.records import Run, Step

Kind = Literal["identity", "cycle", "reconstruction", "addition", "unknown"]
Region = Literal["all", "outside_change", "none"]

# What a word in a recipe's or setting's name says: kind and cycle in steps.
_WORDS: dict[str, tuple[Kind, int]] = {
    "replicate": ("identity", 1),
    "replication": ("identity", 1),
    "replica": ("identity", 1),
    "identity": ("identity", 1),
    "denoise": ("identity", 1),
    "mirror": ("cycle", 2),
    "flip": ("cycle", 2),
    "rotate": ("cycle", 4),
    "rotation": ("cycle", 4),
    "monochrome": ("reconstruction", 2),
    "recolour": ("reconstruction", 2),
    "recolor": ("reconstruction", 2),
    "patches": ("reconstruction", 3),
    "edges": ("reconstruction", 3),
    "reconstruct": ("reconstruction", 3),
    "reconstruction": ("reconstruction", 3),
    "add": ("addition", 1),
}
# Of several words the one that makes steps least alike decides.
_RANK: tuple[Kind, ...] = ("unknown", "identity", "cycle", "reconstruction", "addition")
INTERLEAVED = 3  # 1K, 2K, 4K in turn


class Cycle(Struct, frozen=True):
    """What a run's recipe does over its steps; `length` counts steps until like meets like."""

    kind: Kind
    length: int


class Comparability(Struct, frozen=True):
    """Whether two steps may be compared, in which `region`, and why (not)."""

    ok: bool
    region: Region = "all"
    reason: str = ""


def cycle(run: Run) -> Cycle:
    """Return the cycle of a run, read from its recipe, setting and resolution.

    A recipe that names nothing known is `unknown` with a cycle of 1: its steps are compared,
    and the comparison says so.
    """
    return _cycle(run.recipe, run.setting, str(run.parameters.get("resolution", "")))


@cache
def _cycle(recipe: str, setting: str, resolution: str) -> Cycle:
    name = recipe or setting
    kind: Kind = "unknown"
    length = 1
    for word in re.findall(r"[a-z]+", name.casefold()):
        found = _WORDS.get(word)
        if found is None:
            continue
        if _RANK.index(found[0]) > _RANK.index(kind):
            kind = found[0]
        length = math.lcm(length, found[1]) if found[0] != "reconstruction" else length
        if found[0] == "reconstruction":
            length = max(length, found[1])
    told = " ".join((recipe, setting, resolution))
    if "interleav" in told.casefold():
        length = math.lcm(length, INTERLEAVED)
    return Cycle(kind, length)


def comparable(step: Step, reference: Step, run: Run, *, resampled: bool = False) -> Comparability:
    """Return whether `step` may be compared with `reference`, both of `run`.

    With `resampled` the caller has brought both to one pixel size and states so. Additions
    are comparable outside the changed region only.
    """
    for one in (reference, step):
        if one.status != "ok":
            return Comparability(False, "none", f"step {one.step} is {one.status}")
    sizes = ((step.width, step.height), (reference.width, reference.height))
    known = None not in sizes[0] and None not in sizes[1]
    if known and sizes[0] != sizes[1] and not resampled:
        (width, height), (ref_width, ref_height) = sizes
        return Comparability(
            False,
            "none",
            f"step {step.step} is {width}x{height}, step {reference.step} is "
            f"{ref_width}x{ref_height}",
        )
    return by_number(step.step, reference.step, cycle(run))


def by_number(step: int, reference: int, turn: Cycle) -> Comparability:
    """Return the answer as far as step numbers and the recipe decide it."""
    if (step - reference) % turn.length:
        return Comparability(
            False,
            "none",
            f"step {step} is in another phase than step {reference} (cycle of {turn.length})",
        )
    if turn.kind == "addition":
        reason = "every step adds something: compared outside the changed region only"
        return Comparability(True, "outside_change", reason)
    if turn.kind == "unknown":
        return Comparability(True, "all", "the recipe is not known: taken as one that repeats")
    return Comparability(True)


def comparable_steps(
    steps: Sequence[Step], reference: int, run: Run
) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the steps after the reference that may be compared with it, and why others not.

    Without a usable reference step nothing is comparable and every step says why.
    """
    by_step = {one.step: one for one in steps}
    base = by_step.get(reference)
    later = [one for one in sorted(steps, key=lambda one: one.step) if one.step > reference]
    if base is None:
        return (), {one.step: f"there is no reference step {reference}" for one in later}
    good: list[int] = []
    left: dict[int, str] = {}
    for one in later:
        answer = comparable(one, base, run)
        if answer.ok and answer.region == "all":
            good.append(one.step)
        else:
            left[one.step] = answer.reason
    return tuple(good), left


def in_gaps(run: Run) -> Comparability:
    """Return whether a run belongs in gap tables unless others are asked for.

    The paper's tables hold replication runs only; a run whose recipe is not known is kept.
    """
    turn = cycle(run)
    if turn.kind in ("identity", "unknown"):
        return Comparability(True)
    name = run.recipe or run.setting
    return Comparability(False, "none", f"recipe {name!r} does not replicate ({turn.kind})")


def mixed(runs: Iterable[Run]) -> tuple[str, ...]:
    """Return what differs between runs that are about to be averaged: names of the fields."""
    many = list(runs)
    told = {
        "seed policy": {one.seed_policy for one in many},
        "resolution": {str(one.parameters.get("resolution", "")) for one in many},
        "editor": {one.editor for one in many},
        "model": {one.model for one in many},
        "temperature": {str(one.parameters.get("temperature", "")) for one in many},
        "session": {one.session for one in many},
        "recipe": {one.recipe for one in many},
    }
    return tuple(name for name, values in told.items() if len(values) > 1)
