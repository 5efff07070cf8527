"""Measures against the reference once the drift is taken out."""

import cv2
import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from b100tui.imaging.align import Alignment, align, prepare
from b100tui.imaging.aligned import (
    CHANGED_SIGMAS,
    LEAST_CHANGE,
    SMOOTH,
    changes,
    measure,
    onto,
)
from tests.imaging.pairs import Pixels, moved, noisy, scene

SCENE = scene(5)
STILL = Alignment(status="aligned", matrix=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0))


def both(step: Pixels) -> object:
    found = measure(SCENE, step, align(prepare(SCENE), step))
    assert found is not None
    return found


def test_psnr_and_ssim_match_scikit_image_when_nothing_moved() -> None:
    step = noisy(SCENE, 12)
    found = measure(SCENE, step, STILL)
    assert found is not None
    assert found.psnr == pytest.approx(peak_signal_noise_ratio(SCENE, step), abs=0.01)
    grey = [cv2.cvtColor(one, cv2.COLOR_RGB2GRAY) for one in (SCENE, step)]
    wanted = structural_similarity(
        *grey, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255
    )
    assert found.ssim == pytest.approx(wanted, abs=0.005)


def test_a_zoom_costs_little_once_aligned() -> None:
    step = moved(SCENE, zoom=0.02)
    unaligned = measure(SCENE, step, Alignment(status="unreliable", reason="not tried"))
    assert unaligned is not None and unaligned.note == "misaligned"
    assert unaligned.changed_share is None and unaligned.no_op is None
    found = both(step)
    assert found.ssim > unaligned.ssim + 0.1 and found.psnr > (unaligned.psnr or 0) + 6  # type: ignore[attr-defined]


def test_the_step_is_never_resampled() -> None:
    step = moved(SCENE, zoom=0.03, dx=4.0)
    before = step.copy()
    measure(SCENE, step, align(prepare(SCENE), step))
    assert np.array_equal(step, before)


def test_identical_pictures_have_no_error_and_are_a_no_op() -> None:
    found = both(SCENE.copy())
    assert found.psnr is None and found.ssim == pytest.approx(1.0)  # type: ignore[attr-defined]
    assert found.no_op and found.changed_share == 0.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("sigma", [2, 10])
def test_noise_zoom_and_tint_alone_are_no_edit(sigma: int) -> None:
    step = noisy(moved(SCENE, zoom=0.015, dx=2.0), sigma)
    tinted = np.clip(step.astype(int) + np.array([0, 6, -4]), 0, 255).astype(np.uint8)
    assert both(tinted).changed_share < 0.03  # type: ignore[attr-defined]


def test_an_added_object_is_an_edit_of_its_size() -> None:
    step = SCENE.copy()
    step[100:180, 200:300] = (20, 200, 40)
    found = both(noisy(step, 5))
    assert not found.no_op  # type: ignore[attr-defined]
    assert found.changed_share == pytest.approx(80 * 100 / (376 * 704), rel=0.25)  # type: ignore[attr-defined]


def test_zoom_out_covers_only_part_of_the_step() -> None:
    step = moved(SCENE, zoom=-0.1)
    found = align(prepare(SCENE), step)
    _, inside = onto(SCENE, step.shape, found)
    assert inside.mean() == pytest.approx(0.81, abs=0.02)


def test_different_sizes_without_alignment_cannot_be_compared() -> None:
    refused = Alignment(status="unreliable", reason="too little texture")
    assert measure(SCENE, SCENE[:100], refused) is None


@pytest.mark.parametrize("tones", [(3, 0, -5), (150, -140, 127), (-128, 200, -240)])
def test_the_changed_share_is_that_of_the_pixels_beyond_their_own_noise(
    tones: tuple[int, int, int],
) -> None:
    rng = np.random.default_rng(4)
    tone = np.array(tones, dtype=np.int16)
    residual = rng.integers(-6, 7, (64, 96, 3)).astype(np.int16) + tone
    residual[20:40, 30:60, 1] += 90
    inside = np.ones((64, 96), dtype=np.bool_)
    inside[:, :10] = False
    toned = residual - np.median(residual[inside], axis=0)
    fine = np.abs(np.diff(residual, axis=1))[(inside[:, 1:] & inside[:, :-1])]
    limit = max(LEAST_CHANGE, CHANGED_SIGMAS * 1.4826 * np.median(fine) / 2**0.5 / SMOOTH)
    smooth = cv2.blur(toned.astype(np.float32), (SMOOTH, SMOOTH))
    assert np.array_equal(changes(residual, inside), (np.abs(smooth).max(2) > limit) & inside)


def test_noise_beyond_the_reach_of_a_byte_is_no_change() -> None:
    """Stripes of the full range against their opposite: every finest difference is 510."""
    stripes = np.zeros((64, 96, 3), dtype=np.int16)
    stripes[:, ::2], stripes[:, 1::2] = 255, -255
    limit = CHANGED_SIGMAS * 1.4826 * 510 / 2**0.5 / SMOOTH
    bright = np.full_like(stripes, 0)
    bright[20:50, 30:60] = int(limit) - 60
    inside = np.ones((64, 96), dtype=np.bool_)
    assert not changes(np.clip(stripes + bright, -255, 255), inside).any()


def test_texture_is_held_against_the_reference_that_was_resampled_alike() -> None:
    """A zoom softens the step and the warped reference; blur softens the step alone."""
    zoomed = both(moved(SCENE, zoom=0.02))
    blurred = both(cv2.GaussianBlur(moved(SCENE, zoom=0.02), (0, 0), 0.8))
    assert zoomed.texture_ratio == pytest.approx(1.0, abs=0.05)  # type: ignore[attr-defined]
    assert blurred.texture_ratio < 0.8  # type: ignore[attr-defined]


def test_outside_an_added_object_nothing_differs() -> None:
    step = noisy(SCENE, 2)
    cv2.circle(step, (150, 150), 50, (220, 30, 40), -1)
    found = both(step)
    plain = both(noisy(SCENE, 2))
    assert found.ssim < plain.ssim - 0.02  # type: ignore[attr-defined]
    outside = found.outside  # type: ignore[attr-defined]
    assert outside is not None
    assert outside.ssim == pytest.approx(plain.ssim, abs=0.005)  # type: ignore[attr-defined]
    assert outside.texture_ratio == pytest.approx(plain.texture_ratio, abs=0.01)  # type: ignore[attr-defined]


def test_where_nearly_everything_changed_there_is_no_outside() -> None:
    step = SCENE.copy()
    step[20:-20, 20:-20] = 255 - step[20:-20, 20:-20]
    found = measure(SCENE, step, STILL)
    assert found is not None and found.outside is None
