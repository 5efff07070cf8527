"""Finds the data folder that lies beside the checkout; tests that need it skip where it is not."""

import os
from pathlib import Path

import pytest


def shared(name: str) -> Path:
    given = os.environ.get("B100_SHARED_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = (Path(given) if given else beside) / name
    if not path.exists():
        pytest.skip(f"needs the data folder: {name}")
    return path
