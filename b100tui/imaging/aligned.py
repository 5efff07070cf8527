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
    residual = step.astype(np.float32) - other.astype(np.float32)
    error = float(np.mean(residual[inside] ** 2))
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


def changes(residual: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where a step changed, (H, W): the smoothed residual (H, W, 3) beyond its noise.

    A tone common to the whole picture (the median by channel) is taken out first. The noise
    is the residual's own, from the MAD of its finest differences, shrunk by the smoothing.
    """
    toned = residual - np.median(residual[inside], axis=0)
    smooth = cv2.blur(toned, (SMOOTH, SMOOTH))
    fine = toned[:, 1:] - toned[:, :-1]
    both = inside[:, 1:] & inside[:, :-1]
    sigma = 1.4826 * float(np.median(np.abs(fine[both]))) / np.sqrt(2.0)
    limit = max(LEAST_CHANGE, CHANGED_SIGMAS * sigma / SMOOTH)
    strongest = np.max(np.abs(np.asarray(smooth)), axis=2)
    return np.asarray((strongest > limit) & inside, dtype=np.bool_)


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
