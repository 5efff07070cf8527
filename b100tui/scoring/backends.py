"""Loads metric backends by name; only the worker calls this, so heavy imports stay there."""

import importlib
from collections.abc import Sequence

from b100tui.metrics import registry
from b100tui.metrics.protocol import Backend
from b100tui.model.errors import B100Error
from b100tui.scoring.messages import Failed

# backend -> the class in b100tui.metrics.<backend> that follows the Backend protocol
CLASSES = {"probes": "Probes"}


def load(metrics: Sequence[str]) -> tuple[dict[str, Backend], dict[str, Failed]]:
    """Return the backend of each metric, and why for those that cannot be loaded."""
    made: dict[str, Backend] = {}
    loaded: dict[str, Backend] = {}
    failures: dict[str, Failed] = {}
    for name in metrics:
        backend = registry.metric(name).backend
        try:
            if backend not in made:
                module = importlib.import_module(f"b100tui.metrics.{backend}")
                made[backend] = getattr(module, CLASSES[backend])()
            loaded[name] = made[backend]
        except (ImportError, KeyError, OSError, B100Error) as error:
            failures[name] = Failed("unavailable", f"{type(error).__name__}: {error}")
    return loaded, failures
