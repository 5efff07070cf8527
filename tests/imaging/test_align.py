"""Drift alignment: planted moves come back, and nothing is made up where nothing can be told."""

import cv2
import numpy as np
import pytest

from b100tui.imaging.align import align, prepare, warp_reference
from tests.imaging.pairs import Pixels, dunes, fog, gradient, moved, noisy, scene

SCENE = scene(1)


@pytest.mark.parametrize(
    ("zoom", "dx", "dy", "sigma"),
    [
        (0.02, 0.0, 0.0, 0),
        (0.0, 3.3, -2.1, 5),
        (0.05, -6.0, 4.0, 15),
        (-0.04, 9.5, 2.25, 10),
        (0.12, 2.0, 2.0, 5),
        (0.004, 0.4, 0.2, 8),
    ],
)
def test_planted_zoom_and_shift_come_back(zoom: float, dx: float, dy: float, sigma: float) -> None:
    found = align(prepare(SCENE), noisy(moved(SCENE, zoom=zoom, dx=dx, dy=dy), sigma))
    assert found.status == "aligned", found.reason
    assert found.zoom_pct == pytest.approx(100 * zoom, abs=0.2)
    assert found.dx_px == pytest.approx(dx, abs=0.5)
    assert found.dy_px == pytest.approx(dy, abs=0.5)
    assert not found.mirrored and abs(found.rotation_deg or 0) < 0.1


def test_aspect_and_small_rotation_come_back() -> None:
    found = align(prepare(SCENE), noisy(moved(SCENE, turn=1.5, aspect=0.02), 4))
    assert found.aspect_pct == pytest.approx(2.0, abs=0.2)
    assert found.rotation_deg == pytest.approx(1.5, abs=0.1)


def test_zoom_crops_what_leaves_the_frame() -> None:
    found = align(prepare(SCENE), moved(SCENE, zoom=0.1))
    assert found.crop_pct == pytest.approx(100 * (1 - 1 / 1.1**2), abs=0.5)


@pytest.mark.parametrize("turn", range(8))
def test_flips_and_quarter_turns_are_recognised(turn: int) -> None:
    turned: Pixels = np.ascontiguousarray(
        np.rot90(SCENE[:, ::-1] if turn >= 4 else SCENE, -(turn % 4))
    )
    found = align(prepare(SCENE), noisy(moved(turned, zoom=0.01, dx=2.0), 4))
    assert found.status == "aligned", found.reason
    assert found.mirrored == (turn >= 4)
    off = (found.rotation_deg or 0) - 90 * (turn % 4)
    assert abs((off + 180) % 360 - 180) < 0.1
    assert found.zoom_pct == pytest.approx(1.0, abs=0.2)
    warped = warp_reference(SCENE, found, turned.shape).astype(float)
    inner = np.abs(warped - turned)[40:-40, 40:-40]
    assert np.median(inner) < 12


def test_the_same_picture_is_identical() -> None:
    found = align(prepare(SCENE), SCENE.copy())
    assert found.status == "identical" and found.zoom_pct == 0.0 and found.confidence == 1.0


def test_a_still_noisy_step_is_aligned_at_zero() -> None:
    found = align(prepare(SCENE), noisy(SCENE, 10))
    assert found.status == "aligned" and abs(found.dx_px or 0) < 0.1


def test_other_pixel_size_is_told_and_zoom_is_against_a_resize() -> None:
    half = cv2.resize(SCENE, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    found = align(prepare(SCENE), np.asarray(half, dtype=np.uint8))
    assert found.status == "aligned" and "size" in found.reason
    assert found.zoom_pct == pytest.approx(0.0, abs=0.2)


def test_matrix_maps_step_pixels_to_reference_pixels() -> None:
    found = align(prepare(SCENE), moved(SCENE, zoom=0.03, dx=5.0, dy=-3.0))
    middle = np.array([(704 - 1) / 2 + 5.0, (376 - 1) / 2 - 3.0])
    there = found.affine[:, :2] @ middle + found.affine[:, 2]
    assert there == pytest.approx([(704 - 1) / 2, (376 - 1) / 2], abs=0.3)


def _low_texture() -> list[tuple[str, Pixels, Pixels]]:
    pairs: list[tuple[str, Pixels, Pixels]] = []
    for seed in range(3):
        for sigma in (0, 3):
            for name, make in (("fog", fog), ("dunes", dunes)):
                other = noisy(make(seed + 50), sigma, seed + 9)
                pairs.append((f"different {name}", noisy(make(seed), sigma, seed), other))
                pairs.append((f"{name}, other's mirror", noisy(make(seed), sigma), other[:, ::-1]))
            one, two = gradient(seed * 0.7), gradient(seed * 0.7 + 0.4)
            pairs.append(("gradients", noisy(one, sigma, 1), noisy(two, sigma, 2)))
            pairs.append(("gradient mirrored", noisy(one, sigma, 1), noisy(one[:, ::-1], sigma, 3)))
    pairs.append(("different scenes", scene(1), scene(2)))
    return pairs


@pytest.mark.parametrize(("kind", "one", "other"), _low_texture())
def test_unrelated_pairs_are_never_aligned(kind: str, one: Pixels, other: Pixels) -> None:
    found = align(prepare(one), np.ascontiguousarray(other))
    assert found.status == "unreliable", (kind, found)
    assert found.reason and found.zoom_pct is None and found.matrix is None


def _one_way() -> list[tuple[str, Pixels, Pixels]]:
    down, across = np.mgrid[0:376, 0:704].astype(float)

    def grey(plane: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Pixels:
        return np.repeat(plane[..., np.newaxis], 3, axis=2).astype(np.uint8)

    ripples = [grey(150 + 25 * np.sin((down + 0.25 * across) / 14 + phase)) for phase in (0, 1.5)]
    ridges = [
        grey(np.where(down > 188 + 20 * np.sin(across / 120 + phase), 150.0, 190.0))
        for phase in (0, 2.2)
    ]
    horizons = [grey(np.where(down > edge, 150.0, 190.0)) for edge in (188, 200)]
    named = (("ripples", ripples), ("ridges", ridges), ("horizons", horizons))
    return [(name, one, two) for name, (one, two) in named]


@pytest.mark.parametrize(("kind", "one", "other"), _one_way())
def test_texture_that_runs_one_way_is_unreliable(kind: str, one: Pixels, other: Pixels) -> None:
    found = align(prepare(one), other)
    assert found.status == "unreliable" and "one way" in found.reason, (kind, found)


def facade(seed: int) -> Pixels:
    """Windows of one size in rows, some brighter: other facades differ in the brightness only."""
    rng = np.random.default_rng(seed)
    picture = np.full((376, 704, 3), 170, dtype=np.uint8)
    for y in range(0, 376, 31):
        for x in range(0, 704, 24):
            shade = int(rng.integers(40, 110))
            cv2.rectangle(picture, (x + 4, y + 5), (x + 19, y + 25), (shade, shade, shade), -1)
    return noisy(picture, 3, seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_period_off_is_never_taken_for_a_move(seed: int) -> None:
    other = np.ascontiguousarray(facade(seed + 50)[:, ::-1])
    found = align(prepare(facade(seed)), other)
    assert found.status == "unreliable", found


def test_the_same_facade_is_aligned() -> None:
    found = align(prepare(facade(4)), noisy(moved(facade(4), zoom=0.01, dx=3.0), 8))
    assert found.status == "aligned", found.reason
    assert found.zoom_pct == pytest.approx(1.0, abs=0.2)


def test_a_picture_that_mirrors_itself_counts_as_not_mirrored() -> None:
    half = scene(9, (376, 352))
    whole = np.ascontiguousarray(np.concatenate([half, half[:, ::-1]], axis=1))
    found = align(prepare(whole), noisy(moved(whole, zoom=0.02), 4))
    assert found.status == "aligned" and not found.mirrored
    assert found.zoom_pct == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("make", [fog, dunes])
@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("seed", [3, 4])
def test_the_same_low_texture_is_right_or_unreliable(make: object, mirror: bool, seed: int) -> None:
    picture = make(seed)  # type: ignore[operator]
    step = moved(picture, zoom=0.02, dx=4, dy=-3)
    step = np.ascontiguousarray(step[:, ::-1]) if mirror else step
    found = align(prepare(noisy(picture, 2, 1)), noisy(step, 2, 2))
    if found.status == "aligned":
        assert found.mirrored == mirror
        assert found.zoom_pct == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("seed", [3, 4])
def test_the_frame_does_not_hold_smooth_content_back(seed: int) -> None:
    picture = dunes(seed)
    found = align(prepare(picture), moved(picture, zoom=0.02, dx=4, dy=-3))
    assert found.status == "aligned", found.reason
    assert found.zoom_pct == pytest.approx(2.0, abs=0.02)
    assert found.aspect_pct == pytest.approx(0.0, abs=0.05)
    assert (found.dx_px, found.dy_px) == pytest.approx((4.0, -3.0), abs=0.05)


@pytest.mark.parametrize("value", [0, 128, 255])
def test_flat_pictures_are_unreliable(value: int) -> None:
    flat = np.full((200, 300, 3), value, dtype=np.uint8)
    other = flat.copy()
    other[0, 0] ^= 1
    assert align(prepare(flat), other).status == "unreliable"
    assert align(prepare(SCENE), flat).status == "unreliable"


def test_tiny_pictures_are_unreliable() -> None:
    tiny = np.zeros((1, 1, 3), dtype=np.uint8)
    assert "small" in align(prepare(tiny), tiny + 1).reason


def test_an_absurd_zoom_is_out_of_bounds() -> None:
    assert align(prepare(SCENE), moved(SCENE, zoom=0.8)).status == "unreliable"
