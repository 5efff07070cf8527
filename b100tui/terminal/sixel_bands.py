"""From palette numbers to a sixel sequence, the whole picture at once with numpy.

A sixel character shows six pixels of one column in one colour (DEC STD 070). Each band of six
rows is drawn once for each of its colours; equal neighbours become `!count character`.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint8]
BAND = 6
_SHORTEST_RUN = 4  # three equal characters are as short as they are


def sixels(numbers: Numbers, palette: list[tuple[int, int, int]]) -> str:
    """Return the sequence that draws `numbers` (H, W), H a multiple of 6, in `palette` (RGB)."""
    height, width = numbers.shape
    rows, colours, last = _rows(numbers)
    body = _text(rows, colours, last).tobytes().decode("ascii")
    used = np.unique(colours)
    inks = "".join(
        f"#{n};2;" + ";".join(str(round(value * 100 / 255)) for value in palette[n]) for n in used
    )
    return f'\x1bP0;0;0q"1;1;{width};{height}{inks}{body}\x1b\\'


def _rows(numbers: Numbers) -> tuple[Numbers, NDArray[np.intp], NDArray[np.bool_]]:
    """Return every band's rows of six-bit values by colour (R, W), colours, and band ends (R)."""
    width = numbers.shape[1]
    columns = np.arange(width)
    rows, colours, last = [], [], []
    for band in numbers.reshape(-1, BAND, width):
        values = np.zeros((256, width), np.uint8)
        for bit, line in enumerate(band):
            values[line, columns] |= 1 << bit
        present = np.flatnonzero(np.bincount(band.ravel(), minlength=256))
        rows.append(values[present])
        colours.append(present)
        last.append(np.arange(len(present)) == len(present) - 1)
    return np.concatenate(rows), np.concatenate(colours), np.concatenate(last)


def _text(rows: Numbers, colours: NDArray[np.intp], last: NDArray[np.bool_]) -> Numbers:
    """Return the bytes: for each row its colour, its runs, and `$` (same band) or `-` (next)."""
    width = rows.shape[1]
    starts = np.ones(rows.shape, np.bool_)
    starts[:, 1:] = rows[:, 1:] != rows[:, :-1]
    at = np.flatnonzero(starts)
    row = at // width
    counts = np.diff(at, append=rows.size)
    values = rows.ravel()[at]
    ends = np.append(row[1:] != row[:-1], True)
    seen = ~(ends & (values == 0))  # nothing need be drawn up to the edge
    row, counts, values = row[seen], counts[seen], values[seen]

    digits = _digits(counts)
    sizes = np.where(counts < _SHORTEST_RUN, counts, 2 + digits)
    heads = 1 + _digits(colours)
    per_row = np.bincount(row, sizes, len(rows)).astype(np.intp) + heads + 1
    row_ends = np.cumsum(per_row)
    row_starts = row_ends - per_row
    before = np.cumsum(sizes) - sizes
    first = np.searchsorted(row, np.arange(len(rows)))
    places = row_starts[row] + heads[row] + before - before[first][row]

    text = np.empty(int(row_ends[-1]), np.uint8)
    text[row_starts] = ord("#")
    _write(text, row_starts + 1, colours)
    text[row_ends - 1] = np.where(last, ord("-"), ord("$"))
    characters = values + 63
    short = counts < _SHORTEST_RUN
    for n in range(_SHORTEST_RUN - 1):
        more = short & (counts > n)
        text[places[more] + n] = characters[more]
    long = ~short
    text[places[long]] = ord("!")
    _write(text, places[long] + 1, counts[long])
    text[places[long] + 1 + digits[long]] = characters[long]
    return text


def _digits(values: NDArray[np.intp]) -> NDArray[np.intp]:
    return 1 + (values >= 10).astype(np.intp) + (values >= 100) + (values >= 1000)


def _write(text: Numbers, places: NDArray[np.intp], values: NDArray[np.intp]) -> None:
    """Write `values` (0 to 9999) in decimal at `places`."""
    digits = _digits(values)
    for n in range(4):
        some = digits > n
        power = 10 ** (digits[some] - 1 - n)
        text[places[some] + n] = values[some] // power % 10 + ord("0")
