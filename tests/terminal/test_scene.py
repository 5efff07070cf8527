"""Views of a step and its reference: exact in source pixels, the reference is what moves."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from b100tui.imaging import views
from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.terminal.compose import compose, draw_view, window_box
from b100tui.terminal.frames import Area, Encoder
from b100tui.terminal.halfblock import HalfBlocks
from b100tui.terminal.kitty import KittyPng, transmit
from b100tui.terminal.pictures import Pictures
from b100tui.terminal.scene import scene
from b100tui.terminal.sixel import Sixels
from b100tui.terminal.targets import Target, ViewSpec
from tests.terminal.pictures import read_kitty, read_sixel

STEP, REFERENCE, SMALL = PictureRef("step.png"), PictureRef("reference.png"), PictureRef("s.png")
AREA = Area(16, 6, 10, 20)


def pixels(seed: int, size: tuple[int, int] = (120, 90)) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    Image.fromarray(pixels(1)).save(tmp_path / "step.png")
    Image.fromarray(pixels(2)).save(tmp_path / "reference.png")
    Image.fromarray(pixels(3, (60, 45))).save(tmp_path / "s.png")
    return Pictures(tmp_path, tmp_path / "previews")


def seen(target: Target, encoder: Encoder, pictures: Pictures, area: Area = AREA) -> np.ndarray:
    """Return the pixels that the encoder was given, as the terminal decodes them."""
    frame = compose(target, area, encoder, "sharp", pictures)
    if frame.protocol == "kitty":
        return np.asarray(read_kitty(list(transmit(frame, 1)))[1])
    if frame.protocol == "sixel":
        return np.asarray(read_sixel(frame.payload))
    ink = b"".join(row.ink for row in frame.rows_of_cells)
    cells = np.frombuffer(ink, np.uint8).reshape(frame.rows, frame.columns, 2, 3)
    return cells.transpose(0, 2, 1, 3).reshape(frame.rows * 2, frame.columns, 3)


def test_zoom_repeats_source_pixels_around_the_centre(pictures: Pictures) -> None:
    target = Target(STEP, view=ViewSpec(zoom=2, centre=(60, 45)))
    got = seen(target, HalfBlocks(), pictures)
    assert np.array_equal(got, views.zoom(pixels(1)[42:48, 56:64], 2))


def test_a_zoom_that_does_not_divide_the_area_still_shows_whole_squares(
    pictures: Pictures,
) -> None:
    target = Target(STEP, view=ViewSpec(zoom=8, centre=(20, 20)))
    got = seen(target, HalfBlocks(), pictures, Area(13, 3))
    box = window_box(target.view, (120, 90), (13, 6))
    assert box[2:] == (2, 1)
    large = views.zoom(views.crop(pixels(1), box), 8)
    assert np.array_equal(got, large[:6, :13])


@pytest.mark.parametrize("encoder", [KittyPng(), Sixels()])
def test_an_enlarged_pixel_is_one_flat_square(pictures: Pictures, encoder: Encoder) -> None:
    got = seen(Target(STEP, view=ViewSpec(zoom=8)), encoder, pictures).astype(int)
    squares = got[:112, :160].reshape(14, 8, 20, 8, 3)
    assert (squares.max(axis=(1, 3)) - squares.min(axis=(1, 3))).max() == 0


@pytest.mark.parametrize(("corner", "box"), [((0, 0), (0, 0, 8, 6)), ((119, 89), (112, 84, 8, 6))])
def test_the_window_stays_inside_the_picture(
    corner: tuple[int, int], box: tuple[int, int, int, int]
) -> None:
    assert window_box(ViewSpec(zoom=2, centre=corner), (120, 90), (16, 12)) == box


@pytest.mark.parametrize("kind", ["abs", "signed"])
@pytest.mark.parametrize("zoom", [0, 4])
def test_a_picture_against_itself_shows_a_difference_of_exactly_zero(
    pictures: Pictures, kind: str, zoom: int
) -> None:
    view = ViewSpec(zoom=zoom, difference=kind, reference=STEP, gain=32.0)  # type: ignore[arg-type]
    got = seen(Target(STEP, view=view), HalfBlocks(), pictures)
    assert (got == (0 if kind == "abs" else views.MIDDLE)).all()


@pytest.mark.parametrize("zoom", [0, 1, 4])
def test_flicker_with_itself_sends_the_very_same_frame(pictures: Pictures, zoom: int) -> None:
    plain = Target(STEP, view=ViewSpec(zoom=zoom))
    other = Target(STEP, view=ViewSpec(zoom=zoom, show="reference", reference=STEP))
    one, two = (compose(t, AREA, KittyPng(), "sharp", pictures) for t in (plain, other))
    assert (one.columns, one.rows, one.payload) == (two.columns, two.rows, two.payload)


def test_a_reference_of_another_size_flickers_in_the_steps_cells(pictures: Pictures) -> None:
    view = ViewSpec(show="reference", reference=SMALL)
    one = compose(Target(STEP), AREA, HalfBlocks(), "sharp", pictures)
    two = compose(Target(STEP, view=view), AREA, HalfBlocks(), "sharp", pictures)
    assert (one.columns, one.rows) == (two.columns, two.rows)


def test_a_window_of_a_difference_is_the_difference_of_the_windows(pictures: Pictures) -> None:
    view = ViewSpec(difference="abs", reference=REFERENCE, gain=2.0)
    box = (30, 20, 40, 25)
    got = scene(Target(STEP, view=view), pictures).window(box)
    whole = views.absolute_difference(pixels(1), pixels(2), 2.0)
    assert np.array_equal(got, views.crop(whole, box))


def test_a_window_of_a_residual_knows_the_pixels_around_it(pictures: Pictures) -> None:
    box = (30, 20, 40, 25)
    got = scene(Target(STEP, view=ViewSpec(residual=True)), pictures).window(box)
    assert np.array_equal(got, views.crop(views.residual(pixels(1), 2.0), box))


def test_a_difference_of_unequal_sizes_says_both(pictures: Pictures) -> None:
    view = ViewSpec(difference="abs", reference=SMALL)
    with pytest.raises(PictureError, match="120x90 and 60x45"):
        scene(Target(STEP, view=view), pictures)


def test_an_unaligned_difference_says_so(pictures: Pictures) -> None:
    view = ViewSpec(difference="abs", reference=REFERENCE)
    assert scene(Target(STEP, view=view), pictures).note == "not aligned"


def test_side_by_side_holds_both_in_equal_cells(pictures: Pictures) -> None:
    view = ViewSpec(zoom=1, centre=(60, 45), show="side", reference=REFERENCE)
    got = seen(Target(STEP, view=view), HalfBlocks(), pictures, Area(17, 6))
    box = window_box(view, (120, 90), (8, 12))
    assert np.array_equal(got[:, :8], views.crop(pixels(2), box))
    assert np.array_equal(got[:, 9:], views.crop(pixels(1), box))


def test_the_split_line_parts_reference_and_step(pictures: Pictures) -> None:
    view = ViewSpec(zoom=1, centre=(60, 45), show="split", reference=REFERENCE)
    got = seen(Target(STEP, view=view), HalfBlocks(), pictures)
    box = window_box(view, (120, 90), (16, 12))
    assert np.array_equal(got[:, :8], views.crop(pixels(2), box)[:, :8])
    assert np.array_equal(got[:, 9:], views.crop(pixels(1), box)[:, 9:])


def test_a_row_shows_tiles_and_a_broken_picture_costs_its_own(
    pictures: Pictures, tmp_path: Path
) -> None:
    (tmp_path / "broken.png").write_bytes(b"none")
    row = (STEP, None, PictureRef("broken.png"), STEP)
    frame = compose(Target(STEP, row=row), Area(40, 4), HalfBlocks(), "sharp", pictures)
    assert (frame.columns, frame.rows) == (40, 4)
    assert "broken.png" in frame.note
    got = seen(Target(STEP, row=row), HalfBlocks(), pictures, Area(40, 4))
    tiles = got.reshape(8, 4, 10, 3)[:, :, :9]
    assert np.array_equal(tiles[:, 0], tiles[:, 3])
    assert (tiles[:, 1] == tiles[0, 1, 0]).all() and (tiles[:, 2] == tiles[0, 1, 0]).all()


class Drift:
    """A textured reference and a step that shows it moved by (7, -4) px."""

    dx, dy = 7, -4

    def __init__(self, folder: Path) -> None:
        rough = Image.fromarray(pixels(5, (60, 48))).resize((480, 384), Image.Resampling.BICUBIC)
        fine = Image.fromarray(pixels(6, (240, 192))).resize((480, 384), Image.Resampling.BICUBIC)
        reference = Image.blend(rough, fine, 0.3)
        self.reference = np.asarray(reference)
        self.step = np.roll(self.reference, (self.dy, self.dx), axis=(0, 1))
        Image.fromarray(self.step).save(folder / "step.png")
        reference.save(folder / "reference.png")


def test_aligned_the_drift_is_gone_from_the_difference_and_the_step_is_untouched(
    tmp_path: Path,
) -> None:
    drift = Drift(tmp_path)
    pictures = Pictures(tmp_path, tmp_path / "previews")
    view = ViewSpec(difference="abs", reference=REFERENCE)
    box = (100, 100, 200, 150)
    apart = scene(Target(STEP, view=view), pictures).window(box)
    aligned = scene(Target(STEP, view=replace(view, align=True)), pictures)
    assert aligned.window(box).mean() < 0.1 * apart.mean()
    assert "moved +7.0 -4.0 px" in aligned.note
    side = replace(view, difference="", show="side", align=True)
    step, reference, _ = draw_view(Target(STEP, view=side), pictures)
    assert np.array_equal(np.asarray(step), drift.step)
    assert reference is not None


def test_beyond_the_edge_of_a_warped_reference_no_difference_is_claimed(tmp_path: Path) -> None:
    Drift(tmp_path)
    pictures = Pictures(tmp_path, tmp_path / "previews")
    view = ViewSpec(difference="signed", reference=REFERENCE, align=True)
    got = scene(Target(STEP, view=view), pictures).window((0, 100, 5, 50))
    assert (got == views.MIDDLE).all()


def test_without_texture_the_note_says_misaligned_and_why(tmp_path: Path) -> None:
    for name, level in (("step.png", 100), ("reference.png", 103)):
        Image.new("RGB", (200, 150), (level, level, level)).save(tmp_path / name)
    pictures = Pictures(tmp_path, tmp_path / "previews")
    view = ViewSpec(difference="abs", reference=REFERENCE, align=True)
    note = scene(Target(STEP, view=view), pictures).note
    assert note.startswith("misaligned, unreliable: too little texture")
