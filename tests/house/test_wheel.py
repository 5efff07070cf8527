from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.house.tree import TOP

DATA = {".sql", ".tcss", ".toml", ".txt", ".json"}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(TOP)).build(directory=str(folder), versions=["standard"])
    with ZipFile(path) as wheel:
        return set(wheel.namelist())


def test_the_named_queries_and_the_themes_ship(names: set[str]) -> None:
    for folder in ("queries", "themes"):
        files = [path.name for path in (TOP / folder).iterdir() if path.is_file()]
        assert files
        assert {f"b100tui/{folder}/{name}" for name in files} <= names


def test_every_data_file_of_a_room_ships(names: set[str]) -> None:
    data = [path for path in (TOP / "b100tui").rglob("*") if path.suffix in DATA]
    assert data
    assert {str(path.relative_to(TOP)) for path in data} <= names


def test_tests_and_tools_stay_out(names: set[str]) -> None:
    assert {Path(name).parts[0].split("-")[0] for name in names} == {"b100tui", "b100"}
