"""iTerm2's inline pictures: JPEG bytes as they are (iTerm2, WezTerm, VS Code).

Protocol: https://iterm2.com/documentation-images.html
"""

import base64
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from b100tui.terminal.frames import Area, Frame, Quality, most_bytes, scaled_pixels

if TYPE_CHECKING:
    from PIL.Image import Image

STRIP_BYTES = 10_000  # about; the tables of each JPEG cost most of a kilobyte
MOST_ROWS = 4


class InlineJpeg:
    """The encoder: JPEG q85, or q70 at half size while rough; the terminal scales it."""

    name = "iterm"
    has_rough = True

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return the area in pixels, or half of it a side while rough."""
        return scaled_pixels(area, quality)

    def encode(self, picture: "Image", area: Area, quality: Quality = "sharp") -> Frame:
        """Return the OSC 1337 sequence that draws `picture` (RGB) over the area's cells."""
        most = most_bytes(area, quality)
        data, level = b"", 0
        for level in (70, 40, 15) if quality == "rough" else (85, 70, 40):
            data = _jpeg(picture, level)
            if len(data) <= most * 3 // 4:  # base64 adds a third
                break
        payload = _sequence(data, area.columns, area.rows)
        return Frame(
            protocol=self.name,
            columns=area.columns,
            rows=area.rows,
            quality=quality,
            payload=payload,
            strips=tuple(_strips(picture, area, level, len(payload))),
            bytes=len(payload),
        )


def _strips(picture: "Image", area: Area, level: int, size: int) -> Iterator[tuple[int, str]]:
    """Yield the picture, `size` bytes as one, in strips of whole rows, each a picture of its own.

    iTerm2 3.5 takes one picture in parts (MultipartFile), other terminals do not; strips are
    drawn by all.
    """
    many = min(max(STRIP_BYTES * area.rows // size, 1), MOST_ROWS)
    for row in range(0, area.rows, many):
        rows = min(many, area.rows - row)
        top, bottom = (at * picture.height // area.rows for at in (row, row + rows))
        part = picture.crop((0, top, picture.width, max(bottom, top + 1)))
        yield row, _sequence(_jpeg(part, level), area.columns, rows)


def _jpeg(picture: "Image", level: int) -> bytes:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=level)
    return file.getvalue()


def _sequence(data: bytes, columns: int, rows: int) -> str:
    keys = (
        f"inline=1;size={len(data)};width={columns};height={rows};"
        "preserveAspectRatio=0;doNotMoveCursor=1"
    )
    return f"\x1b]1337;File={keys}:{base64.b64encode(data).decode('ascii')}\x07"
