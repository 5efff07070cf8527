from pathlib import Path

import pytest

from b100tui.sources import read_step, scan_folder
from tests.shared_data import shared
from tests.sources.layouts.written import (
    notes,
    paths,
    png_with,
    png_with_text_behind,
    the_run,
    with_comment,
)
from tests.sources.made import numbers, picture, put

DAY = "outputs/img2img-images/2026-01-02"
HASH = "0123456789abcdef0123456789abcdef"


def parameters(seed: int = 9, prompt: str = "a plate", more: str = "") -> str:
    return (
        f"{prompt}\nNegative prompt: blur, noise\nSteps: 15, Sampler: UniPC, CFG scale: 5.5,"
        f" Seed: {seed}, Size: 512x400, Model: real, Denoising strength: 0.4{more}"
    )


def day(root: Path, *pictures: tuple[int, str]) -> Path:
    for number, text in pictures:
        put(root, f"{DAY}/{number:05}-9.png", data=png_with({"parameters": text}))
    return root


def test_numbers_in_a_row_with_one_prompt_are_a_run(tmp_path: Path) -> None:
    day(tmp_path, *((n, parameters(n)) for n in (12, 13, 15)), (16, parameters(prompt="b")))
    scan = scan_folder(tmp_path)
    (source,) = scan.runs
    assert numbers(source) == [1, 2, 4]
    assert source.missing == (3,)
    assert notes(scan) == ["one picture with its prompt is no run"]


def test_prompt_seed_and_settings_come_from_the_text(tmp_path: Path) -> None:
    step = the_run(day(tmp_path, (0, parameters(77)), (1, parameters(78)))).steps[0]
    assert (step.prompt, step.seed, step.model) == ("a plate", 77, "real")
    assert step.parameters == {
        "negative_prompt": "blur, noise",
        "steps": 15,
        "sampler": "UniPC",
        "cfg": 5.5,
        "size": "512x400",
        "denoise": 0.4,
    }


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("png", png_with_text_behind("parameters", parameters())),
        ("jpg", with_comment("jpeg", parameters())),
        ("jpg", with_comment("jpeg", parameters(), wide="utf-16-le")),
        ("webp", with_comment("webp", parameters())),
    ],
    ids=["behind the pixels", "exif", "exif little-endian", "webp"],
)
def test_text_is_found_behind_the_pixel_data_and_in_exif(
    tmp_path: Path, name: str, data: bytes
) -> None:
    put(tmp_path, *(f"{DAY}/0000{n}-9.{name}" for n in (1, 2)), data=data)
    assert [step.prompt for step in the_run(tmp_path).steps] == ["a plate"] * 2


def test_text_of_other_letters_survives(tmp_path: Path) -> None:
    data = with_comment("jpeg", parameters(prompt="тарелка 皿 é"))
    put(tmp_path, *(f"{DAY}/0000{n}-9.jpg" for n in (1, 2)), data=data)
    assert the_run(tmp_path).steps[0].prompt == "тарелка 皿 é"


def test_a_prompt_that_loopback_lengthens_goes_on(tmp_path: Path) -> None:
    day(tmp_path, (0, parameters()), (1, parameters(prompt="a plate, a fruit")))
    assert numbers(the_run(tmp_path)) == [1, 2]


def test_the_kept_init_image_is_step_0(tmp_path: Path) -> None:
    more = f", Init image hash: {HASH}"
    put(tmp_path, f"outputs/init-images/{HASH}-init-image.png")
    source = the_run(day(tmp_path, *((n, parameters(more=more)) for n in (3, 4))))
    assert paths(source)[0] == (0, f"outputs/init-images/{HASH}-init-image.png")


def test_pictures_from_text_alone_and_grids_are_no_steps(tmp_path: Path) -> None:
    alone = parameters().replace("Denoising strength: 0.4", "Version: 1")
    fixed = parameters(more=", Hires upscale: 2")
    day(tmp_path, (0, alone), (1, fixed), (2, parameters()), (3, parameters()))
    put(tmp_path, f"{DAY}/grid-0001.png")
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [1, 2]
    assert notes(scan) == [
        "made from text alone: not a step of a loop",
        "made from text alone: not a step of a loop",
        "a grid of several pictures",
    ]


def test_a_numbered_folder_without_parameters_is_left_to_the_guess(tmp_path: Path) -> None:
    put(tmp_path, *(f"{n:05}-1234.png" for n in range(4)))
    assert scan_folder(tmp_path).layout == "guess"


def test_text_in_pictures_of_any_layout_tells_the_prompt_when_nothing_else_does(
    tmp_path: Path,
) -> None:
    put(tmp_path, *(f"cat/step_{n}.png" for n in (0, 2)))
    put(tmp_path, "cat/step_1.png", data=png_with({"parameters": parameters(5)}))
    source = the_run(tmp_path)
    step = read_step(tmp_path, source.run, source.steps[1])
    assert (step.prompt, step.seed, step.parameters["denoise"]) == ("a plate", 5, 0.4)


def test_a_real_a1111_picture_tells_its_prompt(tmp_path: Path) -> None:
    data = (shared("real/awkward") / "automatic1111_cropped.png").read_bytes()
    put(tmp_path, *(f"cat/step_{n}.png" for n in range(3)), data=data)
    source = the_run(tmp_path)
    step = read_step(tmp_path, source.run, source.steps[1])
    assert (step.prompt, step.seed) == ("photo of a duck", 235284042)
    assert step.parameters["negative_prompt"] == "monochrome"


@pytest.mark.parametrize("cut", [9, 40, 60, 90])
def test_a_damaged_text_costs_itself(tmp_path: Path, cut: int) -> None:
    data = png_with({"parameters": parameters()})
    broken = data[:cut] + b"\xff\xff\xff" + data[cut + 3 :]
    put(tmp_path, "cat/step_1.png", data=broken)
    put(tmp_path, "cat/step_0.png", "cat/step_2.png", data=picture())
    source = the_run(tmp_path)
    assert read_step(tmp_path, source.run, source.steps[1]).status in ("ok", "unreadable")
