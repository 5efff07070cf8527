"""What a metric backend offers to the scoring worker: one backend a file behind this protocol.

The worker decodes and hands pixels over; a backend never opens a file.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


class Failure(Struct, frozen=True):
    """Why a metric has no value: `error` is a class such as too_small, flat, nan, size_differs."""

    error: str
    message: str


class Measured(Struct, frozen=True):
    """A value with something to say about it, such as its spread over samples."""

    value: float
    note: str


Outcome = float | Measured | Failure


class Backend(Protocol):
    """Measures pictures for some of the registry's metrics; calls may come from many threads."""

    def version_parts(self, metric: str) -> dict[str, str]:
        """Return all that can change the metric's values: versions, weights, dtype, device."""
        ...

    def measure(
        self, metrics: Sequence[str], pixels: Pixels, reference: Pixels | None
    ) -> Mapping[str, Outcome]:
        """Return a finite value or a Failure for each of `metrics`, by id.

        `pixels` and `reference` are uint8 (height, width, 3) RGB by the decode policy.
        """
        ...


def metric_version(parts: Mapping[str, str]) -> str:
    """Return the short hash of version parts that stands in a score's key."""
    text = msgspec.json.encode(dict(sorted(parts.items())))
    return hashlib.sha256(text).hexdigest()[:16]
