import json
from pathlib import Path

import pytest

from b100tui.cli import index
from b100tui.cli.main import main
from b100tui.workspace.places import cache_dir
from tests.index.folder import add_run, add_step, png

RUN = "fog/replicate-2k/run-0"
KEYS = {
    *("generation", "runs", "steps", "sections", "scores", "verdicts", "marks", "added"),
    *("changed", "removed", "unreadable", "seconds"),
}


def report(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["index", *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 3)
    found = report(capsys, str(tmp_path))
    assert found.keys() >= KEYS
    assert (found["runs"], found["steps"], found["added"], found["unreadable"]) == (1, 3, 3, 0)


def test_rebuild_reads_everything_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_run(tmp_path, RUN, 3)
    report(capsys, str(tmp_path))
    assert report(capsys, str(tmp_path))["added"] == 0
    again = report(capsys, str(tmp_path), "--rebuild")
    assert (again["added"], again["generation"]) == (3, 2)


def test_verify_names_a_picture_that_differs_from_its_sidecar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 3)
    assert report(capsys, str(tmp_path), "--verify")["mismatched"] == []
    path = tmp_path / RUN / "step-001.png"
    old = path.read_bytes()
    path.write_bytes(old[:-20] + bytes([old[-20] ^ 1]) + old[-19:])
    (found,) = report(capsys, str(tmp_path), "--verify")["mismatched"]  # type: ignore[misc]
    assert found["path"] == f"{RUN}/step-001.png"


def test_a_bad_file_is_reported_and_the_exit_code_stays_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 2)
    (tmp_path / RUN / "step-001.png").write_bytes(b"")
    assert main(["index", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "1 unreadable" in told.out and "step-001.png" in told.err


def test_previews_are_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_run(tmp_path, RUN, 2)
    (tmp_path / RUN / "step-000.png").write_bytes(png(3, 40, 30))
    assert main(["index", str(tmp_path), "--previews"]) == 0
    assert list((cache_dir(tmp_path) / "previews").rglob("*.jpg"))
    assert "2 pictures" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", str(tmp_path / "nothing")]) == 1
    assert "nothing does not exist" in capsys.readouterr().err


def test_watching_tells_each_new_generation_until_it_is_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, RUN, 1)
    looked = 0

    def another_look(_: float) -> None:
        nonlocal looked
        looked += 1
        if looked == 1:
            add_step(tmp_path, RUN, 1)
        if looked == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(index, "sleep", another_look)
    assert main(["index", str(tmp_path), "--watch", "--json"]) == 130
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(found["generation"], found["steps"]) for found in told] == [(1, 1), (2, 2)]


def test_verify_says_how_many_pictures_have_no_recorded_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 2)
    for step in range(3):
        (tmp_path / "photos").mkdir(exist_ok=True)
        (tmp_path / "photos" / f"step_{step}.png").write_bytes(png(step, 4, 4))
    assert main(["index", str(tmp_path), "--verify"]) == 0
    out = capsys.readouterr().out
    assert "2 pictures with a recorded hash, 0 differ" in out
    assert "3 pictures without one" in out


def test_verify_names_pictures_that_are_not_those_of_their_sidecars(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_run(tmp_path, RUN, 3)
    longer, other = (tmp_path / RUN / f"step-00{step}.png" for step in (1, 2))
    longer.write_bytes(longer.read_bytes() + b"x")
    data = bytearray(other.read_bytes())
    data[-20] ^= 1
    other.write_bytes(data)
    assert main(["index", str(tmp_path), "--verify", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verified"] == 3
    assert {Path(one["path"]).name: one["reason"][:9] for one in told["mismatched"]} == {
        "step-001.png": "the image",
        "step-002.png": "sha256 is",
    }
