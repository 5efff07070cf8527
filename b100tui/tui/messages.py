"""What workers tell the screen. Results carry the token of the request that they answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.message import Message

from b100tui.index.rows import SearchResult
from b100tui.model.errors import B100Error
from b100tui.model.metric import Metric
from b100tui.tui.catalogue import Catalogue
from b100tui.tui.trajectory import Trajectory
from b100tui.tui.tree import RunTree


@dataclass
class Attached(Message):
    """An index is open; `catalogue` is None where none has been built yet."""

    catalogue: Catalogue | None
    metrics: Mapping[str, Metric]


@dataclass
class RunsRead(Message):
    """The run list was read anew."""

    tree: RunTree


@dataclass
class RunRead(Message):
    """One run was read."""

    token: int
    trajectory: Trajectory


@dataclass
class Matched(Message):
    """The rows that meet a filter, or why it cannot be read."""

    token: int
    runs: list[str] | None
    error: B100Error | None = None


@dataclass
class Found(Message):
    """The answer to a search, or why it cannot be read."""

    token: int
    result: SearchResult | None
    error: B100Error | None = None


@dataclass
class Indexing(Message):
    """How far a build of the index is: files seen, in words; empty when it is done."""

    words: str


@dataclass
class Changed(Message):
    """The index or its tail has something new."""


@dataclass
class Failed(Message):
    """A worker met a named failure; it costs only what it was doing."""

    doing: str
    error: B100Error
