"""The size table: the paper's own numbers."""

import pytest

from b100tui.editors.sizes import central_crop, output_size


@pytest.mark.parametrize(
    ("resolution", "size"), [("1K", (1408, 752)), ("2K", (2816, 1504)), ("4K", (5632, 3008))]
)
def test_ekphrasis_gets_the_sizes_the_paper_names(resolution: str, size: tuple[int, int]) -> None:
    assert output_size(5632, 3072, resolution) == size


@pytest.mark.parametrize("size", [(5504, 3072), (4800, 3584), (3392, 5056)])
def test_initial_images_of_the_table_keep_their_size_at_4k(size: tuple[int, int]) -> None:
    assert output_size(*size, "4K") == size


def test_an_unknown_resolution_is_named() -> None:
    with pytest.raises(ValueError, match="'8K'"):
        output_size(100, 100, "8K")


def test_the_crop_is_central_and_has_the_ratio() -> None:
    assert central_crop(200, 100, 1.0) == (50, 0, 100, 100)
    assert central_crop(100, 200, 2.0) == (0, 75, 100, 50)
