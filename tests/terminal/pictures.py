"""Small pictures made by rule, and decoders of what the encoders wrote."""

import base64
import io
import re

from PIL import Image


def gradient(width: int, height: int) -> Image.Image:
    image = Image.new("RGB", (width, height))
    image.putdata(
        [
            (x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1), 90)
            for y in range(height)
            for x in range(width)
        ]
    )
    return image


def four_colours(width: int, height: int) -> Image.Image:
    inks = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))
    image = Image.new("RGB", (width, height))
    image.putdata(
        [
            inks[(x >= width // 2) + 2 * (y >= height // 2)]
            for y in range(height)
            for x in range(width)
        ]
    )
    return image


def read_kitty(commands: list[str]) -> tuple[dict[str, str], Image.Image]:
    """Return the keys of the first command and the picture of all."""
    keys: dict[str, str] = {}
    data = ""
    for number, command in enumerate(commands):
        found = re.fullmatch(r"\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\", command)
        assert found, command[:60]
        pairs = dict(pair.split("=") for pair in found[1].split(","))
        assert pairs["m"] == ("0" if number == len(commands) - 1 else "1")
        keys = keys or pairs
        data += found[2]
    return keys, Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def read_sixel(text: str, below: Image.Image | None = None, top: int = 0) -> Image.Image:
    """Draw a sixel sequence: colours in percent, repeats, carriage returns, bands of six.

    Onto `below` from its row `top` on where given; else onto black of its own size.
    """
    found = re.fullmatch(r'\x1bP0;([01]);0q"1;1;(\d+);(\d+)(.*)\x1b\\', text, re.DOTALL)
    assert found
    width, height = int(found[2]), int(found[3])
    image = below or Image.new("RGB", (width, height))
    if found[1] == "0":
        image.paste((0, 0, 0), (0, top, width, top + height))
    inks: dict[int, tuple[int, int, int]] = {}
    ink = (0, 0, 0)
    x = band = 0
    token = r"#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])"
    for m in re.finditer(token, found[4]):
        if m[1]:
            if m[2]:
                inks[int(m[1])] = tuple(round(int(m[n]) * 2.55) for n in (2, 3, 4))
            ink = inks[int(m[1])]
        elif m[8]:
            x, band = 0, band + (m[8] == "-")
        else:
            bits = ord(m[6] or m[7]) - 63
            count = int(m[5] or 1)
            for column in range(x, x + count):
                for row in range(6):
                    if bits >> row & 1 and band * 6 + row < height:
                        image.putpixel((column, top + band * 6 + row), ink)
            x += count
    return image
