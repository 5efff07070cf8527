"""The chain of a run on disk: which steps exist, whether each grew out of the one before it.

A step exists if and only if its sidecar parses and the image it names is there with the hash
that the sidecar states. Everything here runs under the run's lock.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.engine.attempts import NAME as ATTEMPTS
from b100tui.engine.commit import step_name
from b100tui.model.errors import UNPARSABLE, StoreError, parse_fault
from b100tui.model.records import FileFacts, RunPlan, Sidecar
from b100tui.workspace.places import make_private

ORPHANS = "orphans"
_SIDECAR = re.compile(r"step-(\d{3,})\.json")
_IMAGE = re.compile(r"step-\d{3,}\.(?!json$)\w+")
_HALF_WRITTEN = re.compile(r"\.b100-.*\.tmp")
_DECODER = msgspec.json.Decoder(Sidecar)


class Chain(Struct, frozen=True, kw_only=True):
    """The committed steps of a run, in order, whole up to `last`."""

    steps: tuple[Sidecar, ...]

    @property
    def last(self) -> int:
        """The last committed step; -1 where not even step 0 exists."""
        return self.steps[-1].step if self.steps else -1

    def at(self, step: int) -> Sidecar:
        """Return the sidecar of `step`."""
        return self.steps[step]


def input_step(inputs: str, step: int) -> int:
    """Return the step whose picture goes into `step` (1 = first output).

    `inputs` is "previous", "initial" (always step 0) or "initial:N" (step 0 at every N-th step).
    """
    if inputs == "initial":
        return 0
    if inputs.startswith("initial:"):
        every = int(inputs.partition(":")[2])
        return 0 if (step - 1) % every == 0 else step - 1
    return step - 1


def last_step(folder: Path) -> int:
    """Return the highest step that has a sidecar, by name alone; -1 for none."""
    try:
        names = os.listdir(folder)
    except OSError:
        return -1
    return max((int(found[1]) for name in names if (found := _SIDECAR.fullmatch(name))), default=-1)


def read_chain(folder: Path, plan: RunPlan) -> Chain:
    """Return the verified chain of the run in `folder`.

    Checks that steps follow without a gap, that each image has the stated hash, and that each
    input is the output of the step it should come from. Raises StoreError naming the step that
    does not hold: nothing is repaired by guessing.
    """
    numbers = sorted(
        int(found[1]) for name in os.listdir(folder) if (found := _SIDECAR.fullmatch(name))
    )
    steps: list[Sidecar] = []
    for place, number in enumerate(numbers):
        where = folder / f"{step_name(number)}.json"
        if number != place:
            raise StoreError(f"{folder}: step {place} is missing before step {number}", _FORK)
        sidecar = _read_sidecar(where)
        if sidecar.step != number:
            raise StoreError(f"{where} says that it is of step {sidecar.step}", _FORK)
        _check_image(folder, sidecar)
        if number:
            came_from = steps[input_step(plan.inputs, number)].output
            if sidecar.input is None or sidecar.input.sha256 != came_from.sha256:
                raise StoreError(
                    f"{where}: its input is not the output of the step before it", _FORK
                )
        steps.append(sidecar)
    return Chain(steps=tuple(steps))


def set_aside(folder: Path) -> tuple[str, ...]:
    """Move images without a sidecar, and half-written files, to orphans/; never delete one.

    Returns the names moved. Raises StoreError when the disk refuses.
    """
    names = sorted(os.listdir(folder))
    named = {name for name in names if _SIDECAR.fullmatch(name)}
    kept = set()
    for name in named:
        try:
            kept.add(_read_sidecar(folder / name).output.file)
        except StoreError:
            kept.update(other for other in names if other.startswith(Path(name).stem + "."))
    loose = [
        name
        for name in names
        if _HALF_WRITTEN.fullmatch(name) or (_IMAGE.fullmatch(name) and name not in kept)
    ]
    if not loose:
        return ()
    aside = make_private(folder / ORPHANS)
    try:
        for name in loose:
            target = aside / name
            count = 1
            while target.exists():
                target = aside / f"{Path(name).stem}.{count}{Path(name).suffix}"
                count += 1
            os.rename(folder / name, target)
    except OSError as error:
        raise StoreError(
            f"cannot move {name} to {aside}: {error.strerror}", "free space"
        ) from error
    return tuple(loose)


def read_attempts(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of attempts.jsonl that parse, and close a torn last line."""
    path = folder / ATTEMPTS
    try:
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            with path.open("ab") as file:
                file.write(b"\n")
                file.flush()
                os.fsync(file.fileno())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    lines = []
    for text in data.split(b"\n"):
        try:
            told = msgspec.json.decode(text) if text else None
        except UNPARSABLE:
            continue  # torn by a crash: its outcome is treated as unknown
        if isinstance(told, dict):
            lines.append(told)
    return lines


_FORK = "restore the file from a copy, or fork the run before that step"


def _read_sidecar(path: Path) -> Sidecar:
    try:
        return _DECODER.decode(path.read_bytes())
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    except UNPARSABLE as error:
        raise StoreError(f"{path} is no sidecar: {parse_fault(error)}", _FORK) from error


def _check_image(folder: Path, sidecar: Sidecar) -> None:
    facts: FileFacts = sidecar.output
    path = folder / facts.file
    if path.name != facts.file:
        raise StoreError(f"step {sidecar.step}: its picture lies outside {folder}", _FORK)
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(f"step {sidecar.step}: {path}: {error.strerror}", _FORK) from error
    if found != facts.sha256:
        raise StoreError(f"step {sidecar.step}: {path} was changed since it was committed", _FORK)
