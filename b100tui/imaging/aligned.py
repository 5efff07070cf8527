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
LEAST_OUTSIDE = 0.1  # share of the overlap that must be unchanged to be measured alone
BYTE = 128  # whole numbers from -BYTE to BYTE - 1 are counted as bytes


class Outside(Struct, frozen=True, kw_only=True):
    """The measures over what a step left alone: outside its changed region and a rim about it."""

    psnr: float | None
    ssim: float
    texture_ratio: float | None


class Aligned(Struct, frozen=True, kw_only=True):
    """Reference-based measures over the part that both pictures show.

    `psnr` in dB (None where nothing differs: it would be infinite), `ssim` -1 to 1 (luma,
    Gaussian window of sigma 1.5, Wang et al. 2004), `changed_share` 0 to 1, `no_op`: the model
    changed nothing that holds over SMOOTH pixels beyond a change of tone common to the whole
    picture. `texture_ratio` is the gradient energy of the step's luma over that of the warped
    reference's, which resampling softened alike (None where that is flat). `overlap` is the share
    of the step that the reference covers. `outside` holds the measures where nothing changed, None
    where less than LEAST_OUTSIDE of the overlap is left. `note` reads "misaligned" when the
    pictures were compared as they lie; changed share, no-op and `outside` are then None.
    """

    psnr: float | None
    ssim: float
    changed_share: float | None
    no_op: bool | None
    overlap: float
    texture_ratio: float | None = None
    outside: Outside | None = None
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
    planes = _luma(other), _luma(step)
    similar = _similarity(*planes)
    return Aligned(
        psnr=_psnr(error),
        ssim=_mean_inside(similar, inside),
        texture_ratio=_texture_ratio(*planes, inside),
        outside=None if changed is None else _outside(residual, similar, planes, inside, changed),
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
    mask = inside.astype(np.uint8)
    tone = np.array([_median(residual, mask, (channel,)) for channel in range(3)])
    fine = np.asarray(cv2.absdiff(residual[:, 1:], residual[:, :-1]), dtype=np.int16)
    sigma = 1.4826 * _median(fine, mask[:, 1:] & mask[:, :-1], (0, 1, 2)) / np.sqrt(2.0)
    limit = max(LEAST_CHANGE, CHANGED_SIGMAS * sigma / SMOOTH)
    smooth = cv2.boxFilter(residual, cv2.CV_32F, (SMOOTH, SMOOTH))
    within = cv2.inRange(smooth, tone - limit, tone + limit)
    return np.asarray((within == 0) & inside, dtype=np.bool_)


def _median(values: NDArray[np.int16], mask: NDArray[np.uint8], channels: tuple[int, ...]) -> float:
    """Return the median of these channels of whole numbers (H, W, 3) where the mask is not 0.

    Bytes are counted several times faster than they are sorted: what lies beyond their reach is
    moved to its end, which leaves a middle inside it where it was.
    """
    near = cv2.convertScaleAbs(np.maximum(values, -BYTE), beta=BYTE)
    counts = np.zeros(2 * BYTE, dtype=np.int64)
    for channel in channels:
        one = cv2.calcHist([near], [channel], mask, [2 * BYTE], [0, 2 * BYTE])
        counts += one.ravel().astype(np.int64)
    reached = np.cumsum(counts)
    if not reached[-1]:
        return 0.0
    middle = np.array([(reached[-1] - 1) // 2, reached[-1] // 2])
    places = np.searchsorted(reached, middle, side="right")
    if places[0] == 0 or places[1] == 2 * BYTE - 1:
        return float(np.median(values[mask > 0][:, list(channels)]))
    return float(np.mean(places)) - BYTE


def _mean_square(residual: NDArray[np.int16], inside: NDArray[np.bool_]) -> float:
    # Blotting out what is outside is much faster than a masked sum; whole numbers stay exact.
    kept = cv2.copyTo(residual, inside.astype(np.uint8))
    count = residual.shape[2] * int(np.count_nonzero(inside))
    return float(cv2.norm(kept, cv2.NORM_L2SQR)) / count if count else 0.0


def _outside(
    residual: NDArray[np.int16],
    similar: NDArray[np.float32],
    planes: tuple[NDArray[np.float32], NDArray[np.float32]],
    inside: NDArray[np.bool_],
    changed: NDArray[np.bool_],
) -> Outside | None:
    """Return the measures where nothing changed; None where too little is left."""
    rim = np.ones((2 * SMOOTH + 1, 2 * SMOOTH + 1), np.uint8)
    left = inside & (cv2.dilate(changed.astype(np.uint8), rim) == 0)
    if float(left.sum()) < LEAST_OUTSIDE * float(inside.sum()):
        return None
    return Outside(
        psnr=_psnr(_mean_square(residual, left)),
        ssim=_mean_inside(similar, left),
        texture_ratio=_texture_ratio(*planes, left),
    )


def _psnr(error: float) -> float | None:
    return 10.0 * float(np.log10(255.0**2 / error)) if error > 0.0 else None


def _texture_ratio(
    reference: NDArray[np.float32], step: NDArray[np.float32], inside: NDArray[np.bool_]
) -> float | None:
    under, over = _energy(reference, inside), _energy(step, inside)
    return over / under if under > 0.0 else None


def _energy(plane: NDArray[np.float32], inside: NDArray[np.bool_]) -> float:
    """Return the mean squared luma step to the right plus that to the lower neighbour, inside."""
    total = 0.0
    for axis in (0, 1):
        both = inside[1:] & inside[:-1] if axis == 0 else inside[:, 1:] & inside[:, :-1]
        step = np.diff(plane, axis=axis)
        count = int(both.sum())
        total += float(cv2.norm(step, cv2.NORM_L2SQR, both.astype(np.uint8))) / max(1, count)
    return total


def _luma(pixels: Pixels) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.float32)


def _similarity(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the structural similarity around each pixel of two luma planes."""

    def local(plane: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.GaussianBlur(plane, (11, 11), 1.5), dtype=np.float32)

    mean_one, mean_other = local(one), local(other)
    var_one = local(one * one) - mean_one**2
    var_other = local(other * other) - mean_other**2
    both = local(one * other) - mean_one * mean_other
    low, high = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mean_one * mean_other + low) * (2 * both + high)
    bottom = (mean_one**2 + mean_other**2 + low) * (var_one + var_other + high)
    return np.asarray(top / bottom, dtype=np.float32)


def _mean_inside(similar: NDArray[np.float32], inside: NDArray[np.bool_]) -> float:
    # Windows that reach over the border of the shared part would compare with black.
    core = cv2.erode(inside.astype(np.uint8), np.ones((11, 11), np.uint8)) > 0
    core = core if core.any() else inside
    return float(np.mean(similar[core], dtype=np.float64))
