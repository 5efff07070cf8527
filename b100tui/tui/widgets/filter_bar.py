"""The line in which a filter is typed."""

from collections.abc import Callable

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input


class FilterBar(Input):
    """A compact input above the run list.

    `typed` is called with every new value inside the same turn of the loop, so that the letter
    and what it filters are painted together; the usual messages come as well.
    """

    # It is one line whatever it holds: a letter shall not lay the whole screen out again.
    virtual_size = Reactive(Size(0, 0))
    _typed: Callable[[str], None] | None = None  # asked for by the first value, within Input's init

    def __init__(
        self, value: str = "", typed: Callable[[str], None] | None = None, **names: str | None
    ) -> None:
        super().__init__(
            value=value,
            placeholder="words, or brisque.gap>0 onset<8",
            compact=True,
            select_on_focus=False,
            id=names.get("id"),
        )
        self._typed = typed

    def watch_value(self, value: str) -> None:
        """Tell the new value at once."""
        if self._typed is not None and self.is_attached:
            self._typed(value)
