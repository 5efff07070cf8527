"""The README's own lines, run as they stand there on a small folder of runs."""

import re
import shlex
from pathlib import Path

import pytest
from PIL import Image

from b100tui.cli.main import main
from tests.house.test_readme import LINES, README

RUN = "plate/replicate/run-0"
SCREEN = {"explore", "completion"}  # a terminal, a shell: tests/e2e and tests/cli drive those
FINE = {0, 3, 4}
SHOWN = [
    line
    for line in LINES
    if line.startswith("b100 ") and shlex.split(line, comments=True)[1] not in SCREEN
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "FOLDER" / RUN
    folder.mkdir(parents=True)
    for step in range(4):  # grain, because a flat picture has no value for some probes
        Image.effect_noise((96, 64), 20 + 5 * step).save(folder / f"step-{step:03}.png")
    Image.effect_noise((96, 64), 30).convert("RGB").save(tmp_path / "plate.png")
    image = "(?P<image>[^/]+)/(?P<task>[^/]+)/run-(?P<run>\\d+)/step-(?P<step>\\d+)\\.png"
    (tmp_path / "my.toml").write_text(f"image = '{image}'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("B100_ROOT", str(tmp_path / "FOLDER"))
    return tmp_path


def words_of(line: str) -> list[str]:
    words = shlex.split(line, comments=True)[1:]
    if "|" in words:
        words = words[: words.index("|")]
    return [RUN if word == "RUN" else word for word in words]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", SHOWN)
def test_a_line_of_the_readme_does_its_work(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(words_of(line))
    out, err = capsys.readouterr()
    assert code in FINE, err
    assert out


def test_the_notebook_of_the_readme_runs(here: Path) -> None:
    (block,) = (
        one for one in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "b100.open" in one
    )
    known: dict[str, object] = {}
    exec(block, known)  # the README's own lines
    assert known["rows"] is not None
    assert known["table"] is not None
