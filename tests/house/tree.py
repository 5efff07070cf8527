"""The checkout as the house tests see it."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file under version control, or skip outside a checkout."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=TOP, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("needs a git checkout")
    files = (TOP / name for name in done.stdout.split("\0") if name)
    return tuple(file for file in files if file.is_file())


def sources(*folders: str) -> list[Path]:
    """Return the Python files below `folders`."""
    return sorted(path for folder in folders for path in (TOP / folder).rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(TOP))
