"""b100: explore and make iterative image-edit trajectories.

`import b100tui as b100` gives the Python API (see `b100tui.api`); its parts load when used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_API = ("B100Error", "Data", "StoreError", "open", "to_arrow")


def __getattr__(name: str) -> Any:
    if name in _API:
        # By name, so that a command which only wants the version loads nothing more.
        return getattr(import_module("b100tui.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_API])
