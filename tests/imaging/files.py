"""Writes odd picture files for the imaging tests."""

import io
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def noise(width: int = 40, height: int = 30, seed: int = 1) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def smooth(width: int, height: int) -> Image.Image:
    """A picture of few frequencies, which lossy formats keep."""
    small = Image.fromarray(noise(9, 7))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def png(width: int, height: int, depth: int, kind: int, rows: bytes, **chunks: bytes) -> bytes:
    """A PNG by hand: any bit depth and colour type; `rows` start with a filter byte each."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    extra: Mapping[str, bytes] = chunks
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + b"".join(chunk(name.encode(), data) for name, data in extra.items())
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def turned(image: Image.Image, orientation: int, kind: str = "JPEG", **options: Any) -> bytes:
    """The picture with an EXIF orientation; its pixels as they are."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(image, kind, exif=exif.tobytes(), **options)
