"""The demo's thirteen initial images, drawn by code after the paper's Table 1.

Each drawing function takes (width, height, random) and returns RGB in 0 to 1, float32,
shape (height, width, 3). Drawing happens at twice the size and is averaged down.
"""

import importlib
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

_OVERSAMPLING = 2


class Scene(Struct, frozen=True):
    """One initial image: its size, its drawing function, and words for its summaries."""

    size: tuple[int, int]
    draw: str
    store: str
    scene: str
    part: str
    other: str
    surface: str


@cache
def scenes() -> dict[str, Scene]:
    """Return the initial images by name, alphabetically."""
    text = files("b100tui.engine.scenes").joinpath("scenes.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Scene])


def draw_scene(name: str, seed: int, size: tuple[int, int] | None = None) -> bytes:
    """Return the encoded initial image `name`; the same seed gives the same bytes.

    `size` is (width, height) in pixels, by default that of scenes.toml.
    """
    import cv2
    import numpy as np

    from b100tui.editors.schedule import generator

    scene = scenes()[name]
    width, height = size or scene.size
    module, function = scene.draw.split(".")
    paint = getattr(importlib.import_module(f"b100tui.engine.scenes.{module}"), function)
    big = paint(width * _OVERSAMPLING, height * _OVERSAMPLING, generator("scene", seed, name))
    small = cv2.resize(np.clip(big, 0, 1), (width, height), interpolation=cv2.INTER_AREA)
    eight = np.round(np.asarray(small, np.float32) * 255).astype(np.uint8)
    swapped = cv2.cvtColor(eight, cv2.COLOR_RGB2BGR)
    if scene.store == "png":
        _, buffer = cv2.imencode(".png", swapped, [cv2.IMWRITE_PNG_COMPRESSION, 6])
    else:
        _, buffer = cv2.imencode(".jpg", swapped, [cv2.IMWRITE_JPEG_QUALITY, 96])
    return bytes(buffer)
