"""Finds the shipped data folders `queries/` and `themes/`, installed or in a checkout."""

from importlib.resources import files
from pathlib import Path


def shipped_folder(name: str) -> Path:
    """Return the folder of shipped data called `name` ("queries" or "themes").

    In a wheel it lies inside the package, in a checkout beside it.
    Raises FileNotFoundError when the installation lacks it.
    """
    inside = Path(str(files("b100tui").joinpath(name)))
    for folder in (inside, inside.parent.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the installation has no folder {name!r}: install b100 again")
