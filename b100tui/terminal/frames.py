"""What an encoder takes and gives: an area of cells, a picture, a frame of bytes.

Every protocol is one module with one class that fits `Encoder`; `encoders` lists them. A
frame holds no ids and no places: where it goes and under which id is decided when it is sent.
"""

from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from PIL.Image import Image

Quality = Literal["rough", "sharp"]
ROUGH_BYTES = 70_000  # for 80x21 cells of 10x20 pixels
SHARP_BYTES = 256_000
_USUAL_PIXELS = 800 * 420


class Area(Struct, frozen=True):
    """A rectangle of cells, and the size of one cell in pixels."""

    columns: int
    rows: int
    cell_width: int = 10
    cell_height: int = 20


class CellRow(Struct, frozen=True):
    """One row of half blocks: `columns` cells, finished text, and its two colours a cell.

    `ink` is 6 bytes a cell: upper RGB, lower RGB.
    """

    columns: int
    ink: bytes
    text: str


class Frame(Struct, frozen=True, kw_only=True):
    """One picture, encoded for one protocol and `columns` x `rows` cells.

    `rows_of_cells` is filled by half blocks, `payload` by the others (Kitty: base64 of a PNG;
    sixel and iTerm: the whole sequence). `strips` is the same picture as (row of cells,
    sequence) for links on which text would wait too long for the whole (iTerm). `bytes` is what
    the first showing costs on the link; `note` is what to know about the picture (how it was
    aligned, what could not be read); a `provisional` frame stands in until the alignment it
    waits for is known.
    """

    protocol: str
    columns: int
    rows: int
    quality: Quality = "sharp"
    payload: str = ""
    strips: tuple[tuple[int, str], ...] = ()
    rows_of_cells: tuple[CellRow, ...] = ()
    bytes: int = 0
    note: str = ""
    provisional: bool = False


def most_bytes(area: Area, quality: Quality) -> int:
    """Return what a frame of `area` may cost on the link; larger areas may cost more."""
    share = area.columns * area.cell_width * area.rows * area.cell_height / _USUAL_PIXELS
    return int((ROUGH_BYTES if quality == "rough" else SHARP_BYTES) * max(share, 1.0))


def scaled_pixels(area: Area, quality: Quality) -> tuple[int, int]:
    """Return the pixels to send where the terminal scales: the area's, half a side while rough."""
    width, height = area.columns * area.cell_width, area.rows * area.cell_height
    if quality == "rough":
        return max(width // 2, 1), max(height // 2, 1)
    return width, height


class Encoder(Protocol):
    """A protocol: how many pixels it wants for an area, and how they become bytes."""

    @property
    def name(self) -> str:
        """The protocol's name as in TerminalFacts.graphics."""

    @property
    def has_rough(self) -> bool:
        """Whether a cheaper rough frame exists."""

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return the width and height in pixels that `encode` wants for `area`."""

    def encode(self, picture: "Image", area: Area, quality: Quality) -> Frame:
        """Return the frame of an RGB picture that has the size `pixels` asked for."""


def fit_area(width: int, height: int, area: Area) -> Area:
    """Return the largest area inside `area` with the aspect of a `width` x `height` picture.

    At least one cell; exact to half a cell.
    """
    box_width, box_height = area.columns * area.cell_width, area.rows * area.cell_height
    scale = min(box_width / max(width, 1), box_height / max(height, 1))
    columns = round(width * scale / area.cell_width)
    rows = round(height * scale / area.cell_height)
    return Area(
        min(max(columns, 1), max(area.columns, 1)),
        min(max(rows, 1), max(area.rows, 1)),
        area.cell_width,
        area.cell_height,
    )
