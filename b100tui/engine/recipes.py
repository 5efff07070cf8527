"""Recipes: the prompts of a run and how they cycle; shipped as data, added to by the user."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from b100tui.engine.runfolder import INPUTS
from b100tui.model.errors import UNPARSABLE, UsageError, parse_fault
from b100tui.model.records import SeedPolicy
from b100tui.model.text import clean_line
from b100tui.workspace.places import config_dir

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Recipe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prompts asked one a step, from the first again after the last.

    `kind` says what comparing steps may assume: identity (every step should equal the
    reference), cycle (equal within a phase), add (equal outside what was added), or
    reconstruct. `tags` mark remedies and restore passes. `returns_every` is the number of
    steps after which the picture should be the initial one again; 0 where it never is.
    `seed_policy` is what the recipe stands for, where it stands for one. `inputs` says which
    picture each step gets: previous, initial, or initial:N (the initial one at every N-th step).
    `merged` asks at each step for all prompts up to it at once, numbered.
    """

    name: str = ""
    about: str
    kind: Literal["identity", "cycle", "add", "reconstruct"]
    prompts: tuple[str, ...]
    returns_every: int = 0
    tags: tuple[str, ...] = ()
    seed_policy: SeedPolicy | None = None
    inputs: str = "previous"
    merged: bool = False

    @property
    def cycle(self) -> int:
        """Number of prompts before they repeat."""
        return len(self.prompts)

    def prompt(self, step: int) -> str:
        """Return the prompt that makes `step` (1 = first output)."""
        if step < 1:
            raise ValueError(f"step {step} has no prompt: step 0 is the initial image")
        return self.prompts[(step - 1) % len(self.prompts)]

    def asked(self, steps: int) -> tuple[str, ...]:
        """Return the prompts that a run of `steps` freezes in its plan."""
        if not self.merged:
            return self.prompts
        return tuple(
            "Carry out all of these instructions on the provided image:\n"
            + "\n".join(f"{n}. {self.prompt(n)}" for n in range(1, step + 1))
            for step in range(1, steps + 1)
        )


def recipe_folders() -> tuple[Path, ...]:
    """Return the shipped folder and the user's; a user's recipe replaces one of its name."""
    return Path(str(files("b100tui.engine").joinpath("recipes"))), config_dir() / "recipes"


def recipes() -> dict[str, Recipe]:
    """Return every recipe by name, in natural order.

    Raises UsageError naming file and reason when one of them cannot be read.
    """
    found: dict[str, Recipe] = {}
    for folder in recipe_folders():
        for path in sorted(folder.glob("*.toml")):
            found[path.stem] = _read(path)
    return dict(sorted(found.items()))


def recipe(name: str) -> Recipe:
    """Return the recipe called `name`; UsageError names the near ones."""
    if _NAME.fullmatch(name):
        for folder in reversed(recipe_folders()):
            if (path := folder / f"{name}.toml").is_file():
                return _read(path)
    import difflib

    known = recipes()
    near = difflib.get_close_matches(name, known, 3) or sorted(known)
    raise UsageError(f"no recipe {clean_line(name)!r}", f"there are: {', '.join(near)}")


def _read(path: Path) -> Recipe:
    where = f"recipe {path}"
    if not _NAME.fullmatch(path.stem):
        raise UsageError(f"{where}: the name may hold a-z, 0-9 and -", "rename the file")
    try:
        read = msgspec.toml.decode(path.read_bytes(), type=Recipe)
    except OSError as error:
        raise UsageError(f"{where}: {error.strerror}", "make it readable or remove it") from error
    except UNPARSABLE as error:
        raise UsageError(f"{where}: {parse_fault(error)}", "mend the file") from error
    if not INPUTS.fullmatch(read.inputs):
        raise UsageError(f"{where}: inputs = {read.inputs!r}", "previous, initial or initial:N")
    if not read.prompts or not all(prompt.strip() for prompt in read.prompts):
        raise UsageError(f"{where}: needs at least one prompt with words", "mend the file")
    return msgspec.structs.replace(read, name=path.stem)
