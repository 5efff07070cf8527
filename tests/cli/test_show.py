"""`b100 show`: the step as JSON, facts for people, exact pixels in a file, a picture inline."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from b100tui.cli.main import main
from b100tui.cli.show import parse_crop, parse_place
from b100tui.model.errors import UsageError
from tests.terminal.fake_terminal import FakeTerminal
from tests.terminal.pictures import gradient


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "runs"
    folder = root / "pier" / "run-0"
    folder.mkdir(parents=True)
    for step in range(3):
        image = gradient(40, 30)
        image.putpixel((0, 0), (step, 2 * step, 3 * step))
        image.save(folder / f"step_{step}.png")
    monkeypatch.setenv("B100_ROOT", str(root))
    return root


def run_name(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["runs", "--json"]) == 0
    return str(json.loads(capsys.readouterr().out)[0]["run"])


def test_json_is_the_step_object(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_name(capsys)
    assert main(["show", f"{run}@1", "--json"]) == 0
    step = json.loads(capsys.readouterr().out)
    assert (step["step"], step["status"], step["width"], step["height"]) == (1, "ok", 40, 30)


def test_without_a_terminal_only_the_facts_are_printed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    assert main(["show", f"{run}@1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{run}@1  ok  40x30 png")
    assert "\x1b" not in said


def test_out_holds_exactly_the_pixels(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "out.png"
    assert main(["show", f"{run}@2", "--out", str(path)]) == 0
    with Image.open(path) as image:
        assert image.getpixel((0, 0)) == (2, 4, 6)
        assert image.getpixel((39, 29)) == (255, 255, 90)


def test_crop_and_zoom_repeat_source_pixels(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "out.png"
    assert main(["show", f"{run}@0", "--crop", "10,5,4,3", "--zoom", "3", "--out", str(path)]) == 0
    source = gradient(40, 30)
    with Image.open(path) as image:
        assert image.size == (12, 9)
        for x in range(12):
            assert image.getpixel((x, 4)) == source.getpixel((10 + x // 3, 6))


def test_a_difference_shows_only_what_changed(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "out.png"
    assert (
        main(
            [
                "show",
                f"{run}@2",
                "--compare",
                f"{run}@0",
                "--diff",
                "abs",
                "--gain",
                "10",
                "--out",
                str(path),
            ]
        )
        == 0
    )
    with Image.open(path) as image:
        assert image.getpixel((0, 0)) == (20, 40, 60)
        assert image.crop((1, 0, 40, 30)).getextrema() == ((0, 0),) * 3


def test_compare_puts_both_side_by_side(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "out.png"
    assert main(["show", f"{run}@2", "--compare", f"{run}@1", "--out", str(path)]) == 0
    with Image.open(path) as image:
        assert image.size == (88, 30)
        assert (image.getpixel((0, 0)), image.getpixel((48, 0))) == ((2, 4, 6), (1, 2, 3))


def test_out_never_writes_over_a_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_name(capsys)
    picture = root / "pier" / "run-0" / "step_0.png"
    before = picture.read_bytes()
    assert main(["show", f"{run}@1", "--out", str(picture)]) == 2
    assert picture.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["@1"], 2),
        (["{run}"], 2),
        (["{run}@9"], 2),
        (["{run}@1", "--crop", "1,2,3"], 2),
        (["{run}@1", "--crop", "0,0,41,1", "--out", "x.png"], 2),
        (["{run}@1", "--diff", "abs"], 2),
        (["{run}@1", "--zoom", "0"], 2),
        (["{run}@1", "--align"], 2),
        (["{run}@1", "--sheet", "7-9", "--out", "x.png"], 2),
    ],
)
def test_what_cannot_be_done_is_said(
    root: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int
) -> None:
    run = run_name(capsys)
    assert main(["show", *(word.format(run=run) for word in words)]) == code
    assert "fix:" in capsys.readouterr().err


def test_places_and_crops_are_read() -> None:
    assert parse_place("a@b/run-0@12") == ("a@b/run-0", 12)
    assert parse_crop("1,2,3,4") == (1, 2, 3, 4)
    for text in ("1,2,3", "1,2,0,4", "-1,2,3,4", "a,b,c,d"):
        with pytest.raises(UsageError):
            parse_crop(text)


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("half", "▀.*ok  40x30"),
        ("sixel", r"\x1bP0;0;0q.*ok  40x30"),
        ("kitty", "\x1b_Ga=T.*\U0010eeee.*ok  40x30"),
        ("iterm", "\x1b]1337;File=.*ok  40x30"),
    ],
)
def test_in_a_terminal_the_picture_stands_above_the_facts(
    root: Path, capsys: pytest.CaptureFixture[str], kind: str, pattern: str
) -> None:
    run = run_name(capsys)
    arguments = ("--root", str(root), "show", f"{run}@1")
    with FakeTerminal(kind, "b100tui", *arguments) as terminal:
        assert terminal.finish() == 0
        assert re.search(pattern, terminal.text(), re.DOTALL)


def test_a_score_that_failed_is_said_to_have_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for step in range(3):
        Image.new("RGB", (1, 1)).save(tmp_path / f"step_{step}.png")
    main(["score", "--root", str(tmp_path), "--metrics", "probes"])
    capsys.readouterr()
    name = tmp_path.name
    assert main(["show", f"{name}@1", "--root", str(tmp_path)]) == 0
    assert re.search(r"noise_sigma +failed", capsys.readouterr().out)


def test_a_sheet_holds_every_step_reduced_and_captioned(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "sheet.png"
    assert main(["show", f"{run}@0", "--sheet", "0-2", "--out", str(path)]) == 0
    with Image.open(path) as image:
        # three tiles of 40x30 in two columns, 8 px around, 18 px of caption
        assert image.size == (2 * 48 + 8, 2 * 56 + 8)
        for step, place in enumerate([(8, 8), (56, 8), (8, 64)]):
            assert image.getpixel(place) == (step, 2 * step, 3 * step)


def test_a_sheet_of_crops_keeps_their_pixels_times_the_zoom(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "sheet.png"
    words = ["--sheet", "1", "--crop", "0,0,4,3", "--zoom", "5", "--out", str(path)]
    assert main(["show", f"{run}@0", *words]) == 0
    with Image.open(path) as image:
        tile = image.crop((8, 8, 28, 23))
        assert tile.crop((0, 0, 5, 5)).getcolors() == [(25, (1, 2, 3))]


def test_align_says_what_it_found(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_name(capsys)
    path = tmp_path / "out.png"
    words = ["--compare", f"{run}@1", "--diff", "abs", "--align", "--out", str(path)]
    assert main(["show", f"{run}@1", *words]) == 0
    assert "identical" in capsys.readouterr().err
    with Image.open(path) as image:
        assert image.getextrema() == ((0, 0),) * 3
