"""The five additions that the README shows: each works as it stands there, in few lines."""

import json
import os
import re
import stat
import sys
from pathlib import Path

import pytest
from PIL import Image

from b100tui.sources import folder as scanning
from b100tui.sources import scan_folder
from b100tui.sources.layouts.protocol import Layout
from b100tui.workspace.places import config_dir
from tests.cli.calls import b100
from tests.house.tree import TOP
from tests.index.folder import add_run

SECTION = (TOP / "README.md").read_text(encoding="utf-8").split("## Contributing", 1)[1]
BLOCKS = re.findall(r"\*\*(An? \w+)\*\*.*?```\w+\n(.*?)```", SECTION, re.DOTALL)
SHOWN = {words.split()[-1]: block for words, block in BLOCKS}


@pytest.fixture
def path_has_this_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python3` of the README is the Python that has Pillow, as in an activated environment."""
    place = tmp_path / "bin"
    place.mkdir()
    script = place / "python3"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")


def own(name: str, text: str) -> None:
    path = config_dir() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def picture(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (64, 48), (0, 0, 0))
    image.paste((255, 255, 255), (0, 0, 32, 48))
    image.save(path)
    return path


def test_all_five_are_shown_in_under_twenty_lines() -> None:
    assert set(SHOWN) == {"editor", "metric", "layout", "query", "theme"}
    assert {
        name: len(text.splitlines()) for name, text in SHOWN.items() if text.count("\n") > 19
    } == {}


@pytest.mark.usefixtures("path_has_this_python")
def test_the_editor_makes_a_run(tmp_path: Path) -> None:
    own("editors.toml", SHOWN["editor"])
    given, root = picture(tmp_path / "cat.png"), tmp_path / "runs"
    root.mkdir()
    words = ["edit", "new", str(given), "--editor", "mirror", "--steps", "1", "--yes", "--json"]
    done = b100(*words, "--root", str(root))
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    (made,) = (root / run["run"]).glob("step-001.png")
    with Image.open(made) as image:
        assert image.convert("RGB").getpixel((0, 0)) == (0, 0, 0)
        assert image.convert("RGB").getpixel((63, 0)) == (255, 255, 255)


@pytest.mark.usefixtures("path_has_this_python")
def test_the_metric_scores_a_step(tmp_path: Path) -> None:
    own("metrics.toml", SHOWN["metric"])
    for step in range(3):
        picture(tmp_path / "runs" / "cat" / f"step_{step}.png")
    root = str(tmp_path / "runs")
    done = b100("score", "--root", root, "--metrics", "mean_grey", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads(b100("runs", root, "--json").stdout)
    steps = json.loads(b100("steps", run["run"], "--root", root, "--json").stdout)
    assert [step["scores"]["mean_grey"] for step in steps] == [127.5] * 3


def test_the_layout_reads_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second", "third"):
        picture(tmp_path / "cat" / f"{name}.png")
    (tmp_path / "cat" / "order.txt").write_text("third.png\nfirst.png\n")
    made: dict[str, Layout] = {}
    exec(SHOWN["layout"], made)
    monkeypatch.setattr(scanning, "layouts", lambda: (made["LAYOUT"],))
    scan = scan_folder(tmp_path)
    (source,) = scan.runs
    assert source.run.run == "cat"
    assert [step.picture.path for step in source.steps] == ["cat/third.png", "cat/first.png"]
    assert "cat/second.png" in {left.path for left in scan.unused}


def test_the_query_answers(tmp_path: Path) -> None:
    own("queries/longest-runs.sql", SHOWN["query"])
    for repeat, steps in ((0, 2), (1, 5), (2, 3)):
        add_run(tmp_path / "runs", f"fog/replicate-2k/run-{repeat}", steps)
    words = ["query", "longest-runs", "-p", "most=2", "--json", "--root", str(tmp_path / "runs")]
    done = b100(*words)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["run"][-1], row["steps"]) for row in rows] == [("1", 4), ("2", 2)]


def test_the_theme_is_one_of_those_that_t_goes_through() -> None:
    from b100tui.tui.themes import load_theme, theme_files

    own("themes/paper.toml", SHOWN["theme"])
    files = theme_files([config_dir() / "themes"])
    theme = load_theme(files["paper"])
    assert (theme.name, theme.dark, theme.background) == ("paper", False, "#f6f1e4")
