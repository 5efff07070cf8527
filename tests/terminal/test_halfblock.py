"""Half blocks: what the terminal draws is the picture."""

import re

import pytest

from b100tui.terminal.cells import cut_row
from b100tui.terminal.facts import TRUE_COLOUR
from b100tui.terminal.frames import Area
from b100tui.terminal.halfblock import HalfBlocks, palette_colours
from tests.terminal.pictures import four_colours, gradient

Cell = tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]


def drawn(text: str, colours: int) -> list[Cell]:
    """What a terminal shows for `text`: the upper and lower colour of each cell."""
    inks = palette_colours(colours) if colours < TRUE_COLOUR else ()
    fore: tuple[int, int, int] | None = None
    back: tuple[int, int, int] | None = None
    cells: list[Cell] = []
    for codes, character in re.findall(r"\x1b\[([\d;]*)m|(.)", text):
        if character:
            cells.append({"▀": (fore, back), " ": (back, back)}[character])
            continue
        numbers = [int(code or 0) for code in codes.split(";")]
        while numbers:
            code = numbers.pop(0)
            ink = None
            if code in {38, 48}:
                if numbers.pop(0) == 2:
                    ink = (numbers.pop(0), numbers.pop(0), numbers.pop(0))
                else:
                    ink = inks[numbers.pop(0) - 16]
            elif code:
                ink = inks[code % 10 + (8 if code >= 90 else 0)]
            is_back = code == 48 or 40 <= code < 48 or code >= 100
            if code == 0:
                fore = back = None
            elif is_back:
                back = ink
            else:
                fore = ink
    return cells


def test_24_bit_cells_hold_exactly_the_pixels() -> None:
    area = Area(7, 3)
    image = gradient(7, 6)
    frame = HalfBlocks().encode(image, area)
    pixels = image.load()
    assert pixels is not None
    for y, row in enumerate(frame.rows_of_cells):
        assert drawn(row.text, TRUE_COLOUR) == [
            (pixels[x, 2 * y], pixels[x, 2 * y + 1]) for x in range(7)
        ]


@pytest.mark.parametrize("colours", [16, 256])
def test_a_picture_in_the_terminals_own_colours_keeps_them(colours: int) -> None:
    inks = palette_colours(colours)
    area = Area(4, 2)
    image = gradient(4, 4)
    image.putdata([inks[n * 3 % len(inks)] for n in range(16)])
    frame = HalfBlocks(colours).encode(image, area)
    shown = [cell for row in frame.rows_of_cells for cell in drawn(row.text, colours)]
    pixels = image.load()
    assert pixels is not None
    assert shown == [(pixels[x, 2 * y], pixels[x, 2 * y + 1]) for y in range(2) for x in range(4)]


def test_sixteen_colours_keep_the_mean_brightness_by_dithering() -> None:
    grey = gradient(40, 40)
    grey.putdata([(60, 60, 60)] * 1600)
    frame = HalfBlocks(16).encode(grey, Area(40, 20))
    values = [value for row in frame.rows_of_cells for value in row.ink]
    assert 50 <= sum(values) / len(values) <= 70
    assert len(set(values)) > 1


def test_without_colours_cells_are_black_and_white_characters_only() -> None:
    frame = HalfBlocks(2).encode(four_colours(4, 4), Area(4, 2))
    assert set("".join(row.text for row in frame.rows_of_cells)) <= set(" ▀▄█")


def test_equal_neighbours_cost_one_character() -> None:
    flat = gradient(50, 2)
    flat.putdata([(9, 8, 7)] * 100)
    (row,) = HalfBlocks().encode(flat, Area(50, 1)).rows_of_cells
    assert row.text == "\x1b[38;2;9;8;7;48;2;9;8;7m" + "▀" * 50 + "\x1b[0m"


@pytest.mark.parametrize("colours", [16, 256, TRUE_COLOUR])
@pytest.mark.parametrize(("start", "end"), [(0, 5), (3, 9), (8, 12), (5, 6)])
def test_a_cut_row_shows_the_same_cells(colours: int, start: int, end: int) -> None:
    (row,) = HalfBlocks(colours).encode(gradient(12, 2), Area(12, 1)).rows_of_cells
    cut = cut_row(row, start, end)
    assert drawn(cut.text, colours) == drawn(row.text, colours)[start:end]
    assert cut.columns == end - start
    assert cut.ink == row.ink[start * 6 : end * 6]
