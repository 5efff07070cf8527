"""Plans: whole experiments as data; shipped ones and the user's own."""

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from b100tui.engine.request import Ask
from b100tui.model.errors import UNPARSABLE, UsageError, parse_fault
from b100tui.model.text import clean_line
from b100tui.workspace.places import config_dir

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class Group(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same asking for each of `images`; meanings as in `Ask`."""

    images: tuple[str, ...]
    recipe: str = "replicate"
    prompt: str | None = None
    editor: str = "nano-banana-pro"
    steps: int = 100
    repeats: int = 5
    seed: str | None = None
    temperature: float | None = None
    resolution: str | None = None
    aspect_ratio: str | None = None
    thinking: str | None = None
    session: Literal["multi", "single"] = "multi"
    assumed: bool = False


class Experiment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan file. `images` gives files by name, relative to the plan file."""

    about: str
    assumptions: tuple[str, ...] = ()
    images: dict[str, str] = {}
    groups: tuple[Group, ...]
    folder: str = ""

    def settings(self) -> Iterator[tuple[str, Ask]]:
        """Yield (image name, how to edit) for each setting."""
        for group in self.groups:
            words = msgspec.structs.asdict(group)
            for name in ("images", "assumed"):
                words.pop(name)
            ask = msgspec.convert(words, Ask)
            for image in group.images:
                yield image, ask

    def image(self, name: str, folder: Path | None) -> Path:
        """Return the file of image `name`: in `folder` by its name, else as the plan says.

        Raises UsageError when neither is there.
        """
        if folder is not None:
            for suffix in _SUFFIXES:
                if (path := folder / f"{name}{suffix}").is_file():
                    return path
        given = self.images.get(name)
        if given and (path := Path(self.folder) / given).is_file():
            return path
        raise UsageError(
            f"the plan needs an initial image {clean_line(name)!r}",
            f"add --images DIR with {clean_line(name)}.png (or .jpg, .webp) in it",
        )


def plan_names() -> dict[str, Path]:
    """Return the shipped and the user's plans by name; the user's replace shipped ones."""
    shipped = Path(str(files("b100tui.engine").joinpath("plans")))
    return {
        path.stem: path
        for folder in (shipped, config_dir() / "plans")
        for path in sorted(folder.glob("*.toml"))
    }


def read_experiment(name: str) -> Experiment:
    """Return the plan called `name`, or in the file of that path; UsageError says what is wrong."""
    known = plan_names()
    path = known.get(name) or Path(os.path.expanduser(name))
    try:
        read = msgspec.toml.decode(path.read_bytes(), type=Experiment)
    except FileNotFoundError as error:
        raise UsageError(
            f"no plan {clean_line(name)!r}", f"a TOML file, or one of {', '.join(known)}"
        ) from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    except UNPARSABLE as error:
        raise UsageError(f"plan {path}: {parse_fault(error)}", "mend that line") from error
    return msgspec.structs.replace(read, folder=str(path.parent))
