"""Decoding to a preview and to pixels, against other decoders on the same pictures.

Run by hand: python -m tests.bench.bench_decode. Prints CPU milliseconds of one thread, the best
of five, beside the fastest other; the pictures are made here (detail at every octave plus grain).
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from b100tui.imaging.decode import decode
from b100tui.imaging.preview import preview
from tests.bench.bars import tell

SIZE = (5632, 3008)
BOX = (1408, 1408)
OPTIONS: dict[str, dict[str, int]] = {"png": {}, "jpg": {"quality": 95}, "webp": {"quality": 90}}
CASES: tuple[tuple[tuple[int, int], str, float | None], ...] = (
    (SIZE, "png", 500.0),
    ((2816, 1504), "png", 110.0),
    (SIZE, "jpg", 100.0),
    (SIZE, "webp", None),
)


def main() -> None:
    cv2.setNumThreads(1)
    import pyvips

    pyvips.cache_set_max(0)
    with tempfile.TemporaryDirectory() as folder:
        for size, kind, bar in CASES:
            path = Path(folder) / f"a-{size[0]}.{kind}"
            Image.fromarray(picture(size)).save(path, **OPTIONS[kind])
            name = f"{size[0]}x{size[1]} {kind}"
            compare(
                f"preview of {name}",
                bar,
                {
                    "b100 preview": lambda path=path: preview(path, BOX),
                    "Pillow thumbnail": lambda path=path: thumbnail(path),
                    "Pillow draft + box": lambda path=path: draft(path),
                    "pyvips thumbnail": lambda path=path: pyvips.Image.thumbnail(
                        str(path), BOX[0]
                    ).write_to_memory(),
                    "OpenCV + area": lambda path=path: area(path),
                },
            )
            compare(
                f"decode of {name}",
                None,
                {
                    "b100 decode": lambda path=path: decode(path),
                    "Pillow load": lambda path=path: np.asarray(Image.open(path).convert("RGB")),
                    "OpenCV imread": lambda path=path: cv2.imread(str(path)),
                    "pyvips": lambda path=path: pyvips.Image.new_from_file(
                        str(path)
                    ).write_to_memory(),
                },
            )


def compare(name: str, bar: float | None, ways: dict[str, Callable[[], Any]]) -> None:
    """Tell the first way's best CPU time beside the fastest other's; its bar, and 1.15 of that."""
    times = {way: min(cpu_ms(call) for _ in range(5)) for way, call in ways.items()}
    ours, *others = times
    fastest = min(others, key=times.__getitem__)
    peer = (f"{fastest}, the fastest other", times[fastest])
    tell(name, times[ours], "ms", () if bar is None else bar, peer=peer)
    if bar is not None and "png" in name:
        ratio = times[ours] / times[fastest]
        tell(f"{name}, over the fastest other", ratio, "x", 1.15)


def cpu_ms(way: Callable[[], Any]) -> float:
    started = time.process_time()
    way()
    return 1000 * (time.process_time() - started)


def thumbnail(path: Path) -> Image.Image:
    image = Image.open(path)
    image.thumbnail(BOX)
    return image


def draft(path: Path) -> Image.Image:
    image = Image.open(path)
    image.draft("RGB", (1408, 752))
    return image.convert("RGB").resize((1408, 752), Image.Resampling.BOX)


def area(path: Path) -> Any:
    return cv2.resize(cv2.imread(str(path)), (1408, 752), interpolation=cv2.INTER_AREA)


def picture(size: tuple[int, int] = SIZE, grain: float = 3.0) -> np.ndarray[Any, Any]:
    """Return detail at every octave with Gaussian grain, uint8 (height, width, 3)."""
    rng = np.random.default_rng(1)
    total = np.full((size[1], size[0], 3), 128, np.float32)
    for octave in range(2, 10):
        small = rng.normal(0, 1, (max(2, size[1] >> octave), max(2, size[0] >> octave), 3))
        total += 3.0 * octave * cv2.resize(small.astype(np.float32), size)
    total += rng.normal(0, grain, (size[1], size[0], 1)).astype(np.float32)
    return np.clip(total, 0, 255).astype(np.uint8)


if __name__ == "__main__":
    main()
