"""Sharing the work over machines: each takes its part of the pictures, nothing is locked."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from b100tui.model.errors import UsageError
from b100tui.scoring.plan import Task


class Shard(Struct, frozen=True):
    """Part `index` (from 0) of `count`: a picture belongs to the part its run and step hash to."""

    index: int
    count: int

    def part(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks of this part, in their order; each task is in exactly one part."""
        return [task for task in tasks if self._of(task) == self.index]

    def _of(self, task: Task) -> int:
        name = task.step.sha256 or f"{task.step.run}@{task.step.step}"
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % self.count


def parse_shard(text: str, environment: Mapping[str, str] | None = None) -> Shard:
    """Return the shard meant by `i/n` (i from 0 to n - 1) or by `auto` (SLURM array variables).

    Raises UsageError.
    """
    if text == "auto":
        return _from_slurm(os.environ if environment is None else environment)
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found is None:
        raise UsageError(f"--shard {text!r} is not i/n or auto", "e.g. --shard 0/8 ... --shard 7/8")
    shard = Shard(int(found[1]), int(found[2]))
    if shard.index >= shard.count:
        raise UsageError(
            f"--shard {text}: i goes from 0 to n - 1", f"--shard 0/{shard.count} is the first"
        )
    return shard


def _from_slurm(environment: Mapping[str, str]) -> Shard:
    try:
        task = int(environment["SLURM_ARRAY_TASK_ID"])
        count = int(environment["SLURM_ARRAY_TASK_COUNT"])
        first = int(environment.get("SLURM_ARRAY_TASK_MIN", "0"))
        step = int(environment.get("SLURM_ARRAY_TASK_STEP", "1"))
    except KeyError as error:
        raise UsageError(
            f"--shard auto needs {error.args[0]}, which a SLURM job array sets",
            "sbatch --array=0-7 ... or give --shard i/n",
        ) from error
    except ValueError as error:
        raise UsageError(f"--shard auto: {error}", "give --shard i/n") from error
    index = (task - first) // step if step else -1
    if not 0 <= index < count or (task - first) % step:
        raise UsageError(
            f"--shard auto: array task {task} is not one of {count} from {first} by {step}",
            "number the array without gaps: sbatch --array=0-7",
        )
    return Shard(index, count)
