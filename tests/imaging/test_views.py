"""Views of pixels against values worked out by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from b100tui.imaging import views

Pixels = NDArray[np.uint8]


def ramp(height: int = 4, width: int = 6) -> Pixels:
    values = np.arange(height * width * 3, dtype=np.uint8)
    return values.reshape(height, width, 3)


def one(*colour: int) -> Pixels:
    return np.array([[colour]], np.uint8)


def test_crop_is_the_box_in_source_pixels() -> None:
    assert np.array_equal(views.crop(ramp(), (1, 2, 3, 2)), ramp()[2:4, 1:4])


@pytest.mark.parametrize(
    ("box", "size"), [((4, 2, 50, 50), (2, 2)), ((-5, -5, 7, 7), (2, 2)), ((99, 99, 3, 3), (1, 1))]
)
def test_crop_is_cut_at_the_edges(box: views.Box, size: tuple[int, int]) -> None:
    assert views.crop(ramp(), box).shape[:2] == size


def test_zoom_repeats_each_pixel() -> None:
    large = views.zoom(ramp(2, 2), 3)
    assert large.shape == (6, 6, 3)
    assert np.array_equal(large[::3, ::3], ramp(2, 2))
    assert np.array_equal(large[2::3, 2::3], ramp(2, 2))


def test_zoom_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        views.zoom(ramp(), 0)


def test_absolute_difference_with_gain_is_cut_at_white() -> None:
    got = views.absolute_difference(one(10, 20, 200), one(13, 20, 0), gain=4)
    assert got.tolist() == [[[12, 0, 255]]]


def test_signed_difference_has_its_zero_in_the_middle() -> None:
    got = views.signed_difference(one(10, 20, 200), one(13, 20, 0), gain=4)
    assert got.tolist() == [[[116, 128, 255]]]


@pytest.mark.parametrize("difference", [views.absolute_difference, views.signed_difference])
def test_a_difference_of_unequal_sizes_is_refused(difference: object) -> None:
    with pytest.raises(ValueError, match="equal sizes"):
        difference(ramp(4, 6), ramp(4, 5))  # type: ignore[operator]


def test_the_residual_of_a_smooth_picture_is_grey_and_a_speck_stands_out() -> None:
    pixels = np.full((9, 9, 3), 100, np.uint8)
    pixels[4, 4] = 110
    got = views.residual(pixels, gain=4)
    assert got[4, 4].tolist() == [168, 168, 168]
    got[4, 4] = 128
    assert np.array_equal(got, np.full((9, 9, 3), 128))


@pytest.mark.parametrize(
    ("name", "level"),
    [("r", 200), ("g", 100), ("b", 50), ("luma", 124), ("saturation", 191)],
)
def test_channels_come_as_grey(name: views.Channel, level: int) -> None:
    assert views.channel(one(200, 100, 50), name).tolist() == [[[level] * 3]]


def test_stretch_fills_the_range_and_keeps_order() -> None:
    pixels = np.repeat(np.linspace(100, 150, 51).astype(np.uint8)[None, :, None], 3, axis=2)
    got = views.stretch(pixels, share=0.0)
    assert (got.min(), got.max()) == (0, 255)
    assert (np.diff(got[0, :, 0].astype(int)) > 0).all()


def test_stretch_of_a_flat_picture_changes_nothing() -> None:
    flat = np.full((3, 3, 3), 77, np.uint8)
    assert np.array_equal(views.stretch(flat), flat)


def test_no_view_changes_its_input() -> None:
    pixels = ramp()
    pixels.flags.writeable = False
    views.zoom(views.crop(pixels, (0, 0, 2, 2)), 2)
    views.absolute_difference(pixels, pixels)
    views.signed_difference(pixels, pixels)
    views.residual(pixels)
    views.channel(pixels, "saturation")
    views.stretch(pixels)
