"""Decoding to a preview and to pixels, against other decoders on the same pictures.

Run by hand: python -m tests.bench.bench_decode. Prints CPU milliseconds of one thread, the best
of five, and ratios; the pictures are made here (5632x3008, detail at every octave plus grain).
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

SIZE = (5632, 3008)
BOX = (1408, 1408)


def main() -> None:
    cv2.setNumThreads(1)
    import pyvips

    pyvips.cache_set_max(0)
    with tempfile.TemporaryDirectory() as folder:
        image = Image.fromarray(picture())
        for kind, options in (("png", {}), ("jpg", {"quality": 95}), ("webp", {"quality": 90})):
            path = Path(folder) / f"a.{kind}"
            image.save(path, **options)
            print(f"\n{kind}, {path.stat().st_size / 1e6:.1f} MB, to {BOX[0]} wide")
            compare(
                {
                    "b100 preview": lambda path=path: preview(path, BOX),
                    "Pillow thumbnail": lambda path=path: thumbnail(path),
                    "Pillow draft + box": lambda path=path: draft(path),
                    "pyvips thumbnail": lambda path=path: pyvips.Image.thumbnail(
                        str(path), BOX[0]
                    ).write_to_memory(),
                    "OpenCV + area": lambda path=path: area(path),
                }
            )
            print(f"{kind}, whole picture")
            compare(
                {
                    "b100 decode": lambda path=path: decode(path),
                    "Pillow load": lambda path=path: np.asarray(Image.open(path).convert("RGB")),
                    "OpenCV imread": lambda path=path: cv2.imread(str(path)),
                    "pyvips": lambda path=path: pyvips.Image.new_from_file(
                        str(path)
                    ).write_to_memory(),
                }
            )


def compare(ways: dict[str, Callable[[], Any]]) -> None:
    """Print each way's best CPU time, and the first one's ratio to the fastest other and Pillow."""
    times = {name: min(cpu_ms(way) for _ in range(5)) for name, way in ways.items()}
    for name, ms in times.items():
        print(f"  {name:<20} {ms:7.0f} ms")
    ours, *others = times
    fastest = min(others, key=times.__getitem__)
    print(
        f"  {ours}: {times[ours] / times[fastest]:.2f} of the fastest other ({fastest}), "
        f"{times[ours] / times[others[0]]:.2f} of {others[0]}"
    )


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
