"""Sixel: 64 colours, one sequence a frame, under 1 MiB.

The band encoder is textual-image's (fewer bytes than our own attempt): its private module
does not probe the terminal at import, which a test holds with the pinned version.
"""

import re
from typing import TYPE_CHECKING

from b100tui.terminal.frames import Area, Frame, Quality

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS = 64
_DEFINITION = re.compile(r"#(\d+);2;\d+;\d+;\d+")
# tmux drops any sequence over 1 MiB.
MAX_BYTES = 1 << 20


class Sixels:
    """The encoder; there is no rough sixel: the terminal cannot scale one."""

    name = "sixel"
    has_rough = False

    def pixels(self, area: Area, quality: Quality) -> tuple[int, int]:
        """Return the area in pixels, its height a multiple of 6 so that no band sticks out."""
        width, height = area.columns * area.cell_width, area.rows * area.cell_height
        return width, max(height - height % 6, 6)

    def encode(self, picture: "Image", area: Area, quality: Quality = "sharp") -> Frame:
        """Return the sixel sequence of `picture` (RGB); fewer colours if it passes 1 MiB."""
        from textual_image._sixel import SixelOptions, image_to_sixels

        payload = ""
        for colours in (COLOURS, COLOURS // 2, COLOURS // 4, 2):
            payload = _selected(image_to_sixels(picture, SixelOptions(colors=colours)))
            if len(payload) < MAX_BYTES:
                break
        return Frame(
            protocol=self.name,
            columns=area.columns,
            rows=area.rows,
            quality=quality,
            payload=payload,
            bytes=len(payload),
        )


def _selected(payload: str) -> str:
    """Return `payload` with each colour selected where it is defined.

    xterm takes a definition as that alone and draws on with the colour before, so that the
    first band shows pixels of a wrong colour; other terminals select by it as DEC's did.
    """
    return _DEFINITION.sub(r"\g<0>#\1", payload)
