"""Each way in which a paid call can go wrong, over real HTTP: what the run and the ledger say."""

import hashlib
from functools import partial
from pathlib import Path

import msgspec
import pytest

from b100tui.engine import batch
from b100tui.engine.chain import read_chain
from b100tui.engine.edit import make, plan
from b100tui.engine.events import Progress, RunReport
from b100tui.engine.ledger import Ledger
from b100tui.engine.policy import Policy
from b100tui.engine.request import Limits, Resume
from b100tui.engine.runfolder import read_plan
from b100tui.model.records import Sidecar
from tests.engine.made import (
    AT_ONCE,
    KEY,
    edit_new,
    everything_written,
    image,
    impatient,
    root_of,
    served,
)
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_faults import CHARGED, NO_IMAGE, ODD_BUT_GOOD, REFUSALS, TRANSIENT


def run_with_fault(root: Path, kind: str, *times: int) -> tuple[RunReport, FakeGemini]:
    with served() as fake, impatient(fake) as settings:
        for nth in times:
            fake.fail(nth, kind, **({"seconds": 600.0} if kind == "stall" else {}))
        report = edit_new(root, image(root.parent), settings=settings)
    return report.runs[0], fake


def sidecar(root: Path, run: RunReport, step: int) -> Sidecar:
    data = (root / run.run / f"step-{step:03d}.json").read_bytes()
    return msgspec.json.decode(data, type=Sidecar)


def assert_money_holds(fake: FakeGemini, run: RunReport) -> None:
    """Ledger >= bill >= settled, and the report says what the ledger says."""
    totals = Ledger().totals()
    assert totals.spent >= fake.total - 1e-6
    assert fake.total >= totals.settled - 1e-6
    assert run.usd == pytest.approx(totals.spent)


@pytest.mark.parametrize("kind", TRANSIENT)
def test_a_passing_fault_is_tried_again_and_the_run_completes(kind: str, tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run, fake = run_with_fault(root, kind, 2)
    assert (run.status, run.steps_done) == ("done", 3)
    assert sidecar(root, run, 2).attempts == 2
    assert fake.calls() == 4
    assert_money_holds(fake, run)
    lost = kind in CHARGED and kind not in {"broken_base64"}
    assert (run.possibly_billed_usd > 0) == lost


@pytest.mark.parametrize("kind", NO_IMAGE)
def test_a_reply_without_an_image_is_tried_three_times(kind: str, tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run, fake = run_with_fault(root, kind, 2, 3, 4)
    assert (run.status, run.steps_done) == ("stopped", 1)
    assert "no_image" in run.reason
    assert fake.calls() == 4
    assert not (root / run.run / "step-002.json").exists()
    assert_money_holds(fake, run)


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_gets_one_more_try_and_ends_the_run_there(kind: str, tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run, fake = run_with_fault(root, kind, 3, 4)
    assert (run.status, run.steps_done) == ("stopped", 2)
    assert "refused" in run.reason
    assert fake.calls() == 4
    told = msgspec.json.decode((root / run.run / "stopped.json").read_bytes())
    assert (told["step"], told["failure"]) == (3, "refused")
    assert_money_holds(fake, run)


@pytest.mark.parametrize("kind", ODD_BUT_GOOD)
def test_an_odd_but_good_reply_enters_the_chain(kind: str, tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run, fake = run_with_fault(root, kind, 2)
    assert (run.status, run.steps_done) == ("done", 3)
    assert fake.calls() == 3
    warnings = " ".join(sidecar(root, run, 2).warnings)
    said = {
        "two_images": "2 images returned",
        "unknown_finish": "finish reason BRAND_NEW_REASON",
        "wrong_size": "size differs from the step before",
        "other_version": "model changed",
        "no_usage": "usage missing",
        "mislabel": "mime lied",
        "thought_last": "size differs: 2K asked",
    }
    assert said[kind] in warnings
    assert_money_holds(fake, run)


@pytest.mark.parametrize("kind", ["401", "403", "404", "precondition"])
def test_a_fault_of_the_account_stops_the_whole_batch_once(kind: str, tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        fake.fail(1, kind)
        report = edit_new(root, image(tmp_path), repeats=3, limits=Limits(jobs=1))
    assert [run.status for run in report.runs] == ["stopped"] * 3
    assert fake.calls() == 1
    assert report.usd == 0.0


def test_a_request_that_can_never_work_ends_its_run_only(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        fake.fail(1, "400")
        report = edit_new(root, image(tmp_path), repeats=2, limits=Limits(jobs=1))
    assert [run.status for run in report.runs] == ["stopped", "done"]
    assert fake.calls() == 4


def test_a_wrong_key_is_named_and_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "wrong-key-that-nobody-knows"
    root = root_of(tmp_path)
    with served():
        monkeypatch.setenv("GEMINI_API_KEY", wrong)
        report = edit_new(root, image(tmp_path))
    assert "API key not valid" in report.runs[0].reason
    assert wrong.encode() not in everything_written(root)


@pytest.mark.parametrize("kind", ["echo_key", "echo_in_reply"])
def test_a_server_that_echoes_the_key_gets_it_nowhere(kind: str, tmp_path: Path) -> None:
    root, events = root_of(tmp_path), []
    with served() as fake:
        fake.fail(2, kind)
        report = edit_new(root, image(tmp_path), tell=events.append)
    written = everything_written(root)
    assert KEY.encode() not in written
    assert b"[secret]" in written
    assert KEY not in repr((report, events))


def test_a_named_wait_is_kept_and_told_as_a_countdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, waits = root_of(tmp_path), list[float]()
    now = [1000.0]
    monkeypatch.setattr(batch, "Limiter", partial(batch.Limiter, clock=lambda: now[0]))

    def tell(event: Progress) -> None:
        if event.kind == "waiting":
            waits.append(event.seconds)
            now[0] += 10.0

    with served() as fake:
        fake.fail(1, "429", retry_info="30.7s")
        policy = Policy(jitter=0.0)
        report = edit_new(root, image(tmp_path), steps=1, policy=policy, tell=tell)
    assert report.runs[0].status == "done"
    assert waits == pytest.approx([30.7, 20.7, 10.7, 0.7])


def test_a_wait_longer_than_a_day_stops_the_batch_with_its_reason(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        fake.fail(1, "429", retry_info="200000s")
        report = edit_new(root, image(tmp_path))
    assert report.runs[0].status == "stopped"
    assert "429" in report.runs[0].reason


def test_a_failed_run_is_resumed_only_when_asked(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        fake.fail(2, "400")
        run = edit_new(root, image(tmp_path)).runs[0]
        assert plan(root, Resume()) == ()
        again = plan(root, Resume(retry_failed=True))
        report = make(root, again, policy=AT_ONCE)
        assert (report.runs[0].run, report.runs[0].status) == (run.run, "done")
        assert not (root / run.run / "stopped.json").exists()
        assert report.runs[0].total_usd == pytest.approx(fake.total)


def test_the_bill_reconciles_to_the_cent_with_the_ledger(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        report = edit_new(root, image(tmp_path), repeats=4, steps=4, limits=Limits(jobs=4))
    totals = Ledger().totals()
    assert totals.possible == totals.open == 0
    assert round(totals.settled, 2) == round(fake.total, 2)
    assert totals.settled == pytest.approx(fake.total, abs=1e-5)
    assert report.usd == pytest.approx(fake.total, abs=1e-5)


def test_a_budget_stops_before_the_call_that_could_cross_it(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        report = edit_new(root, image(tmp_path), steps=10, limits=Limits(budget=0.5))
        assert fake.total <= 0.5
        assert fake.calls() == 2  # 0.136 each; a third may cost 0.278
        assert report.runs[0].status == "stopped"
        assert "budget" in report.runs[0].reason
        more = make(root, plan(root, Resume()), Limits(budget=9.0), policy=AT_ONCE)
    assert more.runs[0].steps_done == 10


def test_a_job_that_is_resumed_has_its_budget_once(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    limits = Limits(budget=0.5, batch="edit-20261201-1")
    with served() as fake:
        edit_new(root, image(tmp_path), steps=10, limits=limits)
        before = fake.calls()
        again = make(root, plan(root, Resume()), limits, policy=AT_ONCE)
        assert fake.calls() == before
    assert "budget" in again.runs[0].reason


def test_eight_runs_at_once_stay_under_one_cap(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        limits = Limits(budget=1.5, jobs=8)
        report = edit_new(root, image(tmp_path), repeats=8, steps=5, limits=limits)
        assert fake.total <= 1.5
    assert {run.status for run in report.runs} == {"stopped"}


def test_stored_bytes_are_the_served_bytes(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served(fmt="PNG") as fake:
        run = edit_new(root, image(tmp_path)).runs[0]
        folder = root / run.run
        sent = [one["body"]["contents"][0]["parts"][0] for one in fake.log]
    chain = read_chain(folder, read_plan(folder))
    assert [one.output.file for one in chain.steps[1:]] == [f"step-00{n}.png" for n in (1, 2, 3)]
    for number in (1, 2):
        from tests.fakes.gemini_rules import blob_of

        found = blob_of(sent[number])
        assert found is not None
        assert hashlib.sha256(found[0]).hexdigest() == chain.at(number).output.sha256


def test_drafts_are_kept_aside_and_never_asked_with(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run, _ = run_with_fault(root, "thought_last", 2)
    drafts = list((root / run.run / "drafts").glob("step-002-*.jpg"))
    assert drafts
    assert sidecar(root, run, 2).returned_size != (32, 16)


def test_a_silent_rerouting_is_told_from_the_first_step_on(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    run, _ = run_with_fault(root, "other_version", 1, 2, 3)
    told = " ".join(sidecar(root, run, 1).warnings)
    assert "model differs: gemini-3-pro-image asked, gemini-quietly-rerouted answered" in told
    assert "model changed" not in " ".join(sidecar(root, run, 2).warnings)


def test_proxy_variables_do_not_hide_a_server_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    run, _ = run_with_fault(root_of(tmp_path), "none", 99)
    assert run.status == "done"
