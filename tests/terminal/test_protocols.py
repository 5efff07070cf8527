"""Kitty, sixel and inline JPEG: decoded back they are the picture; sizes stay in bounds."""

import base64
import io
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, ImageChops

from b100tui.terminal import kitty
from b100tui.terminal.cells import cut_row
from b100tui.terminal.frames import Area, Encoder, Quality, fit_area
from b100tui.terminal.iterm import InlineJpeg
from b100tui.terminal.kitty import KittyPng
from b100tui.terminal.sixel import Sixels, strips
from b100tui.terminal.sixel_bands import sixels
from tests.terminal.pictures import four_colours, gradient, read_kitty, read_sixel

AREA = Area(8, 3, 10, 20)


def worst(a: Image.Image, b: Image.Image) -> int:
    return max(high for _, high in ImageChops.difference(a, b).getextrema())


def test_a_kitty_upload_decodes_to_the_picture() -> None:
    image = four_colours(80, 60)
    frame = KittyPng().encode(image, AREA)
    keys, shown = read_kitty(list(kitty.transmit(frame, 4711)))
    assert worst(image, shown) == 0
    assert keys == {
        "a": "T",
        "U": "1",
        "f": "100",
        "t": "d",
        "i": "4711",
        "c": "8",
        "r": "3",
        "q": "2",
        "m": "0",
    }


def test_a_large_kitty_upload_goes_in_chunks_of_4096() -> None:
    noise = Image.effect_noise((200, 200), 80).convert("RGB")
    frame = KittyPng().encode(noise, Area(20, 10))
    commands = list(kitty.transmit(frame, 1))
    payloads = [command.split(";", 1)[1].removesuffix("\x1b\\") for command in commands]
    assert len(commands) > 1
    assert {len(payload) for payload in payloads[:-1]} == {4096}
    assert all("q=2" in command for command in commands)
    read_kitty(commands)


def test_inside_tmux_every_command_is_wrapped_with_doubled_escapes() -> None:
    frame = KittyPng().encode(four_colours(8, 6), Area(1, 1))
    plain = list(kitty.transmit(frame, 1))
    wrapped = list(kitty.transmit(frame, 1, tmux=True))
    for one, other in zip(plain, wrapped, strict=True):
        inner = other.removeprefix("\x1bPtmux;").removesuffix("\x1b\\")
        assert inner.replace("\x1b\x1b", "\x1b") == one


def test_a_delete_frees_the_data_of_one_id() -> None:
    assert kitty.delete(99) == "\x1b_Ga=d,d=I,i=99,q=2\x1b\\"


def test_placeholders_carry_id_row_and_column() -> None:
    rows = kitty.placeholder_rows(0x123456, 3, 2)
    assert rows[0].text.startswith("\x1b[38;2;18;52;86m")
    marks = [re.findall("\U0010eeee(.)(.)", row.text) for row in rows]
    assert marks[0] == [("\u0305", "\u0305"), ("\u0305", "\u030d"), ("\u0305", "\u030e")]
    assert [mark[0] for mark in marks[1]] == ["\u030d"] * 3


def test_a_cut_placeholder_row_keeps_its_columns() -> None:
    (row,) = kitty.placeholder_rows(5, 6, 1)
    cut = cut_row(row, 2, 4)
    assert re.findall("\U0010eeee(.)(.)", cut.text) == re.findall("\U0010eeee(.)(.)", row.text)[2:4]
    assert cut.text.startswith("\x1b[38;2;0;0;5m")


def test_a_sixel_decodes_to_the_picture() -> None:
    image = four_colours(80, 60)
    assert worst(read_sixel(Sixels().encode(image, AREA).payload), image) <= 1


def test_a_thrifty_sixel_is_the_same_picture_in_fewer_bytes() -> None:
    image = gradient(AREA.columns * AREA.cell_width, AREA.rows * AREA.cell_height)
    quick, thrifty = Sixels().encode(image, AREA), Sixels(thrifty=True).encode(image, AREA)
    assert worst(read_sixel(thrifty.payload), read_sixel(quick.payload)) <= 3
    assert thrifty.bytes < quick.bytes


def test_the_thrifty_encoder_never_asks_the_terminal() -> None:
    program = (
        "import sys, textual_image._sixel; "
        "sys.exit(any(m.startswith('textual_image.') and m != 'textual_image._sixel' "
        "for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_sixel_of_many_colours_stays_near_the_picture() -> None:
    image = gradient(80, 60)
    shown = read_sixel(Sixels().encode(image, AREA).payload)
    difference = ImageChops.difference(shown, image).convert("L")
    assert sum(difference.tobytes()) / (80 * 60) < 25


def test_a_sixel_selects_a_colour_before_it_draws() -> None:
    """xterm does not take a definition as a selection and would draw in the colour before."""
    payload = Sixels().encode(gradient(80, 60), AREA).payload
    body = re.sub(r"#\d+;2;\d+;\d+;\d+", "", payload.removesuffix("\x1b\\"))
    passes = re.split(r"[$-]", body.partition(";60")[2])
    assert len(passes) > 10
    assert all(re.match(r"#\d+[!?-~]", one) for one in passes if one)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 80, 1234])
def test_sixel_bands_are_exactly_the_numbers(width: int) -> None:
    palette = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (255, 255, 255)]
    rows = np.arange(18)[:, None] // 5
    numbers = ((rows + np.arange(width)[None, :] // 9) % 4).astype(np.uint8)
    shown = np.asarray(read_sixel(sixels(numbers, palette)))
    assert np.array_equal(shown, np.array(palette, np.uint8)[numbers])


@pytest.mark.parametrize("height", [6, 19, 20, 21])
def test_a_sixel_never_reaches_past_its_cells(height: int) -> None:
    for rows in range(1, 6):
        assert Sixels().pixels(Area(4, rows, 10, height), "sharp")[1] <= rows * height


def test_a_sixel_stays_under_what_tmux_takes() -> None:
    noise = Image.effect_noise((1870, 1000), 120).convert("RGB")
    assert Sixels().encode(noise, Area(187, 50)).bytes < 1 << 20


def test_an_inline_jpeg_is_the_picture_in_the_areas_cells() -> None:
    image = gradient(80, 60)
    payload = InlineJpeg().encode(image, AREA).payload
    found = re.fullmatch(r"\x1b\]1337;File=([^:]*):([A-Za-z0-9+/=]*)\x07", payload)
    assert found
    keys = dict(pair.split("=") for pair in found[1].split(";"))
    assert (keys["width"], keys["height"], keys["inline"]) == ("8", "3", "1")
    data = base64.b64decode(found[2])
    assert len(data) == int(keys["size"])
    assert worst(Image.open(io.BytesIO(data)).convert("RGB"), image) < 40


@pytest.mark.parametrize("encoder", [KittyPng(), InlineJpeg()])
def test_a_rough_frame_has_a_quarter_of_the_pixels(encoder: Encoder) -> None:
    assert encoder.pixels(AREA, "sharp") == (80, 60)
    assert encoder.pixels(AREA, "rough") == (40, 30)


@pytest.mark.parametrize(
    ("size", "area", "expected"),
    [
        ((512, 512), Area(80, 21, 10, 20), (42, 21)),
        ((5632, 3008), Area(80, 30, 10, 20), (80, 21)),
        ((1, 1000), Area(10, 10, 10, 20), (1, 10)),
        ((1, 1), Area(10, 5, 10, 20), (10, 5)),
    ],
)
def test_a_picture_fits_its_area_and_keeps_its_shape(
    size: tuple[int, int], area: Area, expected: tuple[int, int]
) -> None:
    place = fit_area(*size, area)
    assert (place.columns, place.rows) == expected


def _grain(size: tuple[int, int]) -> Image.Image:
    return Image.merge("RGB", [Image.effect_noise(size, 90) for _ in range(3)])


@pytest.mark.parametrize("encoder", [KittyPng(), Sixels(), InlineJpeg()])
@pytest.mark.parametrize(("quality", "most"), [("rough", 70_000), ("sharp", 256_000)])
def test_even_pure_grain_stays_in_the_bounds_of_80_by_21_cells(
    encoder: Encoder, quality: Quality, most: int
) -> None:
    area = Area(80, 21)
    frame = encoder.encode(_grain(encoder.pixels(area, quality)), area, quality)
    assert 0 < frame.bytes <= most


def test_a_rough_sixel_fills_the_same_pixels_in_squares_of_two() -> None:
    area = Area(8, 3, 10, 20)
    small = four_colours(40, 30)
    shown = read_sixel(Sixels().encode(small, area, "rough").payload)
    assert shown.size == (80, 60)
    assert worst(small.resize((80, 60), Image.Resampling.NEAREST), shown) <= 3


@pytest.mark.parametrize("overlapping", [True, False])
@pytest.mark.parametrize("most", [1, 2_000, 1 << 20])
@pytest.mark.parametrize("cell_height", [20, 17])
def test_strips_of_a_sixel_put_together_are_the_sixel(
    cell_height: int, most: int, overlapping: bool
) -> None:
    area = Area(8, 9, 10, cell_height)
    image = gradient(*Sixels().pixels(area, "sharp"))
    payload = Sixels().encode(image, area).payload
    whole = read_sixel(payload)
    shown = Image.new("RGB", whole.size)
    parts = strips(payload, cell_height, most, overlapping=overlapping)
    for row, part in parts:
        read_sixel(part, shown, row * cell_height)
    assert ImageChops.difference(shown, whole).getbbox() is None
    rows = [row for row, _ in parts]
    assert len(rows) > 1
    assert overlapping or len(set(rows)) == len(rows)


def test_strips_of_a_sixel_keep_to_the_bytes_that_text_may_wait_for() -> None:
    area = Area(80, 21)
    image = Image.effect_noise((800, 420), 90).convert("RGB").resize(Sixels().pixels(area, "sharp"))
    payload = Sixels().encode(image, area).payload
    parts = strips(payload, 20, 12_000)
    assert len(payload) > 100_000
    assert max(len(part) for _, part in parts) <= 13_000


def test_strips_of_an_inline_jpeg_cover_its_cells_and_show_the_picture() -> None:
    area = Area(8, 9)
    image = gradient(80, 180)
    shown = Image.new("RGB", image.size)
    rows = 0
    for row, part in InlineJpeg().encode(image, area).strips:
        found = re.fullmatch(r"\x1b\]1337;File=(.*?):(.*)\x07", part)
        assert found
        keys = dict(pair.split("=") for pair in found[1].split(";"))
        assert (row, keys["width"]) == (rows, "8")
        rows += int(keys["height"])
        picture = Image.open(io.BytesIO(base64.b64decode(found[2])))
        assert picture.size == (80, 20 * int(keys["height"]))
        shown.paste(picture, (0, row * 20))
    assert rows == 9
    assert worst(shown, image) <= 24
