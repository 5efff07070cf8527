"""From palette numbers to a sixel sequence, the whole picture at once with numpy.

A sixel character shows six pixels of one column in one colour (DEC STD 070). Each band of six
rows is drawn once for each of its colours; equal neighbours become `!count character`.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint8]
BAND = 6
_SHORTEST_RUN = 4  # three equal characters are as short as they are
_SQUARES = (8, 4, 2)  # zooms, and rough pictures: columns that stand so many times beside


def sixels(numbers: Numbers, palette: list[tuple[int, int, int]]) -> str:
    """Return the sequence that draws `numbers` (H, W), H a multiple of 6, in `palette` (RGB)."""
    height, width = numbers.shape
    across = next((many for many in _SQUARES if _repeated(numbers, many)), 1)
    rows, colours, last = _rows(numbers[:, ::across])
    body = _text(rows, colours, last, across).tobytes().decode("ascii")
    used = np.unique(colours)
    inks = "".join(
        f"#{n};2;" + ";".join(str(round(value * 100 / 255)) for value in palette[n]) for n in used
    )
    return f'\x1bP0;0;0q"1;1;{width};{height}{inks}{body}\x1b\\'


def _repeated(numbers: Numbers, many: int) -> bool:
    """Say whether each column stands `many` times, so that one of them tells of all."""
    height, width = numbers.shape
    if width % many:
        return False
    columns = numbers.reshape(height, -1, many)
    # Most pictures are told by their first rows.
    return all(bool((part == part[:, :, :1]).all()) for part in (columns[:BAND], columns))


def _rows(numbers: Numbers) -> tuple[Numbers, NDArray[np.intp], NDArray[np.bool_]]:
    """Return every band's rows of six-bit values by colour (R, W), colours, and band ends (R)."""
    height, width = numbers.shape
    bands, inks = height // BAND, int(numbers.max(initial=0)) + 1
    values = np.zeros((bands, inks, width), np.uint8)
    flat = values.reshape(-1)
    # Where in `flat` each pixel's bit belongs: no two of one line in the same place.
    places = numbers.reshape(bands, BAND, width) * np.intp(width) + np.arange(width)
    places += (np.arange(bands) * (inks * width))[:, None, None]
    for bit in range(BAND):
        flat[places[:, bit].ravel()] |= 1 << bit
    present = values.any(axis=2)
    band, colours = np.nonzero(present)
    return values[present], colours, np.append(band[1:] != band[:-1], True)


def _text(
    rows: Numbers, colours: NDArray[np.intp], last: NDArray[np.bool_], across: int
) -> Numbers:
    """Return the bytes: for each row its colour, its runs, and `$` (same band) or `-` (next).

    Each value is drawn `across` times.
    """
    width = rows.shape[1]
    starts = np.ones(rows.shape, np.bool_)
    starts[:, 1:] = rows[:, 1:] != rows[:, :-1]
    at = np.flatnonzero(starts)
    row = at // width
    counts = np.diff(at, append=rows.size) * across
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
