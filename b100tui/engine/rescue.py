"""A paid picture whose folder could not take it: kept in the state folder, taken over on resume."""

import hashlib
import os
from pathlib import Path

import msgspec

from b100tui.engine.commit import commit_step, step_name
from b100tui.model.errors import UNPARSABLE, StoreError
from b100tui.model.records import RunPlan, Sidecar
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.places import make_private, state_dir


def rescue(root: Path, plan: RunPlan, data: bytes, sidecar: Sidecar) -> Path:
    """Store picture and sidecar in the user's state folder and return where.

    Raises StoreError when that folder refuses too.
    """
    place = make_private(_place(root, plan))
    write_atomic(place / sidecar.output.file, data)
    write_atomic(place / f"{step_name(sidecar.step)}.json", msgspec.json.encode(sidecar))
    return place


def adopt(root: Path, plan: RunPlan, folder: Path) -> int:
    """Commit rescued steps of the run that follow its chain; return how many.

    A rescued step whose number is taken meanwhile stays where it is. Raises StoreError.
    """
    place = _place(root, plan)
    if not place.is_dir():
        return 0
    count = 0
    for record in sorted(place.glob("step-*.json")):
        try:
            sidecar = msgspec.json.decode(record.read_bytes(), type=Sidecar)
        except (OSError, *UNPARSABLE) as error:
            raise StoreError(f"cannot read {record}: {error}", "remove it") from error
        before = folder / f"{step_name(sidecar.step - 1)}.json"
        if not before.exists() or (folder / record.name).exists():
            continue
        image = place / sidecar.output.file
        try:
            commit_step(folder, image.read_bytes(), sidecar)
        except OSError as error:
            raise StoreError(
                f"cannot read {image}: {error.strerror}", "make it readable"
            ) from error
        os.unlink(image)
        os.unlink(record)
        count += 1
    return count


def _place(root: Path, plan: RunPlan) -> Path:
    key = hashlib.sha256(f"{os.path.realpath(root)}\0{plan.run}".encode()).hexdigest()[:16]
    return state_dir() / "rescued" / f"{plan.run.replace('/', '+')[:80]}-{key}"
