"""Steps to look at: photographs that get grainier, 1408 pixels wide."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter


def make_steps(root: Path, count: int, size: tuple[int, int] = (1408, 739)) -> None:
    """Write `count` PNGs named 000.png on, each with more grain and contrast than the last."""
    made = np.random.default_rng(1)
    layers = []
    for fine in (6, 24, 96, 352):
        small = made.integers(0, 256, (max(fine * size[1] // size[0], 2), fine, 3), np.uint8)
        layers.append(Image.fromarray(small).resize(size, Image.Resampling.BICUBIC))
    picture = layers[0]
    for share, layer in zip((0.4, 0.3, 0.2), layers[1:], strict=True):
        picture = Image.blend(picture, layer, share)
    base = np.asarray(picture.filter(ImageFilter.SHARPEN), np.int16)
    grain = made.normal(0, 1, (size[1] + count, size[0] + count, 3)).astype(np.float32)
    for step in range(count):
        # Another part of one field of grain: new grain for each step without making it anew.
        part = grain[step : step + size[1], step : step + size[0]]
        noisy = base + (part * (2 + 20 * step / count)).astype(np.int16)
        shown = Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))
        shown.save(root / f"{step:03}.png", compress_level=1)
