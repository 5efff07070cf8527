"""The rows of a picture widget: words, finished cells, or stand-ins; and rows as one write."""

import textwrap

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from b100tui.terminal.frames import CellRow, Frame
from b100tui.terminal.sixel import strips
from b100tui.tui.widgets.cell_strip import CellStrip


def margins(size: tuple[int, int], columns: int, rows: int) -> tuple[int, int]:
    """Return the blank cells left of and above `columns` x `rows` cells centred in `size`."""
    return max(size[0] - columns, 0) // 2, max(size[1] - rows, 0) // 2


def word_lines(words: str, size: tuple[int, int], style: Style) -> dict[int, Strip]:
    """Return `words`, wrapped and centred, by row."""
    width, height = size
    lines = [
        line
        for part in words.splitlines()
        for line in textwrap.wrap(part, max(width - 2, 1)) or [""]
    ][:height]
    top = (height - len(lines)) // 2
    return {
        top + n: Strip([Segment(line.center(width), style)]).adjust_cell_length(width, style)
        for n, line in enumerate(lines)
    }


def cell_lines(rows: tuple[CellRow, ...], size: tuple[int, int], style: Style) -> dict[int, Strip]:
    """Return finished `rows`, centred, by row."""
    if not rows:
        return {}
    columns = rows[0].columns
    left, top = margins(size, columns, len(rows))
    right = max(size[0] - left - columns, 0)
    return {top + n: CellStrip(row, left, right, style) for n, row in enumerate(rows)}


def stand_in_lines(
    mark: str, frame: Frame, size: tuple[int, int], style: Style
) -> dict[int, Strip]:
    """Return rows of `mark` where the picture of `frame` is drawn over them."""
    left, top = margins(size, frame.columns, frame.rows)
    line = " " * left + mark * frame.columns + " " * max(size[0] - left - frame.columns, 0)
    strip = Strip([Segment(line, style)], size[0])
    return {top + n: strip for n in range(frame.rows)}


def placed(frame: Frame, size: tuple[int, int], at: tuple[int, int]) -> str:
    """Return what draws `frame` in the middle of an area of `size` whose corner is `at`."""
    left, top = margins(size, frame.columns, frame.rows)
    return f"\x1b7\x1b[{at[1] + top + 1};{at[0] + left + 1}H{frame.payload}\x1b8"


def placed_strips(
    frame: Frame,
    size: tuple[int, int],
    at: tuple[int, int],
    cell_height: int,
    most: int,
    *,
    tmux: bool = False,
) -> list[str]:
    """Return the same in parts of about `most` bytes that are each drawn by themselves."""
    left, top = margins(size, frame.columns, frame.rows)
    x, y = at[0] + left + 1, at[1] + top + 1
    cut = frame.strips or strips(frame.payload, cell_height, most, overlapping=not tmux)
    return [f"\x1b7\x1b[{y + row};{x}H{part}\x1b8" for row, part in cut]


def rows_at(rows: tuple[CellRow, ...], x: int, y: int) -> str:
    """Return what writes `rows` to the terminal from column `x` and row `y` (from 0) on."""
    placed = (f"\x1b[{y + n + 1};{x + 1}H{row.text}" for n, row in enumerate(rows))
    return "\x1b7\x1b[0m" + "".join(placed) + "\x1b8"
