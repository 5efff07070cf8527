"""New runs, continuing, forking, resuming, plans: what is written, what is refused."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from b100tui.engine.chain import read_chain, set_aside
from b100tui.engine.edit import make, plan, prepare
from b100tui.engine.estimate import estimate, experiment_runs
from b100tui.engine.events import Progress
from b100tui.engine.plans import read_experiment
from b100tui.engine.request import Ask, Continue, Fork, FromPlan, Limits, New, Resume
from b100tui.engine.runfolder import read_plan
from b100tui.engine.stopping import Stop
from b100tui.model.errors import StoreError, UnknownRunError, UsageError
from b100tui.model.records import Sidecar
from b100tui.workspace.locks import hold
from b100tui.workspace.places import config_dir
from tests.engine.made import AT_ONCE, edit_new, image, noisy, root_of, served

SIM = {"editor": "sim-pro", "extra": {"scale": 0.05}}


def sidecar(folder: Path, step: int) -> Sidecar:
    return msgspec.json.decode((folder / f"step-{step:03d}.json").read_bytes(), type=Sidecar)


def test_a_new_run_holds_its_plan_its_pictures_and_its_provenance(tmp_path: Path) -> None:
    root, picture = root_of(tmp_path), image(tmp_path)
    report = edit_new(root, picture, steps=3, seed="per-step:5", **SIM)
    folder = root / report.runs[0].run
    assert (folder / "step-000.png").read_bytes() == picture.read_bytes()
    frozen = read_plan(folder)
    assert (frozen.steps_planned, frozen.simulated, frozen.seed_policy) == (3, True, "per-step")
    chain = read_chain(folder, frozen)
    assert chain.last == 3
    assert chain.at(2).input == chain.at(1).output
    assert len({one.seed for one in chain.steps[1:]}) == 3
    assert "SIMULATED" in chain.at(1).warnings
    assert chain.at(1).sections


def test_making_a_finished_run_again_calls_nothing(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        edit_new(root, image(tmp_path))
        before = fake.calls()
        assert plan(root, Resume()) == ()
        assert make(root, plan(root, Resume())).runs == ()
        assert fake.calls() == before


def test_continuing_adds_steps_under_the_same_plan(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=2, **SIM).runs[0].run
    before = read_plan(root / run)
    report = make(root, plan(root, Continue(run=run, steps=3)))
    assert report.runs[0].steps_done == 5
    after = read_plan(root / run)
    assert after.plan_hash == before.plan_hash
    assert after.steps_planned == 5


def test_repeats_go_on_counting(tmp_path: Path) -> None:
    root, picture = root_of(tmp_path), image(tmp_path)
    first = edit_new(root, picture, steps=1, repeats=2, **SIM)
    second = edit_new(root, picture, steps=1, **SIM)
    names = [run.run.rpartition("/")[2] for run in (*first.runs, *second.runs)]
    assert names == ["run-0", "run-1", "run-2"]


def test_a_fork_names_its_parent_and_leaves_it_alone(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=2, **SIM).runs[0].run
    before = {path: path.read_bytes() for path in (root / run).iterdir()}
    picture = root / run / sidecar(root / run, 2).output.file
    ask = Ask(recipe="restore", steps=1, **SIM)  # type: ignore[arg-type]
    request = Fork(parent=run, step=2, image="cat", picture=picture, ask=ask)
    report = make(root, plan(root, request))
    made = read_plan(root / report.runs[0].run)
    assert (made.parent, made.remedy) == (f"{run}@2", "restore")
    assert sidecar(root / made.run, 0).output.sha256 == sidecar(root / run, 2).output.sha256
    assert {path: path.read_bytes() for path in (root / run).iterdir()} == before


def test_a_changed_plan_is_refused(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=1, **SIM).runs[0].run
    path = root / run / "run.json"
    path.write_bytes(path.read_bytes().replace(b"exact replica", b"inexact copy"))
    with pytest.raises(StoreError, match="changed since the run began"):
        plan(root, Continue(run=run, steps=1))


def test_a_changed_picture_stops_resuming_and_is_named(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=2, **SIM).runs[0].run
    (root / run / "step-001.jpg").write_bytes(noisy(9, kind="JPEG"))
    report = make(root, plan(root, Continue(run=run, steps=1)))
    assert report.runs[0].status == "failed"
    assert "step 1" in report.runs[0].reason and "changed" in report.runs[0].reason


def test_a_missing_step_stops_resuming(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=3, **SIM).runs[0].run
    (root / run / "step-002.json").unlink()
    report = make(root, plan(root, Continue(run=run, steps=1)))
    assert "step 2 is missing" in report.runs[0].reason


def test_an_image_without_sidecar_is_set_aside_and_never_deleted(tmp_path: Path) -> None:
    folder = tmp_path
    for data in (b"one", b"two"):
        (folder / "step-007.jpg").write_bytes(data)
        assert set_aside(folder) == ("step-007.jpg",)
    kept = {path.read_bytes() for path in (folder / "orphans").iterdir()}
    assert kept == {b"one", b"two"}


def test_reanchored_steps_start_from_the_initial_image(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    (config_dir() / "recipes").mkdir(parents=True)
    (config_dir() / "recipes" / "anchor.toml").write_text(
        'about = "x"\nkind = "identity"\nprompts = ["Copy."]\ninputs = "initial:2"\n'
    )
    run = edit_new(root, image(tmp_path), steps=4, recipe="anchor", **SIM).runs[0]
    assert run.status == "done"
    first = sidecar(root / run.run, 0).output.sha256
    inputs = [sidecar(root / run.run, n).input for n in (1, 2, 3, 4)]
    assert [one is not None and one.sha256 == first for one in inputs] == [True, False, True, False]


def test_merged_instructions_ask_for_everything_of_the_initial_image(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=3, recipe="add-apples-merged", **SIM).runs[0].run
    third = sidecar(root / run, 3)
    assert third.prompt is not None and third.prompt.count("Add an apple") == 3
    assert third.input is not None
    assert third.input.sha256 == sidecar(root / run, 0).output.sha256


def test_two_engines_on_one_run_the_second_names_the_first(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=1, **SIM).runs[0].run
    lock = root / ".b100" / "locks" / f"{run.replace('/', '+')}.lock"
    with hold(lock, "edit elsewhere"):
        report = make(root, plan(root, Continue(run=run, steps=1)))
    assert report.runs[0].status == "failed"
    assert "edit elsewhere, pid" in report.runs[0].reason


def test_a_full_disk_loses_no_paid_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from b100tui.engine import making

    root = root_of(tmp_path)
    real = making.commit_step

    def full(folder: Path, data: bytes, record: Sidecar, **more: object) -> None:
        if record.step == 2:
            raise StoreError(f"cannot write {folder}: No space left on device")
        real(folder, data, record)

    with served() as fake:
        monkeypatch.setattr(making, "commit_step", full)
        run = edit_new(root, image(tmp_path)).runs[0]
        assert (run.status, run.steps_done) == ("failed", 1)
        assert "No space left" in run.reason and "kept in" in run.reason
        monkeypatch.setattr(making, "commit_step", real)
        report = make(root, plan(root, Resume()), policy=AT_ONCE)
        assert (report.runs[0].status, report.runs[0].steps_done) == ("done", 3)
        assert fake.calls() == 3
        assert report.runs[0].total_usd == pytest.approx(fake.total)


def test_a_folder_that_vanishes_is_named_and_its_paid_picture_kept(tmp_path: Path) -> None:
    root = root_of(tmp_path)

    def vanish(event: Progress) -> None:
        if event.kind == "asking" and event.step == 2:
            shutil.rmtree(root / event.run)

    with served():
        run = edit_new(root, image(tmp_path), tell=vanish).runs[0]
    assert run.status == "failed"
    assert "kept in" in run.reason


def test_asking_to_finish_lets_the_running_step_end(tmp_path: Path) -> None:
    root, stop = root_of(tmp_path), Stop()

    def tell(event: Progress) -> None:
        if event.kind == "asking" and event.step == 2:
            stop.ask("interrupted")

    with served():
        run = edit_new(root, image(tmp_path), steps=5, stop=stop, tell=tell).runs[0]
    assert (run.status, run.steps_done, run.reason) == ("stopped", 2, "interrupted")
    assert not (root / run.run / "stopped.json").exists()


def test_asking_twice_aborts_and_counts_as_possibly_billed(tmp_path: Path) -> None:
    root, stop = root_of(tmp_path), Stop()

    def tell(event: Progress) -> None:
        if event.kind == "asking" and event.step == 2:
            fake.called.clear()
            asks = (fake.called.wait, stop.ask, stop.ask)
            threading.Thread(target=lambda: [ask() for ask in asks]).start()

    with served() as fake:
        fake.fail(2, "stall", seconds=600)
        run = edit_new(root, image(tmp_path), steps=5, stop=stop, tell=tell).runs[0]
    assert (run.status, run.steps_done) == ("stopped", 1)
    assert run.possibly_billed_usd > 0


def test_a_run_of_a_fake_is_not_gone_on_with_by_the_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = root_of(tmp_path)
    with served():
        run = edit_new(root, image(tmp_path), steps=1).runs[0].run
    (config_dir() / "editors.toml").unlink()
    monkeypatch.setenv("GEMINI_API_KEY", "not-used")
    assert read_plan(root / run).simulated
    report = make(root, plan(root, Continue(run=run, steps=1)), policy=AT_ONCE)
    assert "was begun at loopback" in report.runs[0].reason


def test_a_growing_dialog_hands_back_its_answers_and_signatures(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        run = edit_new(root, image(tmp_path), session="single").runs[0]
        assert run.status == "done"
        contents = fake.log[-1]["body"]["contents"]
    assert [one["role"] for one in contents] == ["user", "model", "user", "model", "user"]
    assert "inlineData" in contents[0]["parts"][0]
    assert all("inlineData" not in part for part in contents[-1]["parts"])
    answers = [part for part in contents[1]["parts"] if "inlineData" in part]
    assert len(answers) == 1 and answers[0]["thoughtSignature"]


def test_interleaved_goes_through_the_sizes(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served(scale=1 / 32) as fake:
        edit_new(root, image(tmp_path), steps=4, resolution="interleaved")
        asked = [one["body"]["generationConfig"]["imageConfig"]["imageSize"] for one in fake.log]
    assert asked == ["1K", "2K", "4K", "1K"]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ({"editor": "nano-banana-9"}, "no editor"),
        ({"recipe": "mirorr"}, "no recipe"),
        ({"seed": "fixed:4294967296"}, "signed 32-bit"),
        ({"seed": "lucky"}, "seed"),
        ({"temperature": 3.0}, "temperature"),
        ({"resolution": "8K"}, "resolution"),
        ({"resolution": "512"}, "resolution"),
        ({"aspect_ratio": "7:3"}, "aspect ratio"),
        ({"editor": "gpt-image-2", "temperature": 1.0}, "takes no temperature"),
        ({"editor": "gpt-image-2", "session": "single"}, "takes no growing dialog"),
        ({"prompt": "  "}, "empty"),
        ({"steps": 0}, "steps"),
    ],
)
def test_what_the_editor_does_not_take_is_refused_before_anything_is_written(
    ask: dict[str, object], said: str, tmp_path: Path
) -> None:
    root = root_of(tmp_path)
    with pytest.raises(UsageError, match=said):
        plan(root, New(images=(image(tmp_path),), ask=Ask(**ask)))  # type: ignore[arg-type]
    assert list(root.iterdir()) == []


def test_an_unknown_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownRunError):
        plan(tmp_path, Continue(run="../../etc", steps=1))


def test_a_plan_file_makes_each_run_once(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    image(tmp_path, "cat.png")
    image(tmp_path, "dog.jpg", seed=1)
    path = tmp_path / "mine.toml"
    path.write_text(
        'about = "x"\nimages = { dog = "dog.jpg" }\n'
        '[[groups]]\nimages = ["cat", "dog"]\neditor = "sim-steady"\nsteps = 2\nrepeats = 2\n'
    )
    request = FromPlan(plan=str(path), images=tmp_path)
    report = make(root, plan(root, request), Limits(jobs=2))
    assert [run.status for run in report.runs] == ["done"] * 4
    again = make(root, plan(root, request))
    assert {run.run for run in again.runs} == {run.run for run in report.runs}
    assert len(list(root.glob("*/*/run-*"))) == 4


def test_the_papers_experiment_has_its_numbers() -> None:
    told = estimate(experiment_runs(read_experiment("banana100")), jobs=64)
    pro = next(part for part in told.editors if part.editor == "nano-banana-pro")
    assert (pro.runs, pro.images) == (280, 28_000)
    assert 3_763 <= pro.usd.low <= 3_900  # image tokens alone are $3,763; the paper: over $4,000
    assert 3_900 <= pro.usd.likely <= 4_200
    assert told.images == 28_000 + 3 * 1_400
    assert any("tier 1" in text for text in told.limits)


def test_preparing_writes_step_0_and_resume_takes_over(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    ask = Ask(steps=2, **SIM)  # type: ignore[arg-type]
    planned = plan(root, New(images=(image(tmp_path),), ask=ask))
    names = prepare(root, planned)
    assert (root / names[0] / "step-000.json").exists()
    report = make(root, plan(root, Resume(runs=names)))
    assert report.runs[0].steps_done == 2


def test_a_run_of_the_demo_is_forked_and_not_gone_on_with(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=1, **SIM).runs[0].run
    path = root / run / "run.json"
    told = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode(told | {"prompts": []}))
    with pytest.raises(UsageError, match="made by b100 demo"):
        plan(root, Continue(run=run, steps=1))
    assert plan(root, Resume()) == ()


def test_a_disk_that_takes_no_more_is_named_and_the_chain_stays_whole(tmp_path: Path) -> None:
    """A limit on the size of files makes every larger write fail as a full disk does."""
    root, picture = root_of(tmp_path), image(tmp_path)
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.engine.test_edit import SIM\n"
        "from tests.engine.made import edit_new\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
        "run = edit_new(Path(sys.argv[1]), Path(sys.argv[2]), steps=40, **SIM).runs[0]\n"
        "print(run.status, '|', run.reason)\n"
    )
    picture.write_bytes(noisy(size=(40, 25), kind="JPEG"))
    done = subprocess.run(
        [sys.executable, "-c", code, str(root), str(picture)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.stdout.startswith("failed | "), done.stderr
    assert "File too large" in done.stdout
    (folder,) = root.glob("*/*/run-*")
    chain = read_chain(folder, read_plan(folder))
    assert not list(folder.glob(".b100-*"))
    report = make(root, plan(root, Resume(runs=(read_plan(folder).run,))))
    assert report.runs[0].steps_done == 40
    assert chain.last < 40


def test_the_frozen_model_is_asked_whatever_the_table_says_later(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        run = edit_new(root, image(tmp_path), steps=1).runs[0].run
        path = config_dir() / "editors.toml"
        text = path.read_text().replace("[editors.nano-banana-pro]", _OTHER, 1)
        path.write_text(text)
        make(root, plan(root, Continue(run=run, steps=1)), policy=AT_ONCE)
        assert {one["path"] for one in fake.log} == {
            "/v1/models/gemini-3-pro-image:generateContent"
        }


_OTHER = '[editors.nano-banana-pro]\nmodel = "gemini-9"'


def test_an_editor_without_a_key_is_told_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    root = root_of(tmp_path)
    with pytest.raises(UsageError, match="key"):
        edit_new(root, image(tmp_path))
    assert list(root.iterdir()) == []


def test_merged_instructions_end_where_they_were_planned_to(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run = edit_new(root, image(tmp_path), steps=2, recipe="add-apples-merged", **SIM).runs[0].run
    with pytest.raises(UsageError, match="merges instructions"):
        plan(root, Continue(run=run, steps=1))
