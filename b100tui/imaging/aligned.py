"""What is left between a step and the reference once the drift is taken out."""

import cv2
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from b100tui.imaging.align import Alignment, warp_reference
from b100tui.imaging.ecc import Pixels

NO_OP_SHARE = 0.002  # a changed share below this is no edit
CHANGED_SIGMAS = 4.0  # of the residual's own noise after smoothing
LEAST_CHANGE = 3.0  # grey levels (0..255); rounding and recompression stay below
SMOOTH = 9  # pixels, side of the window over which a change must hold
OFFSET = 510  # the largest difference of two residuals of 8-bit pictures


class Aligned(Struct, frozen=True, kw_only=True):
    """Reference-based measures over the part that both pictures show.

    `psnr` in dB (None where nothing differs: it would be infinite), `ssim` -1 to 1 (luma,
    Gaussian window of sigma 1.5, Wang et al. 2004), `changed_share` 0 to 1, `no_op`: the model
    changed nothing that holds over SMOOTH pixels beyond a change of tone common to the whole
    picture. `overlap` is the share of the step that the reference covers. `note` reads
    "misaligned" when the pictures were compared as they lie; changed share and no-op are then
    None.
    """

    psnr: float | None
    ssim: float
    changed_share: float | None
    no_op: bool | None
    overlap: float
    note: str = ""


def measure(reference: Pixels, step: Pixels, found: Alignment) -> Aligned | None:
    """Return the measures of `step` against `reference`, both (H, W, 3) uint8.

    None when there is no alignment and the sizes differ: nothing can be compared then.
    """
    if found.matrix is None and reference.shape != step.shape:
        return None
    other, inside = onto(reference, step.shape, found)
    if not inside.any():
        return None
    residual = np.asarray(cv2.subtract(step, other, dtype=cv2.CV_16S), dtype=np.int16)
    error = _mean_square(residual, inside)
    changed = None if found.matrix is None else changes(residual, inside)
    share = None if changed is None else float(changed[inside].mean())
    return Aligned(
        psnr=10.0 * float(np.log10(255.0**2 / error)) if error > 0.0 else None,
        ssim=_ssim(_luma(other), _luma(step), inside),
        changed_share=share,
        no_op=None if share is None else share < NO_OP_SHARE,
        overlap=float(inside.mean()),
        note="misaligned" if found.matrix is None else "",
    )


def onto(
    reference: Pixels, shape: tuple[int, ...], found: Alignment
) -> tuple[Pixels, NDArray[np.bool_]]:
    """Return the reference as the step shows it, (H, W, 3), and where it exists, (H, W).

    Without an alignment the reference is returned as it is, which must have the step's shape.
    """
    whole = np.ones(shape[:2], dtype=np.bool_)
    if found.matrix is None or found.status == "identical":
        return reference, whole
    warped = warp_reference(reference, found, shape)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cover = np.full(reference.shape[:2], 255, dtype=np.uint8)
    inside = cv2.warpAffine(cover, found.affine, (shape[1], shape[0]), flags=flags) == 255
    return warped, np.asarray(inside, dtype=np.bool_)


def changes(residual: NDArray[np.int16], inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where a step changed, (H, W): the smoothed residual (H, W, 3) beyond its noise.

    A tone common to the whole picture (the median by channel) is taken out first. The noise
    is the residual's own, from the MAD of its finest differences, shrunk by the smoothing.
    """
    tone = np.array([_median(counts) - OFFSET for counts in _counts(residual, inside)])
    fine = np.asarray(cv2.absdiff(residual[:, 1:], residual[:, :-1]), dtype=np.int16)
    steps = sum(_counts(fine, inside[:, 1:] & inside[:, :-1]))
    sigma = 1.4826 * (_median(np.asarray(steps)) - OFFSET) / np.sqrt(2.0)
    limit = max(LEAST_CHANGE, CHANGED_SIGMAS * sigma / SMOOTH)
    smooth = cv2.boxFilter(residual, cv2.CV_32F, (SMOOTH, SMOOTH))
    within = cv2.inRange(smooth, tone - limit, tone + limit)
    return np.asarray((within == 0) & inside, dtype=np.bool_)


def _counts(residual: NDArray[np.int16], inside: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Return by channel how often each whole number -OFFSET to OFFSET stands in the residual.

    Whole numbers need no sorting: medians and means read off the counts are exact.
    """
    lifted = np.asarray(residual + OFFSET, dtype=np.uint16)
    mask = inside.astype(np.uint8)
    size, reach = [2 * OFFSET + 1], [0.0, 2.0 * OFFSET + 1.0]
    return [
        cv2.calcHist([lifted], [channel], mask, size, reach).ravel().astype(np.float64)
        for channel in range(residual.shape[2])
    ]


def _median(counts: NDArray[np.float64]) -> float:
    """Return the median place of a histogram; between the two middle ones of an even number."""
    reached = np.cumsum(counts)
    middle = np.array([(reached[-1] - 1) // 2, reached[-1] // 2])
    return float(np.mean(np.searchsorted(reached, middle, side="right")))


def _mean_square(residual: NDArray[np.int16], inside: NDArray[np.bool_]) -> float:
    squares = np.arange(-OFFSET, OFFSET + 1, dtype=np.float64) ** 2
    counts = np.sum(_counts(residual, inside), axis=0)
    return float(np.sum(counts * squares) / np.sum(counts))


def _luma(pixels: Pixels) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.float32)


def _ssim(one: NDArray[np.float32], other: NDArray[np.float32], inside: NDArray[np.bool_]) -> float:
    def local(plane: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.GaussianBlur(plane, (11, 11), 1.5), dtype=np.float32)

    mean_one, mean_other = local(one), local(other)
    var_one = local(one * one) - mean_one**2
    var_other = local(other * other) - mean_other**2
    both = local(one * other) - mean_one * mean_other
    low, high = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mean_one * mean_other + low) * (2 * both + high)
    bottom = (mean_one**2 + mean_other**2 + low) * (var_one + var_other + high)
    # Windows that reach over the border of the shared part would compare with black.
    core = cv2.erode(inside.astype(np.uint8), np.ones((11, 11), np.uint8)) > 0
    core = core if core.any() else inside
    return float(np.mean((top / bottom)[core], dtype=np.float64))
