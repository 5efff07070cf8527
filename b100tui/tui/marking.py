"""Choosing a failure mode by keys, and a region by cells. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from b100tui.report.marks import Level, Mode

LEVELS: tuple[Level, ...] = ("sub-object", "object", "image", "tag")
LEVEL_KEYS = {str(place): level for place, level in enumerate(LEVELS, 1)}
OWN_KEY = "w"  # with level tag: a word of one's own
Box = tuple[int, int, int, int]  # x, y, w, h
SMALLEST = 2  # cells


class Wanted(Struct, frozen=True, kw_only=True):
    """A mark that a person asked for; the step is known to whoever opened the choice."""

    mode: str
    region: Box | None = None
    note: str = ""


def pressed(modes: Sequence[Mode], level: Level | None, key: str) -> Level | Mode | None:
    """Return what a key means: a level, a mode of the level chosen before, or nothing."""
    if key in LEVEL_KEYS:
        return LEVEL_KEYS[key]
    if level is None:
        return None
    return next((one for one in modes if one.level == level and one.key == key), None)


def mode_name(modes: Sequence[Mode], id: str) -> str:
    """Return how a person calls a mode; own tags are called by their word."""
    return next((one.name for one in modes if one.id == id), id.removeprefix("tag:"))


class Placed(Struct, frozen=True):
    """Where a picture lies on the screen, in cells, and which source pixels it shows.

    `cells` and `source` are x, y, w, h; `size` is the whole picture's width and height.
    """

    cells: Box
    source: Box
    size: tuple[int, int]

    def first_box(self, below: int | None = None) -> Box:
        """Return a box of a third of the picture's cells in its middle.

        The picture counts down to the screen's row `below`, where something covers the rest.
        """
        x, y, width, height = self.cells
        if below is not None:
            height = max(SMALLEST, min(height, below - y))
        wide, high = max(SMALLEST, width // 3), max(SMALLEST, height // 3)
        return (x + (width - wide) // 2, y + (height - high) // 2, wide, high)

    def inside(self, box: Box) -> Box:
        """Return `box` moved and cut so that it lies on the picture."""
        x, y, width, height = self.cells
        wide = min(max(box[2], SMALLEST), width)
        high = min(max(box[3], SMALLEST), height)
        return (
            min(max(box[0], x), x + width - wide),
            min(max(box[1], y), y + height - high),
            wide,
            high,
        )

    def between(self, one: tuple[int, int], other: tuple[int, int]) -> Box:
        """Return the box with two cells in its corners."""
        left, right = sorted((one[0], other[0]))
        top, bottom = sorted((one[1], other[1]))
        return self.inside((left, top, right - left + 1, bottom - top + 1))

    def region(self, box: Box) -> Box:
        """Return the source pixels under a box of cells, inside the picture."""
        x, y, width, height = self.cells
        across, down = self.source[2] / max(1, width), self.source[3] / max(1, height)
        left = self.source[0] + round((box[0] - x) * across)
        top = self.source[1] + round((box[1] - y) * down)
        left = min(max(left, 0), self.size[0] - 1)
        top = min(max(top, 0), self.size[1] - 1)
        return (
            left,
            top,
            max(1, min(round(box[2] * across), self.size[0] - left)),
            max(1, min(round(box[3] * down), self.size[1] - top)),
        )


def window(
    size: tuple[int, int], zoom: int, centre: tuple[int, int] | None, pixels: tuple[int, int]
) -> Box:
    """Return the source pixels in view: all when fitted, else those around `centre`.

    `pixels` is the picture's area in pixels of the screen.
    """
    if not zoom:
        return (0, 0, *size)
    wide, high = min(pixels[0] // zoom, size[0]), min(pixels[1] // zoom, size[1])
    x, y = centre or (size[0] // 2, size[1] // 2)
    return (
        min(max(x - wide // 2, 0), size[0] - wide),
        min(max(y - high // 2, 0), size[1] - high),
        wide,
        high,
    )
