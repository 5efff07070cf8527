"""Numbers as characters: sparklines, plain numbers, bytes. Pure, no Textual."""

import math
from collections.abc import Mapping, Sequence

BLOCKS = "▁▂▃▄▅▆▇█"
ABSENT = -1
NOISE = 1e-6


def levels(values: Mapping[int, float], first: int, last: int, width: int) -> tuple[int, ...]:
    """Return `width` levels 0 to 7 of `values` over the steps `first` to `last`.

    Each cell shows the mean of its steps, scaled between the smallest and the largest value;
    ABSENT where a cell has none. A flat series sits in the middle.
    """
    count = last - first + 1
    if width <= 0 or count <= 0:
        return ()
    width = min(width, count)
    sums = [0.0] * width
    counts = [0] * width
    for step, value in values.items():
        if first <= step <= last:
            cell = (step - first) * width // count
            sums[cell] += value
            counts[cell] += 1
    means = [total / n if n else math.nan for total, n in zip(sums, counts, strict=True)]
    present = [mean for mean in means if not math.isnan(mean)]
    if not present:
        return (ABSENT,) * width
    low, high = min(present), max(present)
    scale = 7.0 / (high - low) if high > low else 0.0
    return tuple(
        ABSENT if math.isnan(mean) else round((mean - low) * scale) if scale else 3
        for mean in means
    )


def cell_of(step: int, first: int, last: int, width: int) -> int:
    """Return the cell (0-based) in which `levels` puts `step`."""
    count = max(1, last - first + 1)
    width = min(width, count)
    return max(0, min(width - 1, (step - first) * width // count))


def spark(cells: Sequence[int]) -> str:
    """Return one block character a level; a space where nothing is."""
    return "".join(BLOCKS[cell] if cell >= 0 else " " for cell in cells)


def number(value: float) -> str:
    """Return `value` with about three significant digits in at most seven characters.

    What is smaller than a millionth is rounding noise of the metrics and stands as 0.00.
    """
    size = abs(value)
    if size < NOISE:
        return "0.00"
    if size >= 100_000 or size < 0.001:
        text = f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
        return text if len(text) <= 7 else f"{value:.0e}".replace("e+", "e")
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 1 else f"{value:.3f}"


def grouped(count: int) -> str:
    """Return `count` with thin groups of three: 28 000."""
    return f"{count:,}".replace(",", " ")


def plural(count: int, word: str) -> str:
    """Return "1 run", "2 runs"."""
    return f"{grouped(count)} {word}{'' if count == 1 else 's'}"


def size(count: int) -> str:
    """Return a count of bytes as a person reads it."""
    if count < 1000:
        return f"{count} B"
    value, unit = count / 1000, "kB"
    for larger in ("MB", "GB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
