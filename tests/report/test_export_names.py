from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.report.export import export
from b100tui.report.export_names import Folders
from tests.report.test_export import everything, indexed
from tests.sources.made import put


@pytest.mark.parametrize(
    ("run", "folder"),
    [
        ("dongpo/replicate-2k/run-1", "dongpo/replicate-2k/run-1"),
        ("/etc//passwd", "etc/passwd"),
        ("../up", "_/up"),
        (".hidden/a:b*c", "_hidden/a_b_c"),
        ("con/drafts/x", "_con/_drafts/x"),
        ("", "run"),
        ("a\x1b[31m\n", "a_[31m_"),
        ("dots...", "dots"),
    ],
)
def test_a_run_gets_a_folder_that_any_file_system_takes(run: str, folder: str) -> None:
    assert Folders().of(run) == folder


def test_equal_folders_are_told_apart_also_by_case() -> None:
    folders = Folders()
    assert [folders.of(run) for run in ("a:b", "a*b", "A_B", "a_b/c")] == [
        *("a_b", "a_b~2", "A_B~3"),
        "a_b/c",
    ]


def test_a_long_name_keeps_its_beginning_and_a_hash() -> None:
    one, other = Folders().of("é" * 200 + "1"), Folders().of("é" * 200 + "2")
    assert one != other
    assert len(one.encode()) <= 100


@given(st.lists(st.text(max_size=30), max_size=8, unique=True))
def test_every_run_has_a_folder_of_its_own_inside_the_export(runs: list[str]) -> None:
    folders = Folders()
    found = [folders.of(run) for run in runs]
    assert len({name.casefold() for name in found}) == len(runs)
    for name in found:
        assert not name.startswith("/")
        assert not {"", ".", ".."} & set(name.split("/"))
        assert not any(part.startswith(".") for part in name.split("/"))


def test_a_run_inside_the_folder_of_another_goes_out_and_comes_in(tmp_path: Path) -> None:
    put(tmp_path, *(f"in/cat/step_{n}.png" for n in range(3)))
    put(tmp_path, *(f"in/cat/more/step_{n}.png" for n in range(4)))
    index = indexed(tmp_path / "in")
    export(index, tmp_path / "out", "files")
    assert everything(indexed(tmp_path / "out")) == everything(index)
