"""Seeded storms of faults over many runs at once: every run ends complete or with its reason."""

import random
from pathlib import Path

import msgspec
import pytest

from b100tui.engine.chain import read_chain
from b100tui.engine.edit import make, plan
from b100tui.engine.ledger import Ledger
from b100tui.engine.request import Ask, Limits, New, Resume
from b100tui.engine.runfolder import read_plan
from b100tui.model.records import Sidecar
from tests.engine.made import AT_ONCE, KEY, everything_written, image, impatient, root_of, served
from tests.fakes.gemini_faults import NO_IMAGE, ODD_BUT_GOOD, REFUSALS, TRANSIENT

# A stall or a drip cuts every call that runs meanwhile, as a suspend does.
KINDS = [*TRANSIENT, *NO_IMAGE, *REFUSALS, *ODD_BUT_GOOD]


def storm(tmp_path: Path, calls: int, seed: int, share: float) -> None:
    chance = random.Random(seed)
    root = root_of(tmp_path)
    with served(scale=1 / 32, seed=seed) as fake, impatient(fake) as settings:
        for nth in range(1, calls + 1):
            if chance.random() < share:
                fake.fail(nth, chance.choice(KINDS))
        for nth in chance.sample(range(1, calls + 1), 3):
            fake.fail(nth, "stall", seconds=600)
        runs, steps = 10, max(1, calls // 14)
        ask = Ask(editor="nano-banana-pro", steps=steps, repeats=runs)
        planned = plan(root, New(images=(image(tmp_path),), ask=ask))
        report = make(root, planned, Limits(jobs=10), policy=AT_ONCE, settings=settings)
        assert_kept(root, fake.total)
        for _ in range(20):
            if all(run.status == "done" for run in report.runs):
                break
            for run in report.runs:
                assert run.status in {"done", "stopped"}
                assert run.status == "done" or run.reason
            again = plan(root, Resume(retry_failed=True))
            report = make(root, again, Limits(jobs=10), policy=AT_ONCE, settings=settings)
        assert all(run.status == "done" and run.steps_done == steps for run in report.runs)
        assert_kept(root, fake.total)
        assert fake.calls() >= runs * steps


def assert_kept(root: Path, billed: float) -> None:
    totals = Ledger().totals()
    assert totals.open == 0
    assert totals.spent >= billed - 1e-6 >= totals.settled - 2e-6
    for path in root.glob("*/*/run-*/run.json"):
        folder = path.parent
        chain = read_chain(folder, read_plan(folder))
        seen = [one.output.sha256 for one in chain.steps]
        assert len(set(seen)) == len(seen)
        drafts = {one.read_bytes() for one in folder.glob("drafts/*")}
        assert not drafts & {(folder / one.output.file).read_bytes() for one in chain.steps}
        for one in chain.steps[1:]:
            assert isinstance(one, Sidecar)
            assert one.finish_reason in {"STOP", "BRAND_NEW_REASON"}
    assert KEY.encode() not in everything_written(root)
    assert msgspec.json.decode(next(root.glob("*/*/run-*/run.json")).read_bytes())["simulated"]


def test_a_small_storm_ends_with_every_run_complete_and_the_money_right(tmp_path: Path) -> None:
    storm(tmp_path, 60, seed=7, share=0.5)


@pytest.mark.slow
def test_a_storm_of_500_calls_ends_with_every_run_complete(tmp_path: Path) -> None:
    storm(tmp_path, 500, seed=500, share=0.45)
