"""Runs of small pictures with damage of one kind planted from a known step on."""

from collections.abc import Iterable

import cv2
import numpy as np

from b100tui.analysis.signals import ALIGNED_TEXTURE
from b100tui.imaging.align import align, prepare
from b100tui.imaging.aligned import measure as measure_aligned
from b100tui.metrics.probes import AGAINST, ALONE, measure
from tests.imaging.pairs import Pixels, moved, noisy, scene

LAST = 26
DAMAGE = ("noise", "tint", "blur", "halo", "grid")
Series = dict[str, dict[int, float | None]]


def damaged(picture: Pixels, kind: str, amount: float) -> Pixels:
    """The picture after `amount` steps of one kind of damage (zoom is drift, not damage)."""
    if amount <= 0 or kind == "none":
        return picture
    if kind == "noise":
        return noisy(picture, 1.5 * amount, int(amount))
    if kind == "tint":
        shift = np.array([-1.2, 0.9, -0.8]) * amount
        return np.asarray(np.clip(picture + shift, 0, 255), np.uint8)
    if kind == "blur":
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.35 * amount**0.5 + 0.25))
    if kind == "halo":
        soft = cv2.GaussianBlur(picture, (0, 0), 2.0).astype(float)
        return np.asarray(np.clip(picture + 0.25 * amount * (picture - soft), 0, 255), np.uint8)
    if kind == "grid":
        y, x = np.mgrid[0 : picture.shape[0], 0 : picture.shape[1]]
        lattice = np.cos(2 * np.pi * x / 8) + np.cos(2 * np.pi * y / 8)
        return np.asarray(np.clip(picture + amount * lattice[..., None], 0, 255), np.uint8)
    return moved(picture, zoom=0.004 * amount)


def trajectory(
    kind: str,
    first: int,
    seed: int,
    *,
    last: int = LAST,
    shape: tuple[int, int] = (192, 256),
    most: float = np.inf,
) -> dict[int, Pixels]:
    """Every step is redrawn with a little noise and tone of its own; damage grows from `first`.

    The tone is AR(1) with 0.5; damage stops growing at `most` steps of it.
    """
    rng = np.random.default_rng(seed)
    picture = scene(seed, shape)
    tone = 0.0
    out = {}
    for step in range(1, last + 1):
        tone = 0.5 * tone + rng.normal(0, 0.25)
        bad = damaged(picture, kind, min(most, step - first + 1))
        clean = np.clip(bad + tone, 0, 255).astype(np.uint8)
        out[step] = noisy(clean, 2.0 + rng.normal(0, 0.03), 1000 * seed + step)
    return out


def probed(
    steps: dict[int, Pixels],
    *,
    aligned: Iterable[int] = (),
    only: Iterable[str] | None = None,
) -> Series:
    """The probes of every step, and what alignment gives at the `aligned` ones."""
    out: Series = {}
    prepared = prepare(steps[1])
    names = None if only is None else tuple(only)
    for step, picture in steps.items():
        for name, value in measure(picture, names or ALONE).items():
            out.setdefault(name, {})[step] = value
        if step > 1:
            for name, value in measure(picture, AGAINST, steps[1]).items():
                if name not in ("ssim", "psnr"):
                    out.setdefault(name, {})[step] = value
        if step > 1 and step in aligned:
            found = align(prepared, picture)
            left = measure_aligned(steps[1], picture, found)
            out.setdefault("zoom", {})[step] = found.zoom_pct
            if left is not None and not left.note:
                out.setdefault("ssim", {})[step] = left.ssim
                out.setdefault("psnr", {})[step] = left.psnr
                out.setdefault(ALIGNED_TEXTURE, {})[step] = left.texture_ratio
    return out
