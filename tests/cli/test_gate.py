import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.workspace.places import cache_dir
from tests.index.folder import add_step, record, score
from tests.report.test_onsets import planted

RUN = "dongpo/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, seed in (("noise_sigma", 1), ("lab_b", 2)):
        values = planted(9, seed)
        record(tmp_path, "scores", *(score(RUN, at, name, v) for at, v in values.items()))
    for step in range(1, 31):
        add_step(tmp_path, RUN, step)
    return tmp_path


def test_json_has_the_keys_of_the_contract_and_the_code_is_3(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gate", RUN, "--root", str(root), "--json", "--no-probes"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told.keys() >= {
        *("run", "step", "crossed", "on", "value", "low", "high", "return_to", "why"),
    }
    assert (told["run"], told["step"], told["crossed"], told["on"]) == (RUN, 30, True, "onset")


def test_before_the_onset_it_leaves_with_0(root: Path) -> None:
    assert main(["gate", RUN, "--root", str(root), "--step", "8", "--no-probes"]) == 0


def test_no_decision_is_0_and_1_with_strict(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gate", RUN, "--root", str(root), "--step", "3", "--no-probes", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["crossed"] is None
    assert main([*words, "--strict"]) == 1


def test_a_run_named_in_full_builds_no_index(root: Path) -> None:
    main(["gate", RUN, "--root", str(root), "--no-probes"])
    assert not list(cache_dir(root).glob("index-*"))


def test_a_unique_prefix_is_enough(root: Path) -> None:
    assert main(["gate", "dongpo", "--root", str(root), "--no-probes"]) == 3


def test_a_run_that_b100_did_not_make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    folder = tmp_path / "plate"
    folder.mkdir()
    for step in range(12):
        Image.effect_noise((96, 64), 20).save(folder / f"step-{step:03}.png")
    assert main(["gate", "plate", "--root", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["crossed"], told["step"], told["measured"]) == (False, 11, 12)


def test_an_unknown_run_fails(root: Path) -> None:
    assert main(["gate", "zork", "--root", str(root)]) == 1
