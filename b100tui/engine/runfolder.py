"""A run's folder: its frozen plan, and what ended it early."""

import hashlib
import re
from pathlib import Path
from typing import Any, get_args

import msgspec

from b100tui.model.errors import UNPARSABLE, StoreError, parse_fault
from b100tui.model.records import RunPlan, SeedPolicy
from b100tui.model.text import clean_line
from b100tui.workspace.atomic import write_atomic

# What stands in a plan and a recipe for the picture that each step gets.
INPUTS = re.compile(r"previous|initial|initial:[1-9][0-9]{0,5}")
PLAN = "run.json"
STOPPED = "stopped.json"
# What a run is asked to do; ids, dates, versions and the planned length may differ on resume.
_HASHED = (
    *("image", "recipe", "setting", "editor", "repeat", "model", "parameters"),
    *("seed_policy", "session", "parent", "remedy", "simulated"),
)


def plan_hash(plan: RunPlan, prompts: tuple[str, ...]) -> str:
    """Return the hash of all that decides what a run's steps are asked; 64 hex digits."""
    asked = {name: getattr(plan, name) for name in _HASHED} | {"prompts": prompts}
    if plan.inputs != "previous":
        asked["inputs"] = plan.inputs
    return hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()


def write_plan(folder: Path, plan: RunPlan, *, durable: bool = True) -> None:
    """Freeze `plan` as run.json; StoreError when the folder holds a plan already."""
    path = folder / PLAN
    if path.exists():
        raise StoreError(f"{path} exists already: a plan is frozen", "fork the run to change it")
    write_atomic(path, msgspec.json.format(msgspec.json.encode(plan), indent=1), durable=durable)


def extend_plan(folder: Path, steps: int) -> RunPlan:
    """Raise the planned length in run.json to `steps` and return the plan; all else stays frozen.

    Raises StoreError.
    """
    plan = msgspec.structs.replace(read_plan(folder), steps_planned=steps)
    write_atomic(folder / PLAN, msgspec.json.format(msgspec.json.encode(plan), indent=1))
    return plan


def read_plan(folder: Path) -> RunPlan:
    """Return the plan of the run in `folder`; StoreError says why it cannot be read."""
    path = folder / PLAN
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=RunPlan)
    except OSError as error:
        raise StoreError(
            f"cannot read {path}: {error.strerror}", "is this a run folder?"
        ) from error
    except UNPARSABLE as error:
        raise StoreError(
            f"{path} is no plan of a run: {parse_fault(error)}", "restore it from a copy"
        ) from error
    for name, value, known in (
        ("seed_policy", plan.seed_policy, plan.seed_policy in get_args(SeedPolicy)),
        ("inputs", plan.inputs, INPUTS.fullmatch(plan.inputs)),
    ):
        if not known:
            raise StoreError(
                f"{path}: {name} {clean_line(value)!r} is not known here",
                "another version of b100 may have made it",
            )
    return plan


def write_stopped(folder: Path, told: dict[str, Any], *, durable: bool = True) -> None:
    """Write stopped.json: `step` it ended before, `failure` class, `reason` in words, `time`."""
    write_atomic(folder / STOPPED, msgspec.json.encode({"schema": 1, **told}), durable=durable)
