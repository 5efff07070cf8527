"""Pictures with changed bytes: a picture or a PictureError, nothing else, whatever the format."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.decode import decode
from b100tui.imaging.header import header
from b100tui.imaging.preview import preview
from b100tui.model.errors import PictureError
from tests.imaging.files import encoded, noise, turned
from tests.mutations import mutated
from tests.shared_data import shared

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
PIXELS = 1_000_000
PICTURE = Image.fromarray(noise(24, 18))
FILES = {
    "png": encoded(PICTURE),
    "png-palette": encoded(PICTURE.convert("P")),
    "png-alpha": encoded(PICTURE.convert("RGBA")),
    "jpeg": encoded(PICTURE, "JPEG"),
    "jpeg-progressive": encoded(PICTURE, "JPEG", progressive=True),
    "jpeg-turned": turned(PICTURE, 6),
    "webp": encoded(PICTURE, "WEBP"),
    "gif": encoded(PICTURE, "GIF", save_all=True, append_images=[PICTURE.rotate(90)]),
    "tiff": encoded(PICTURE, "TIFF"),
    "tiff-deflate": encoded(PICTURE, "TIFF", compression="tiff_adobe_deflate"),
    "bmp": encoded(PICTURE, "BMP"),
}
REAL = (
    *("rommel.jpg", "awkward/automatic1111_cropped.png", "awkward/decompression_bomb.gif"),
    *("awkward/hopper_orientation_6.jpg", "awkward/i_trns.png", "awkward/iss634.webp"),
    *("awkward/pil_sample_cmyk.jpg", "awkward/transparent.png", "awkward/truncated_image.png"),
    *("awkward/truncated_jpeg.jpg", "awkward/zero_width.gif"),
)
TRIED = 60
REAL_TRIED = 20


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except PictureError as error:
        assert error.message.isprintable(), error.message
        return None


@pytest.mark.parametrize("kind", FILES)
def test_any_bytes_are_a_picture_or_a_picture_error(kind: str) -> None:
    seed = sorted(FILES).index(kind)
    for data in mutated(FILES[kind], TRIED, seed):
        outcome(lambda data=data: header(data, limit_pixels=PIXELS))  # type: ignore[misc]
        found = outcome(lambda data=data: decode(data, limit_pixels=PIXELS))  # type: ignore[misc]
        if found is not None:
            pixels = found.pixels  # type: ignore[attr-defined]
            assert pixels.dtype == np.uint8
            assert pixels.shape == (found.height, found.width, 3)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", FILES)
def test_a_preview_of_any_file_is_a_picture_or_a_picture_error(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "step_1.png"
    for data in mutated(FILES[kind], TRIED // 3, 1000 + sorted(FILES).index(kind)):
        path.write_bytes(data)
        outcome(lambda: preview(path, (16, 16)))


@pytest.mark.parametrize("name", REAL)
def test_changed_bytes_of_real_files_are_a_picture_or_a_picture_error(name: str) -> None:
    data = shared(f"real/{name}").read_bytes()
    for changed in mutated(data, max(1, REAL_TRIED // (1 + len(data) // 50_000)), len(data)):
        outcome(lambda changed=changed: header(changed, limit_pixels=PIXELS))  # type: ignore[misc]
        outcome(lambda changed=changed: decode(changed, limit_pixels=PIXELS))  # type: ignore[misc]


def test_a_file_of_another_format_than_its_name_costs_no_more_than_itself(tmp_path: Path) -> None:
    path = tmp_path / "step_1.jpg"
    path.write_bytes(FILES["png"][:40] + FILES["jpeg"])
    assert outcome(lambda: decode(path)) is None
