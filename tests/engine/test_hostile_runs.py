"""Run folders that somebody changed, and disks that refuse: what is wrong is named."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from b100tui.engine import making
from b100tui.engine.attempts import append_attempts
from b100tui.engine.chain import read_chain
from b100tui.engine.edit import make, plan
from b100tui.engine.judge import template
from b100tui.engine.planning import find_run, run_folders
from b100tui.engine.plans import read_experiment
from b100tui.engine.request import Ask, Continue, New
from b100tui.engine.runfolder import read_plan
from b100tui.model.errors import PictureError, StoreError, UnknownRunError, UsageError
from b100tui.workspace.places import config_dir
from tests.engine.made import edit_new, image, root_of, served

PLAIN = {"run": "a/b/run-0", "image": "a", "recipe": "r", "setting": "b", "editor": "e"}


def made(tmp_path: Path, steps: int = 1) -> tuple[Path, Path]:
    """A root with one simulated run, and the run's folder."""
    root = root_of(tmp_path)
    (run,) = edit_new(root, image(tmp_path), editor="simulate", steps=steps).runs
    return root, root / run.run


def changed(path: Path, **more: object) -> None:
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | more))


@pytest.mark.parametrize("key", ["seed_policy", "inputs"])
def test_a_plan_of_another_version_is_named(tmp_path: Path, key: str) -> None:
    told = PLAIN | {"repeat": 0, key: "initial:0"}
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(told))
    with pytest.raises(StoreError, match=f"{key} 'initial:0' is not known here"):
        read_plan(tmp_path)


def test_a_sidecar_that_tells_another_step_is_named(tmp_path: Path) -> None:
    _, folder = made(tmp_path)
    changed(folder / "step-001.json", step=5)
    with pytest.raises(StoreError, match="says that it is of step 5"):
        read_chain(folder, read_plan(folder))


def test_a_sidecar_that_names_a_picture_elsewhere_is_refused(tmp_path: Path) -> None:
    _, folder = made(tmp_path)
    path = folder / "step-001.json"
    told: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    outside = folder.parent / told["output"]["file"]
    (folder / told["output"]["file"]).rename(outside)
    told["output"]["file"] = f"../{outside.name}"
    path.write_bytes(msgspec.json.encode(told))
    with pytest.raises(StoreError, match="lies outside"):
        read_chain(folder, read_plan(folder))


def test_attempts_with_odd_amounts_and_ids_count_as_nothing(tmp_path: Path) -> None:
    root, folder = made(tmp_path)
    append_attempts(folder, {"kind": "outcome", "id": [1], "settled": "a lot"})
    append_attempts(folder, {"kind": "outcome", "id": "x", "settled": True, "possibly_billed": -1})
    (run,) = make(root, plan(root, Continue(run=read_plan(folder).run, steps=1))).runs
    assert (run.status, run.total_usd) == ("done", 0.0)


def test_a_draft_that_finds_no_room_does_not_cost_the_paid_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("no room for drafts")

    monkeypatch.setattr(making, "keep_drafts", full)
    root = root_of(tmp_path)
    with served():
        (run,) = edit_new(root, image(tmp_path), steps=1).runs
    assert run.reason == "no room for drafts"
    assert read_chain(root / run.run, read_plan(root / run.run)).last == 1


def test_a_picture_that_is_gone_before_the_run_begins_is_named(tmp_path: Path) -> None:
    root, picture = root_of(tmp_path), image(tmp_path)
    (planned,) = plan(root, New(images=(picture,), ask=Ask(editor="simulate", steps=1)))
    picture.unlink()
    with pytest.raises(PictureError, match=r"cat\.png"):
        making.begin(root, planned)


@pytest.mark.parametrize("name", ["a" * 400, "/", "/etc"])
def test_a_name_that_is_no_run_is_unknown(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownRunError):
        find_run(tmp_path, name)


def test_a_run_outside_the_root_is_not_found_by_its_path(tmp_path: Path) -> None:
    _, folder = made(tmp_path)
    with pytest.raises(UnknownRunError):
        find_run(tmp_path / "other", str(folder))


def test_runs_with_odd_digits_in_their_names_are_listed(tmp_path: Path) -> None:
    for name in ("1²3", "1x3"):
        folder = tmp_path / "a" / name / "run-0"
        folder.mkdir(parents=True)
        (folder / "run.json").write_text("{}")
    assert len(run_folders(tmp_path)) == 2


def test_a_plan_file_with_an_unknown_session_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('about = "x"\n[[groups]]\nimages = ["a"]\nsession = "dialog"\n')
    with pytest.raises(UsageError, match="session"):
        read_experiment(str(path))


def test_a_judge_s_question_that_is_no_text_is_named() -> None:
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "judge.txt").write_bytes(b"\xff {summary}")
    with pytest.raises(UsageError, match=r"judge\.txt"):
        template()
