"""Loads metric backends by name; only the worker calls this, so heavy imports stay there."""

import importlib
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any

from b100tui.metrics import registry
from b100tui.scoring.messages import Failed

# backend -> the class in b100tui.metrics.<backend> that follows the Backend protocol
CLASSES = {
    "probes": "Probes",
    "pyiqa": "Pyiqa",
    "endpoint": "Endpoint",
    "command": "Command",
}


def load(
    metrics: Sequence[str], device: str = "cpu", dtype: str = "float32"
) -> tuple[dict[str, Any], dict[str, Failed]]:
    """Return the backend of each metric, and why for those that cannot be loaded.

    Metrics of one backend share one instance.
    """
    made: dict[str, Any] = {}
    loaded: dict[str, Any] = {}
    failures: dict[str, Failed] = {}
    for name in metrics:
        row = registry.row(name)
        backend = row.metric.backend
        key = backend if backend != "entry" else f"entry {row.options['entry']}"
        try:
            if key not in made:
                made[key] = _make(backend, row.options, device, dtype)
            loaded[name] = made[key]
        except Exception as error:  # the border to foreign code: an entry point of another package
            failures[name] = Failed("unavailable", f"{type(error).__name__}: {error}")
    return loaded, failures


def _make(backend: str, options: dict[str, Any], device: str, dtype: str) -> Any:
    if backend == "entry":
        (point,) = entry_points(group=registry.GROUP, name=options["entry"])
        return point.load()()
    made = getattr(importlib.import_module(f"b100tui.metrics.{backend}"), CLASSES[backend])
    return made(device, dtype) if backend == "pyiqa" else made()
