"""The line in which a filter is typed."""

from textual.widgets import Input


class FilterBar(Input):
    """A compact input above the run list."""

    def __init__(self, value: str = "", **names: str | None) -> None:
        super().__init__(
            value=value,
            placeholder="words, or brisque.gap>0 onset<8",
            compact=True,
            select_on_focus=False,
            id=names.get("id"),
        )
