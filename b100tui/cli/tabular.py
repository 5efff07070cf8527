"""Plain aligned tables for people; every cell is cleaned and kept on one line."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from b100tui.model.text import clean_line

_WIDEST = 60
_BLOCKS = "▁▂▃▄▅▆▇█"


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], widest: int = _WIDEST
) -> None:
    """Print rows under a header; numbers to the right, long text cut with an ellipsis."""
    listed = [list(row) for row in rows]
    cells = [[shown(value, widest) for value in row] for row in listed]
    right = [
        any(_is_number(row[at]) for row in listed)
        and all(row[at] is None or _is_number(row[at]) for row in listed)
        for at in range(len(header))
    ]
    widths = [
        max([_width(name), *(_width(row[at]) for row in cells)]) for at, name in enumerate(header)
    ]
    for row in [list(header), *cells]:
        parts = (
            _pad(cell, width, at_right)
            for cell, width, at_right in zip(row, widths, right, strict=True)
        )
        print("  ".join(parts).rstrip())


def shown(value: Any, widest: int = _WIDEST) -> str:
    """Return a value as a table cell."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = clean_line(str(value))
    return text if len(text) <= widest else text[: widest - 1] + "…"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an s unless there is one: `1 run`, `2 runs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def spark(levels: Sequence[int]) -> str:
    """Return levels 0 to 7 as block characters, a blank for an absent one."""
    return "".join(_BLOCKS[level] if level >= 0 else " " for level in levels)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _pad(text: str, width: int, right: bool) -> str:
    room = " " * (width - _width(text))
    return room + text if right else text + room
