"""Pictures in rows of tiles: how many fit, which steps, and where a cursor goes. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from b100tui.model.records import Step
from b100tui.terminal.frames import Area

TILE_COLUMNS = (12, 16, 20, 27, 40)  # cells of a tile with its gap, smallest first
_FEWEST_ROWS = 2


class Layout(Struct, frozen=True):
    """`columns` x `rows` tiles of `width` x `height` cells; each row has a caption under it."""

    columns: int
    rows: int
    width: int
    height: int


def layout(area: Area, tile: int, aspect: float, most: int = 1 << 30) -> Layout:
    """Return the tiles of about `tile` cells that fill `area`; `aspect` is width over height.

    At most `most` columns; what is left of the width goes to the tiles.
    """
    columns = min(max(area.columns // tile, 1), max(most, 1))
    width = min(max(area.columns // columns, 2), 2 * tile)
    exact = (width - 1) * area.cell_width / max(aspect, 0.1) / area.cell_height
    height = min(max(round(exact), _FEWEST_ROWS), max(area.rows - 1, 1))
    return Layout(columns, max(area.rows // (height + 1), 1), width, height)


def last_at_or_before(steps: Sequence[Step], number: int) -> Step | None:
    """Return the last step up to `number` that has a picture; `steps` ascend."""
    found = None
    for step in steps:
        if step.step > number:
            break
        if step.status == "ok" and step.picture is not None:
            found = step
    return found


def spread(first: int, last: int, count: int, wanted: int) -> tuple[int, ...]:
    """Return at most `count` steps from `first` to `last`, evenly spaced, `wanted` among them."""
    if last <= first or count < 2:
        return (min(max(wanted, first), last),)
    count = min(count, last - first + 1)
    steps = [first + round(n * (last - first) / (count - 1)) for n in range(count)]
    if first <= wanted <= last and wanted not in steps:
        near = min(range(len(steps)), key=lambda n: abs(steps[n] - wanted))
        steps[near] = wanted
    return tuple(sorted(set(steps)))


def page_of(at: int, size: int) -> int:
    """Return the first place of the page of `size` that holds place `at`."""
    return at - at % max(size, 1)
