"""What each command loads: heavy libraries come late, and torch only in worker processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from b100tui.cli.registry import COMMANDS
from tests.cli.calls import environment

SCREEN = {"textual", "textual_image", "rich"}
NUMBERS = {"numpy", "scipy", "skimage", "pywt", "cv2", "PIL", "pyvips"}
STORES = {"duckdb", "tantivy", "pyarrow"}
WORKER = {"torch", "torchvision", "pyiqa", "transformers", "diffusers", "ray"}
CLIENTS = {"google.genai", "httpx"}
HEAVY = SCREEN | NUMBERS | STORES | WORKER | CLIENTS

PROBE = """
import json, sys
from b100tui.cli.main import main
words = json.loads(sys.argv[2])
try:
    code = main(words)
except SystemExit as leaving:
    code = leaving.code
with open(sys.argv[1], "w") as file:
    json.dump({"code": code, "modules": sorted(sys.modules)}, file)
"""


def loaded(tmp_path: Path, *words: str) -> tuple[int, set[str]]:
    """Return the exit code of `b100 words` and the heavy libraries that its process loaded."""
    report = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(report), json.dumps(words)],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), done.stderr
    told = json.loads(report.read_text())
    return told["code"], {name for name in told["modules"] if name in HEAVY}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    from PIL import Image

    folder = tmp_path / "runs" / "plate"
    folder.mkdir(parents=True)
    for step in range(4):  # grain and edges: a flat picture has no value for some probes
        picture = Image.effect_noise((96, 64), 5 + step)
        picture.paste(Image.effect_noise((48, 40), 5 + step).point(lambda v: v + 90), (24, 12))
        picture.save(folder / f"step-{step:03}.png")
    return tmp_path / "runs"


def test_the_overview_loads_nothing_heavy(tmp_path: Path) -> None:
    assert loaded(tmp_path, "--help") == (0, set())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_loads_nothing_heavy(name: str, tmp_path: Path) -> None:
    assert loaded(tmp_path, name, "--help") == (0, set())


@pytest.mark.parametrize("words", [("config", "show"), ("help", "layouts"), ("help",)])
def test_words_about_b100_itself_load_nothing_heavy(words: tuple[str, ...], tmp_path: Path) -> None:
    assert loaded(tmp_path, *words) == (0, set())


@pytest.mark.parametrize(
    "words",
    [
        ("scan", "ROOT"),
        ("index", "ROOT"),
        ("runs", "ROOT", "--json"),
        ("steps", "plate", "--root", "ROOT", "--json"),
        ("search", "plate", "--root", "ROOT"),
        ("query", "--list"),
        ("sql", "SELECT 1", "--root", "ROOT"),
        ("metrics", "--json"),
        ("doctor", "--json"),
        ("score", "--root", "ROOT", "--metrics", "probes"),
    ],
    ids=lambda words: words[0],
)
def test_a_headless_command_loads_no_screen_no_torch_and_no_client(
    words: tuple[str, ...], root: Path, tmp_path: Path
) -> None:
    code, heavy = loaded(tmp_path, *(str(root) if word == "ROOT" else word for word in words))
    assert code == 0
    assert heavy & ({"textual", "textual_image"} | WORKER | CLIENTS) == set()


def test_listing_runs_loads_no_picture_library(root: Path, tmp_path: Path) -> None:
    loaded(tmp_path, "index", str(root))
    code, heavy = loaded(tmp_path, "runs", str(root), "--json")
    assert code == 0
    assert heavy & {"PIL", "cv2", "pyvips", "scipy", "skimage"} == set()


def test_explore_without_a_terminal_is_wrong_use_before_anything_heavy(
    root: Path, tmp_path: Path
) -> None:
    assert loaded(tmp_path, "explore", str(root)) == (2, set())
