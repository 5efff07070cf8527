"""iTerm2's inline pictures: JPEG bytes as they are (iTerm2, WezTerm, VS Code).

Protocol: https://iterm2.com/documentation-images.html
"""

import base64
import io
from typing import TYPE_CHECKING

from b100tui.terminal.frames import Area, Frame, Quality, most_bytes

if TYPE_CHECKING:
    from PIL.Image import Image


class InlineJpeg:
    """The encoder: JPEG q85, or q70 at half size while rough; the terminal scales it."""

    name = "iterm"
    has_rough = True

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return the area in pixels, or half of it a side while rough."""
        width, height = area.columns * area.cell_width, area.rows * area.cell_height
        if quality == "rough":
            return max(width // 2, 1), max(height // 2, 1)
        return width, height

    def encode(self, picture: "Image", area: Area, quality: Quality = "sharp") -> Frame:
        """Return the OSC 1337 sequence that draws `picture` (RGB) over the area's cells."""
        most = most_bytes(area, quality) * 3 // 4  # base64 adds a third
        data = b""
        for level in (70, 40, 15) if quality == "rough" else (85, 70, 40):
            file = io.BytesIO()
            picture.save(file, "JPEG", quality=level)
            data = file.getvalue()
            if len(data) <= most:
                break
        keys = (
            f"inline=1;size={len(data)};width={area.columns};height={area.rows};"
            "preserveAspectRatio=0;doNotMoveCursor=1"
        )
        payload = f"\x1b]1337;File={keys}:{base64.b64encode(data).decode('ascii')}\x07"
        return Frame(
            protocol=self.name,
            columns=area.columns,
            rows=area.rows,
            quality=quality,
            payload=payload,
            bytes=len(payload),
        )
