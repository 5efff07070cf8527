"""Sidecars, plans, tables, parts and mappings with changed bytes: each costs only itself."""

import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.model.errors import B100Error, LayoutError
from b100tui.sources import scan_folder
from b100tui.workspace.places import workspace_dir
from tests.index.folder import add_run, mark, png, record, score
from tests.mutations import mutated

KEPT = "fog/replicate-2k/run-0"
HARMED = "dongpo/replicate-2k/run-0"
MAPPING = b"""
prefer = ["png", "jpg"]
[[runs]]
files = 'others/(?P<image>[a-z]+)/step_(?P<step>[0-9]+)\\.png'
recipe = "replicate"
[[scores]]
file = "others/scores.csv"
key = ["image", "step"]
shape = "wide"
"""
TABLES = {
    "others/scores.csv": b"image,step,brisque,niqe\ncat,0,12.5,3\ncat,1,8.1,2.9\ncat,2,nan,1e400\n",
    "others/steps.jsonl": b'{"run": "cat", "step": 1, "prompt": "a", "scores": {"niqe": 2}}\n' * 3,
    "others/cat/step_1.json": b'{"prompt": "x", "seed": 5, "parameters": {"a": []}, "brisque": 3}',
    "others/metadata.jsonl": b'{"file_name": "cat/step_1.png", "step": 1, "prompt": "p"}\n' * 2,
    "others/cat/step_2.txt": b"# Examining\n\nThe plate is **red**.\n",
}
TRIED = 5


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fuzz") / "root"
    for run in (KEPT, HARMED):
        add_run(root, run, 3, sections=(("Final Check", "All well"),))
    for step in range(3):
        path = root / "others" / "cat" / f"step_{step}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(step))
    return root


def kept_is_whole(root: Path) -> None:
    """Build anew and read as the explorer does: the run that nobody touched is as it was."""
    refresh(root)
    index = open_index(root)
    try:
        assert [step.status for step in index.steps(KEPT)] == ["ok"] * 3
        for row in index.runs():
            index.step_views(row.run)
            index.series(row.run)
    finally:
        index.close()


@pytest.mark.parametrize("name", ["step-001.json", "run.json"])
def test_any_sidecar_or_plan_costs_only_its_run(whole: Path, tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(whole, root)
    path = root / HARMED / name
    for data in mutated(path.read_bytes(), TRIED, 1 + len(name)):
        path.write_bytes(data)
        kept_is_whole(root)


@pytest.mark.parametrize("name", TABLES)
def test_any_table_costs_only_what_it_tells(whole: Path, tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(whole, root)
    for data in mutated(TABLES[name], TRIED, 100 + len(name)):
        (root / name).write_bytes(data)
        kept_is_whole(root)


@pytest.mark.parametrize("kind", ["scores", "marks"])
def test_any_part_costs_only_its_lines(whole: Path, tmp_path: Path, kind: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(whole, root)
    good: dict[str, Callable[[int], object]] = {
        "scores": lambda n: score(KEPT, n % 3, "brisque", 20.0 + n),
        "marks": lambda n: mark(f"m{n}", KEPT, n % 3, "tint"),
    }
    writer = record(root, kind, *(good[kind](n) for n in range(3)))
    assert writer.path is not None
    line = writer.path.read_bytes()
    (workspace_dir(root) / kind).mkdir(parents=True, exist_ok=True)
    for data, nth in zip(mutated(line, TRIED, 7), range(10**6), strict=False):
        (workspace_dir(root) / kind / f"other-{nth}.jsonl").write_bytes(data)
        kept_is_whole(root)


def test_any_mapping_is_used_or_refused_with_its_place(whole: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(whole, root)
    (root / "others" / "scores.csv").write_bytes(TABLES["others/scores.csv"])
    path = tmp_path / "mapping.toml"
    assert scan_folder(root, _written(path, MAPPING)).runs
    for data in mutated(MAPPING, 60 * TRIED, 3):
        try:
            scan_folder(root, _written(path, data))
        except LayoutError as error:
            assert "mapping" in error.message
            assert error.hint


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


WORDS = (
    *("image:fog", "step>1", "brisque<20", "brisque.gap>0", "onset<8", '"All well"', "verdict:yes"),
    *("(", ")", "OR", "NOT", "-", "mark:tint", "step:", ">", '"', "label.x:1", "é", "%", "_", "'"),
    *(
        "step>99999999999999999999",
        "brisque>1e999",
        "brisque>nan",
        "coverage>0.5",
        "\x1b[31m",
        "\0",
    ),
)


def test_any_filter_and_any_search_is_answered_or_refused_in_words(whole: Path) -> None:
    refresh(whole)
    index = open_index(whole)
    answered = 0
    try:
        for one, two in product(WORDS, repeat=2):
            for text in (f"{one} {two}", f"({one}) OR -{two}"):
                for ask in (index.run_ids, index.search, lambda t: index.matching_steps(KEPT, t)):
                    try:
                        ask(text)
                        answered += 1
                    except B100Error as error:
                        assert error.exit_code == 2, (text, error)
                        assert "\x1b" not in error.message
    finally:
        index.close()
    assert answered > len(WORDS)
