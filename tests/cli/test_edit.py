"""`b100 edit` as a person and a script call it: exit codes, JSON, the yes before money."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.engine.runfolder import read_plan
from tests.cli.calls import command, environment
from tests.engine.made import KEY, image, root_of, served

SIM = ("--editor", "simulate", "--set", "scale=0.05")


def new(root: Path, picture: Path, *words: str) -> int:
    return main(["edit", "new", str(picture), "--root", str(root), *words])


def test_a_new_run_is_told_as_the_contract_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    assert new(root, image(tmp_path), *SIM, "--steps", "2", "--repeats", "2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"runs", "usd", "possibly_billed_usd"}
    assert [run["status"] for run in told["runs"]] == ["done", "done"]
    keys = {"run", "steps_done", "status", "reason", "usd", "total_usd"}
    assert keys <= set(told["runs"][0])


def test_an_estimate_is_told_as_the_contract_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    words = ("--editor", "nano-banana-pro", "--estimate", "--json")
    assert new(root, image(tmp_path), *words) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"images", "usd", "hours", "gigabytes", "limits", "price_table_date"} <= set(told)
    assert told["images"] == 100
    assert told["usd"]["low"] < told["usd"]["likely"] < told["usd"]["high"]
    assert list(root.iterdir()) == []


def test_paid_work_does_not_begin_without_a_yes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        assert new(root, image(tmp_path), "--editor", "nano-banana-pro", "--steps", "1") == 2
        assert "cost money" in capsys.readouterr().err
        words = ("--editor", "nano-banana-pro", "--steps", "1", "--yes")
        assert new(root, image(tmp_path), *words) == 2
        assert "--budget" in capsys.readouterr().err
        assert fake.calls() == 0
        assert new(root, image(tmp_path), *words, "--budget", "1") == 0
        assert fake.calls() == 1


def test_a_run_that_ends_early_leaves_with_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        fake.fail(2, "400")
        words = ("--editor", "nano-banana-pro", "--steps", "3", "--yes", "--budget", "5")
        assert new(root, image(tmp_path), *words, "--json") == 4
    told = json.loads(capsys.readouterr().out)["runs"][0]
    assert (told["status"], told["steps_done"]) == ("stopped", 1)
    assert "400" in told["reason"]


def test_edit_needs_its_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["edit", "new", str(image(tmp_path)), *SIM]) == 2


def test_a_run_continues_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = root_of(tmp_path)
    new(root, image(tmp_path), *SIM, "--steps", "1")
    assert main(["edit", "continue", "cat/", "--steps", "2", "--root", str(root), "--json"]) == 0
    out = capsys.readouterr().out.splitlines()[-1]
    assert json.loads(out)["runs"][0]["steps_done"] == 3


def test_a_step_of_a_foreign_run_is_forked_into_another_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign, root = tmp_path / "foreign", tmp_path / "mine"
    folder = foreign / "cat" / "run-0"
    folder.mkdir(parents=True)
    for number in range(3):
        image(folder, f"step-{number:03d}.png", seed=number)
    before = sorted(foreign.rglob("*"))
    words = ["edit", "fork", "cat@2", "--root", str(foreign), "--into", str(root), *SIM]
    assert main([*words, "--steps", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    made = read_plan(root / told["runs"][0]["run"])
    assert made.parent is not None and made.parent.endswith("@2")
    assert sorted(foreign.rglob("*")) == before


def test_the_key_stands_neither_in_the_output_nor_on_a_command_line(tmp_path: Path) -> None:
    root, picture = root_of(tmp_path), image(tmp_path)
    with served() as fake:
        fake.fail(1, "stall", seconds=300)
        words = ["edit", "new", str(picture), "--root", str(root), "--editor", "nano-banana-pro"]
        child = subprocess.Popen(
            command([*words, "--steps", "2", "--yes", "--budget", "2", "-v"]),
            env=environment({"GEMINI_API_KEY": KEY, "PYTHONUNBUFFERED": "1"}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert fake.called.wait(240)
        line = Path(f"/proc/{child.pid}/cmdline")
        if line.exists():
            assert KEY.encode() not in line.read_bytes()
        child.send_signal(signal.SIGINT)
        assert child.stderr is not None
        err = ""
        while "finishing" not in err:
            err += child.stderr.readline()
        child.send_signal(signal.SIGINT)
        out, rest = child.communicate(timeout=240)
        err += rest
    assert child.returncode == 130
    assert KEY not in out + err


def test_editing_is_not_imported_before_a_live_call(tmp_path: Path) -> None:
    import sys

    code = (
        "import sys; from b100tui.cli.main import main\n"
        "main(sys.argv[1:])\n"
        "print(sorted(m for m in sys.modules if m.startswith(('google.genai', 'torch'))))"
    )
    words = ["edit", "new", str(image(tmp_path)), "--editor", "nano-banana-pro", "--estimate"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--root", str(tmp_path)],
        env=environment(None),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_detached_edit_is_a_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from b100tui.jobs import read_job, tail

    root = root_of(tmp_path)
    assert new(root, image(tmp_path), *SIM, "--steps", "2", "--detach", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    watch = subprocess.run(
        command(["jobs", "log", told["job"], "--follow", "--root", str(root)]),
        env=environment(None),
        capture_output=True,
        timeout=240,
        check=False,
    )
    assert watch.returncode == 0
    job = read_job(root, told["job"])
    assert (job.state, job.done, job.total) == ("done", 2, 2), tail(root, told["job"]).log
    assert (root / told["runs"][0] / "step-002.json").exists()


def test_continuing_a_run_that_b100_did_not_make_never_means_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = root_of(tmp_path)
    foreign = root / "cat"
    foreign.mkdir()
    picture = image(tmp_path)
    for step in range(3):
        (foreign / f"step_{step}{picture.suffix}").write_bytes(picture.read_bytes())
    words = ("--root", str(root), "--steps", "1")
    assert main(["edit", "fork", "cat@1", *SIM, *words]) == 0
    capsys.readouterr()
    assert main(["edit", "continue", "cat", *words]) == 1
    assert "b100 edit fork RUN@STEP" in capsys.readouterr().err
    assert [read_plan(path).parent for path in root.glob("cat/*/run-*")] == ["cat@1"]


def test_a_job_counts_all_runs_of_its_plan_from_its_first_step_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = root_of(tmp_path)
    words = ("--root", str(root), "--steps", "2", "--repeats", "3", "--jobs", "1")
    totals: list[int] = []

    class Counting:
        def progress(self, done: int, total: int, failed: int = 0) -> None:
            totals.append(total)

        def note(self, text: str) -> None: ...

        def flush(self) -> None: ...

    monkeypatch.setattr("b100tui.jobs.Reporter.current", Counting)
    assert main(["edit", "new", str(image(tmp_path)), *SIM, *words]) == 0
    assert set(totals) == {6}
