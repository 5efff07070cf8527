"""What workers tell the screen. Results carry the token of the request that they answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from b100tui.index.rows import SearchResult
from b100tui.model.errors import B100Error
from b100tui.tui.catalogue import Catalogue
from b100tui.tui.trajectory import Trajectory
from b100tui.tui.tree import RunTree

if TYPE_CHECKING:
    from b100tui.jobs.records import Job


class Attached(Message):
    """An index is open; `catalogue` is None where none has been built yet."""

    def __init__(self, catalogue: Catalogue | None) -> None:
        super().__init__()
        self.catalogue = catalogue


class RunsRead(Message):
    """The run list was read anew; `left_out` files belong to no run, None where nobody counted."""

    def __init__(self, tree: RunTree, left_out: int | None = None) -> None:
        super().__init__()
        self.tree = tree
        self.left_out = left_out


class RunRead(Message):
    """One run was read."""

    def __init__(self, token: int, trajectory: Trajectory) -> None:
        super().__init__()
        self.token = token
        self.trajectory = trajectory


class Matched(Message):
    """The rows that meet a filter, or why it cannot be read."""

    def __init__(self, token: int, runs: list[str] | None, error: B100Error | None = None) -> None:
        super().__init__()
        self.token = token
        self.runs = runs
        self.error = error


class Found(Message):
    """The answer to a search, or why it cannot be read."""

    def __init__(
        self, token: int, result: SearchResult | None, error: B100Error | None = None
    ) -> None:
        super().__init__()
        self.token = token
        self.result = result
        self.error = error


class Indexing(Message):
    """How far a build of the index is: files seen, in words; empty when it is done."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class JobsSeen(Message):
    """The jobs were looked at."""

    def __init__(self, jobs: "Sequence[Job]") -> None:
        super().__init__()
        self.jobs = jobs


class Changed(Message):
    """The index or its tail has something new."""


class Failed(Message):
    """A worker met a named failure; it costs only what it was doing."""

    def __init__(self, doing: str, error: B100Error) -> None:
        super().__init__()
        self.doing = doing
        self.error = error
