"""Probes against closed forms and planted truth."""

import io

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from b100tui.metrics import probes
from b100tui.metrics.protocol import Failure
from tests.imaging.pairs import noisy, scene
from tests.shared_data import shared

Pixels = NDArray[np.uint8]


def grey(values: NDArray[np.float64]) -> Pixels:
    levels = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return np.repeat(levels[:, :, None], 3, axis=2)


def flat(colour: tuple[int, int, int], shape: tuple[int, int] = (96, 128)) -> Pixels:
    return np.full((*shape, 3), colour, np.uint8)


def noise(sigma: float, shape: tuple[int, int] = (512, 640), seed: int = 5) -> Pixels:
    return grey(128 + np.random.default_rng(seed).normal(0, sigma, shape))


def field(exponent: float, side: int = 1024) -> Pixels:
    """A random field whose power falls as frequency to the `exponent`."""
    rng = np.random.default_rng(11)
    radius = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :])
    radius[0, 0] = 1.0
    spectrum = np.fft.rfft2(rng.normal(0, 1, (side, side))) * radius ** (exponent / 2)
    spectrum[0, 0] = 0.0
    values = np.fft.irfft2(spectrum)
    return grey(128 + 40 * values / values.std())


def photograph() -> Pixels:
    return np.asarray(Image.open(shared("real/kodim03.png")).convert("RGB"))


@pytest.mark.parametrize("sigma", [2.0, 6.0, 15.0])
@pytest.mark.parametrize("probe", ["noise_sigma", "noise_wavelet"])
def test_planted_noise_is_recovered(probe: str, sigma: float) -> None:
    got = probes.measure(noise(sigma), [probe])[probe]
    assert got == pytest.approx(sigma, rel=0.03)


def test_planted_noise_on_a_photograph_is_recovered_within_its_texture() -> None:
    base = photograph()
    rng = np.random.default_rng(3)
    noisy = grey(base[:, :, 1].astype(float) + rng.normal(0, 12, base.shape[:2]))
    got = probes.measure(noisy, ["noise_sigma", "noise_wavelet"])
    assert got["noise_sigma"] == pytest.approx(12, rel=0.1)
    assert got["noise_wavelet"] == pytest.approx(12, rel=0.1)


def test_wavelet_noise_equals_scikit_image() -> None:
    from skimage.restoration import estimate_sigma

    luma = probes.luma_of(photograph())
    expected = estimate_sigma(luma.astype(np.float64))
    got = probes.measure(photograph(), ["noise_wavelet"])["noise_wavelet"]
    assert got == pytest.approx(float(expected), rel=0.02)


def test_gradient_energy_of_a_checkerboard() -> None:
    board = grey(255.0 * (np.indices((64, 64)).sum(axis=0) % 2))
    assert probes.measure(board, ["gradient_energy"])["gradient_energy"] == pytest.approx(
        2 * 255.0**2
    )


def test_laplacian_variance_of_a_checkerboard() -> None:
    board = grey(255.0 * (np.indices((64, 64)).sum(axis=0) % 2))
    got = probes.measure(board, ["laplacian_variance"])["laplacian_variance"]
    assert got == pytest.approx((4 * 255.0) ** 2)


def test_gradient_energy_of_white_noise_is_four_times_its_variance() -> None:
    got = probes.measure(noise(10), ["gradient_energy"])["gradient_energy"]
    assert got == pytest.approx(4 * (100 + 1 / 12), rel=0.02)


def test_high_frequency_share_of_white_noise_is_the_area_outside_the_circle() -> None:
    got = probes.measure(noise(20), ["high_frequency"])["high_frequency"]
    assert got == pytest.approx(1 - np.pi / 16, abs=0.005)


@pytest.mark.parametrize("exponent", [0.0, -1.0, -2.0])
def test_spectral_slope_of_a_power_law_field(exponent: float) -> None:
    got = probes.measure(field(exponent), ["spectral_slope"])["spectral_slope"]
    assert got == pytest.approx(exponent, abs=0.1)


@pytest.mark.parametrize(
    ("colour", "lab"),
    [
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 255, 0), (87.74, -86.18, 83.18)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
        ((255, 255, 255), (100.0, 0.0, 0.0)),
        ((119, 119, 119), (50.03, 0.0, 0.0)),
    ],
)
def test_mean_lab_of_known_colours(
    colour: tuple[int, int, int], lab: tuple[float, float, float]
) -> None:
    got = probes.measure(flat(colour), ["lab_l", "lab_a", "lab_b"])
    assert (got["lab_l"], got["lab_a"], got["lab_b"]) == pytest.approx(lab, abs=0.05)


def test_colour_cast_is_the_lab_distance_of_the_means() -> None:
    got = probes.measure(flat((0, 255, 0)), ["colour_cast"], flat((255, 0, 0)))
    expected = np.linalg.norm(np.subtract((87.74, -86.18, 83.18), (53.24, 80.09, 67.20)))
    assert got["colour_cast"] == pytest.approx(float(expected), abs=0.1)


def test_colour_cast_does_not_need_equal_sizes() -> None:
    got = probes.measure(flat((9, 9, 9), (5, 7)), ["colour_cast"], flat((9, 9, 9), (8, 3)))
    assert got["colour_cast"] == pytest.approx(0.0, abs=1e-6)


def test_colourfulness_by_its_formula() -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (90, 70, 3), dtype=np.uint8)
    red, green, blue = (pixels[:, :, channel].astype(float) for channel in range(3))
    rg, yb = red - green, (red + green) / 2 - blue
    expected = np.hypot(rg.std(), yb.std()) + 0.3 * np.hypot(rg.mean(), yb.mean())
    got = probes.measure(pixels, ["colourfulness"])["colourfulness"]
    assert got == pytest.approx(float(expected), rel=1e-4)


def test_saturation_is_the_mean_over_pixels_with_black_as_zero() -> None:
    pixels = np.array([[[0, 0, 0], [200, 100, 100], [255, 0, 0], [80, 80, 80]]], np.uint8)
    assert probes.measure(pixels, ["saturation"])["saturation"] == pytest.approx((0.5 + 1) / 4)


def test_clipped_counts_samples_at_either_end() -> None:
    pixels = np.array([[[0, 255, 7], [254, 1, 128]]], np.uint8)
    assert probes.measure(pixels, ["clipped"])["clipped"] == pytest.approx(2 / 6)


def test_entropy_of_equal_shares_is_their_number_in_bits() -> None:
    pixels = grey(np.tile(np.repeat(np.arange(16) * 16.0, 4), (32, 1)))
    assert probes.measure(pixels, ["entropy"])["entropy"] == pytest.approx(4.0)


def test_blockiness_rises_with_jpeg_compression_whatever_the_crop() -> None:
    original = photograph()
    packed = io.BytesIO()
    Image.fromarray(original).save(packed, "JPEG", quality=10)
    coarse = np.asarray(Image.open(packed))
    before = probes.measure(original, ["blockiness"])["blockiness"]
    after = probes.measure(coarse, ["blockiness"])["blockiness"]
    shifted = probes.measure(coarse[3:, 5:], ["blockiness"])["blockiness"]
    assert after > before + 0.3
    assert shifted == pytest.approx(after, rel=0.1)


def test_blockiness_of_white_noise_is_near_zero() -> None:
    assert probes.measure(noise(20), ["blockiness"])["blockiness"] == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("period", [8, 16])
@pytest.mark.parametrize("axis", [0, 1])
def test_grid_peak_finds_a_planted_grid(period: int, axis: int) -> None:
    base = noise(6).astype(float)[:, :, 0]
    line = 3.0 * np.cos(2 * np.pi * np.arange(base.shape[axis]) / period)
    planted = base + (line[:, None] if axis == 0 else line[None, :])
    with_grid = probes.measure(grey(planted), ["grid_peak"])["grid_peak"]
    without = probes.measure(grey(base), ["grid_peak"])["grid_peak"]
    assert with_grid > without + 10


def test_texture_ratio_of_doubled_contrast_is_four() -> None:
    got = probes.measure(noise(20), ["texture_ratio"], noise(10))
    assert got["texture_ratio"] == pytest.approx(4.0, rel=0.01)


def test_texture_ratio_compares_different_sizes_at_the_smaller_one() -> None:
    small = field(-2.0, 256)
    large = np.repeat(np.repeat(small, 2, axis=0), 2, axis=1)
    got = probes.measure(large, ["texture_ratio"], small)
    assert got["texture_ratio"] == pytest.approx(1.0, abs=1e-6)


def test_psnr_of_a_constant_offset() -> None:
    got = probes.measure(flat((110, 110, 110)), ["psnr"], flat((100, 100, 100)))
    assert got["psnr"] == pytest.approx(10 * np.log10(255**2 / 100))


def test_psnr_of_equal_pixels_is_a_named_failure() -> None:
    outcome = probes.examine(flat((1, 2, 3)), ["psnr"], flat((1, 2, 3)))["psnr"]
    assert isinstance(outcome, Failure)
    assert outcome.error == "identical"


def test_ssim_equals_scikit_image() -> None:
    from skimage.metrics import structural_similarity

    first, second = noise(20, (128, 160)), noise(20, (128, 160), seed=6)
    mixed = ((first.astype(int) + second) // 2).astype(np.uint8)
    expected = structural_similarity(
        probes.luma_of(first).astype(float),
        probes.luma_of(mixed).astype(float),
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=255,
    )
    got = probes.measure(mixed, ["ssim"], first)["ssim"]
    assert got == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize("probe", ["psnr", "ssim"])
def test_pixel_fidelity_of_different_sizes_is_a_named_failure(probe: str) -> None:
    outcome = probes.examine(noise(3, (40, 50)), [probe], noise(3, (40, 51)))[probe]
    assert isinstance(outcome, Failure)
    assert outcome.error == "size_differs"
    assert "50x40 against 51x40" in outcome.message


def test_without_a_reference_the_failure_says_so() -> None:
    outcome = probes.examine(noise(3), ["colour_cast"])["colour_cast"]
    assert isinstance(outcome, Failure)
    assert outcome.error == "no_reference"


@pytest.mark.parametrize(
    "pixels",
    [
        flat((128, 128, 128)),
        flat((0, 0, 0)),
        flat((255, 255, 255)),
        flat((7, 8, 9), (1, 1)),
        noise(9, (8, 8)),
        noise(9, (1, 50)),
        noise(9, (31, 33)),
        grey(255.0 * (np.indices((256, 256))[1] % 8 == 0)),
        grey(np.tile(np.arange(256.0), (64, 1))),
    ],
    ids=["grey", "black", "white", "1x1", "8x8", "50x1", "33x31", "stripes", "ramp"],
)
def test_odd_pictures_give_finite_values_or_named_failures(pixels: Pixels) -> None:
    outcomes = probes.examine(pixels, probes.ALONE)
    assert list(outcomes) == list(probes.ALONE)
    for name, outcome in outcomes.items():
        if isinstance(outcome, Failure):
            assert outcome.error in {"too_small", "flat", "nan"}, name
            assert outcome.message
        else:
            assert np.isfinite(outcome), name


def test_a_flat_picture_has_noise_zero_and_no_spectrum() -> None:
    outcomes = probes.examine(
        flat((90, 90, 90)), ["noise_sigma", "noise_wavelet", "spectral_slope"]
    )
    assert outcomes["noise_sigma"] == 0.0
    assert outcomes["noise_wavelet"] == 0.0
    assert isinstance(outcomes["spectral_slope"], Failure)


def test_measuring_twice_gives_equal_doubles() -> None:
    pixels = noise(7)
    assert probes.measure(pixels) == probes.measure(pixels.copy())


def test_a_reused_reference_gives_the_same_values() -> None:
    first, second = noise(7), noise(9)
    view = probes.View(second)
    once = probes.examine(first, probes.AGAINST, view)
    assert probes.examine(first, probes.AGAINST, view) == once
    assert probes.examine(first, probes.AGAINST, second) == once


def test_a_real_run_of_autoencoder_passes_reads_as_smoothed() -> None:
    folder = shared("real/reed-vae-steps") / "eiffel_vanilla"
    first, tenth = (
        probes.measure(np.asarray(Image.open(folder / name).convert("RGB")))
        for name in ("eiffel_step_0.png", "eiffel_step_10.png")
    )
    assert tenth["noise_sigma"] < 0.9 * first["noise_sigma"]
    assert tenth["gradient_energy"] < 0.9 * first["gradient_energy"]


def step_edge(overshoot: float, side: int = 400) -> Pixels:
    """Steps of 100 grey levels that swing out by a share of it and settle over some 5 pixels."""
    x = np.arange(side) - (side - 1) / 2
    swing = overshoot * np.exp(-(x**2) / 18)
    return grey(np.tile(128 + 50 * np.sign(x) * (1 + swing), (side, 1)))


@pytest.mark.parametrize("overshoot", [0.0, 0.2, 0.5])
def test_halo_is_the_swing_at_an_edge_over_the_settled_one(overshoot: float) -> None:
    found = probes.measure(step_edge(overshoot), ["halo"])["halo"]
    assert 1 + 0.5 * overshoot - 0.01 <= found <= 1 + overshoot + 0.01


def test_halo_hardly_moves_with_noise_and_falls_with_blur() -> None:
    picture = scene(3)
    before = probes.measure(picture, ["halo"])["halo"]
    soft = cv2.GaussianBlur(picture, (0, 0), 2.0).astype(float)
    sharpened = np.clip(picture + 1.0 * (picture - soft), 0, 255).astype(np.uint8)
    assert probes.measure(noisy(picture, 10), ["halo"])["halo"] == pytest.approx(before, rel=0.03)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.5), np.uint8)
    assert probes.measure(blurred, ["halo"])["halo"] < before
    assert probes.measure(sharpened, ["halo"])["halo"] > 1.2 * before


def test_without_edges_there_is_no_halo() -> None:
    assert probes.measure(flat((90, 90, 90)), ["halo"])["halo"] == 1.0
    assert probes.measure(noise(15), ["halo"])["halo"] == pytest.approx(1.0, abs=0.1)
