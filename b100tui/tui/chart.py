"""A series with its band as characters: braille for the mean, shade for the sd. Pure."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping

from b100tui.tui.analyst import Band
from b100tui.tui.drawing import number
from b100tui.tui.wrapping import fit

LABEL = 8
# Bits of the braille dots, by column (0, 1) and row (0 to 3) within a cell.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
Row = list[tuple[str, str]]


def chart(
    band: Band,
    width: int,
    height: int,
    marks: Mapping[int, str],
    run: Mapping[int, float] | None = None,
) -> list[Row]:
    """Return `height` rows of spans: the plot with its scale, and a line of steps below.

    `marks` maps a step to the character that stands for it on the lowest line; `run` is drawn
    as dots where it differs from the mean.
    """
    columns, rows = width - LABEL, height - 1
    if not band.steps or columns < 4 or rows < 1:
        return [[("no values to draw", "chart--dim")]] + [[] for _ in range(height - 1)]
    lows = [m - (sd or 0.0) for m, sd in zip(band.means, band.sds, strict=True)]
    highs = [m + (sd or 0.0) for m, sd in zip(band.means, band.sds, strict=True)]
    extra = list(run.values()) if run else []
    bottom, top = min(*lows, *extra, lows[0]), max(*highs, *extra, highs[0])
    if top <= bottom:
        bottom, top = bottom - 0.5, top + 0.5
    first, last = band.steps[0], band.steps[-1]

    def level(value: float, fine: int) -> int:
        return round((top - value) / (top - bottom) * (rows * fine - 1))

    dots = _line(band, columns, lambda value: level(value, 4))
    drawn: list[Row] = []
    shaded = {
        column: (level(_at(band.steps, highs, step), 1), level(_at(band.steps, lows, step), 1))
        for column in range(columns)
        for step in [first + (last - first) * column / max(1, columns - 1)]
    }
    single = {
        (_column(step, first, last, columns), level(value, 1))
        for step, value in (run or {}).items()
        if first <= step <= last
    }
    for y in range(rows):
        label = number(top) if y == 0 else number(bottom) if y == rows - 1 else ""
        row: Row = [(fit(label.rjust(LABEL - 2), LABEL - 1) + "┤", "chart--dim")]
        for x in range(columns):
            bits = dots.get((x, y), 0)
            if bits:
                _add(row, chr(_BRAILLE + bits), "chart--mean")
            elif (x, y) in single:
                _add(row, "·", "chart--run")
            elif any(band.sds) and shaded[x][0] <= y <= shaded[x][1]:
                _add(row, "░", "chart--band")
            else:
                _add(row, " ", "")
        drawn.append(row)
    drawn.append(_axis(first, last, columns, marks))
    return drawn


def _line(band: Band, columns: int, level: Callable[[float], int]) -> dict[tuple[int, int], int]:
    first, last = band.steps[0], band.steps[-1]
    dots: dict[tuple[int, int], int] = {}
    before: int | None = None
    for fine in range(columns * 2):
        step = first + (last - first) * fine / max(1, columns * 2 - 1)
        y = level(_at(band.steps, band.means, step))
        span = range(y, y + 1) if before is None else range(min(before, y), max(before, y) + 1)
        for dot in span:
            place = (fine // 2, dot // 4)
            dots[place] = dots.get(place, 0) | _DOTS[fine % 2][dot % 4]
        before = y
    return dots


def _at(steps: tuple[int, ...], values: list[float] | tuple[float, ...], step: float) -> float:
    """Return the value at `step`, on the straight line between its neighbours."""
    right = bisect_left(steps, step)
    if right >= len(steps):
        return values[-1]
    if right == 0 or math.isclose(steps[right], step):
        return values[right]
    share = (step - steps[right - 1]) / (steps[right] - steps[right - 1])
    return values[right - 1] + share * (values[right] - values[right - 1])


def _column(step: int, first: int, last: int, columns: int) -> int:
    return round((step - first) * (columns - 1) / max(1, last - first))


def _axis(first: int, last: int, columns: int, marks: Mapping[int, str]) -> Row:
    cells = [("─", "chart--dim")] * columns
    for step, sign in marks.items():
        if first <= step <= last:
            cells[_column(step, first, last, columns)] = (sign, "chart--mark")
    row: Row = [(f"{first:>{LABEL - 2}} └", "chart--dim")]
    for text, style in cells[: columns - len(str(last)) - 1]:
        _add(row, text, style)
    _add(row, f" {last}", "chart--dim")
    return row


def _add(row: Row, text: str, style: str) -> None:
    if row and row[-1][1] == style:
        row[-1] = (row[-1][0] + text, style)
    else:
        row.append((text, style))
