"""`b100 score` against the contract."""

import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.scoring.pictures import draw, records


@pytest.fixture(autouse=True)
def this_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("B100_SCORE_PYTHON", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    for run in (0, 1):
        for step in range(3):
            draw(folder / f"run-{run}" / f"fog_step_{step}.png", 10 * run + step)
    return folder


def run(*words: str) -> int:
    return main(["score", *words, "--json"])


def test_scores_all_runs_and_then_finds_them_done(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--root", str(root), "--metrics", "lab_l,colour_cast") == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["wanted"], first["skipped"], first["done"], first["failed"]) == (12, 0, 12, {})
    assert first["by_metric"]["lab_l"]["n"] == 6
    assert first["by_metric"]["lab_l"]["mean_seconds"] > 0
    assert run("--root", str(root), "--metrics", "lab_l,colour_cast") == 0
    second = json.loads(capsys.readouterr().out)
    assert (second["wanted"], second["skipped"], second["done"]) == (12, 12, 0)


def test_runs_and_steps_narrow_the_work(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["runs", str(root), "--json"])
    name = json.loads(capsys.readouterr().out)[1]["run"]
    code = run(name, "--root", str(root), "--metrics", "lab_l,colour_cast", "--steps", "2")
    assert code == 0
    assert {(r.run, r.step, r.metric) for r in records(root)} == {
        (name, 2, "lab_l"),
        (name, 2, "colour_cast"),
    }


def test_a_metric_that_is_not_ready_leaves_with_4_and_its_reason(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--root", str(root), "--metrics", "niqe,lab_l") == 4
    report = json.loads(capsys.readouterr().out)
    ((reason, count),) = report["failed"]["niqe"].items()
    assert "score extra" in reason
    assert count == 6
    assert report["done"] == 6


def test_a_bad_picture_leaves_with_4_and_the_rest_is_scored(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = root / "run-0" / "fog_step_1.png"
    bad.write_bytes(bad.read_bytes()[:400])
    assert run("--root", str(root), "--metrics", "lab_l") == 4
    report = json.loads(capsys.readouterr().out)
    assert report["failed"] == {"lab_l": {"unreadable": 1}}
    assert report["done"] == 5


def test_without_a_root_it_is_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run() == 2
    assert "--root" in capsys.readouterr().err


def test_an_unknown_run_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("nothing-like-it", "--root", str(root)) == 1
    assert "nothing-like-it" in capsys.readouterr().err


def test_pictures_are_left_as_they_were(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*.png")}
    run("--root", str(root), "--nice")
    assert {path: path.read_bytes() for path in root.rglob("*.png")} == before


def test_detached_it_is_a_job_that_says_how_far_it_is(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("--root", str(root), "--metrics", "lab_l", "--detach") == 0
    job = json.loads(capfd.readouterr().out)["job"]
    assert main(["jobs", "log", job, "--follow", "--root", str(root)]) == 0
    assert "6 scores made" in capfd.readouterr().out
    main(["jobs", "--root", str(root), "--json"])
    (shown,) = json.loads(capfd.readouterr().out)
    assert (shown["id"], shown["state"], shown["kind"]) == (job, "done", "score")
    assert (shown["done"], shown["total"], shown["failed"]) == (6, 6, 0)
    assert shown["by"]["lab_l"]["done"] == 6
    assert len(records(root)) == 6


def test_a_part_scores_its_part_only(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = 0
    for part in range(3):
        assert run("--root", str(root), "--metrics", "lab_l", "--shard", f"{part}/3") == 0
        done += json.loads(capsys.readouterr().out)["done"]
    assert done == 6
    assert len(records(root)) == 6


def test_ray_that_is_not_there_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--root", str(root), "--metrics", "lab_l", "--ray", "127.0.0.1:9") == 1
    assert "Ray" in capsys.readouterr().err


def test_a_metric_that_nobody_registered_is_wrong_use(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--root", str(root), "--metrics", "brisk"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and "no metric 'brisk'" in told.err


def test_a_wrong_shard_is_wrong_use(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--root", str(root), "--shard", "3/3") == 2
    assert "--shard" in capsys.readouterr().err
