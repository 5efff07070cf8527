import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.report.test_comparison import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "dongpo/replicate-2k/run-0", 1.0, 9)
    write(tmp_path, "fog/replicate-2k/run-0", 0.5, 9)
    return tmp_path


def test_json_has_the_keys_of_the_contract_for_both_groups(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "image:dongpo", "image:fog", "--root", str(root), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    for side in ("first", "second"):
        assert told[side].keys() >= {"steps", "metrics", "onset", "usd"}
        assert len(told[side]["metrics"]["brisque"]) == len(told["steps"]) == 3


def test_the_table_names_both_groups(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "image:dongpo", "image:fog", "--root", str(root)]) == 0
    out = capsys.readouterr().out
    assert "image:dongpo" in out and "onset:" in out and "USD" in out


def test_a_saved_table_against_now(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["gaps", "--root", str(root), "--json"])
    saved = tmp_path / "saved.json"
    saved.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["compare", f"@{saved}", "now", "--root", str(root), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["cells"], told["changed"]) == (6, [])


@pytest.mark.parametrize("words", [("image:zork", "image:fog"), ("@x.json", "image:fog")])
def test_wrong_use(words: tuple[str, str], root: Path) -> None:
    assert main(["compare", *words, "--root", str(root)]) in (1, 2)
