"""kill -9 at every stage of a step and at many moments: resume loses and doubles nothing."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from b100tui.engine.chain import read_attempts, read_chain
from b100tui.engine.edit import make, plan, prepare
from b100tui.engine.ledger import Ledger
from b100tui.engine.request import Ask, New, Resume
from b100tui.engine.runfolder import read_plan
from b100tui.model.records import Sidecar
from tests.engine.made import AT_ONCE, image, root_of, served

STEPS = 4
# Dies at the NUMBER-th call of os.CALL in the engine's own process.
_CHILD = """
import os, signal, sys
from pathlib import Path
from b100tui.engine.edit import make, plan
from b100tui.engine.request import Resume
from tests.engine.made import AT_ONCE
root, call, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
count = [0]
def dying(real):
    def stand_in(*args, **kwargs):
        count[0] += 1
        if count[0] == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return stand_in
if call != "none":
    setattr(os, call, dying(getattr(os, call)))
print("begun", flush=True)
make(root, plan(root, Resume()), policy=AT_ONCE)
"""


def killed_at(root: Path, call: str, number: int) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(root), call, str(number)],
        cwd=Path(__file__).parents[2],
        env=os.environ,
        capture_output=True,
        timeout=240,
        check=False,
    )
    return done.returncode


def acknowledged(folder: Path) -> dict[str, str]:
    """File name to hash, of every step that has a sidecar now."""
    found = {}
    for path in sorted(folder.glob("step-*.json")):
        record = msgspec.json.decode(path.read_bytes(), type=Sidecar)
        found[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        data = (folder / record.output.file).read_bytes()
        assert hashlib.sha256(data).hexdigest() == record.output.sha256
    return found


def assert_whole(folder: Path, before: dict[str, str]) -> None:
    after = acknowledged(folder)
    assert before.items() <= after.items()
    assert list(after) == [f"step-{n:03d}.json" for n in range(STEPS + 1)]
    chain = read_chain(folder, read_plan(folder))
    kept = {one.output.file for one in chain.steps}
    images = {path.name for path in folder.glob("step-*") if path.suffix != ".json"}
    assert images == kept
    assert not list(folder.glob(".b100-*"))


def prepared(tmp_path: Path, **ask: object) -> tuple[Path, Path]:
    root = root_of(tmp_path)
    words = {"editor": "sim-pro", "steps": STEPS, "extra": {"scale": 0.05}} | ask
    planned = plan(root, New(images=(image(tmp_path),), ask=Ask(**words)))
    prepare(root, planned)
    return root, planned[0].folder


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "open"])
def test_a_kill_at_any_call_of_the_first_steps_is_resumed_whole(call: str, tmp_path: Path) -> None:
    root, folder = prepared(tmp_path)
    died = 0
    for number in range(1, 40, 5 if call == "open" else 3):
        code = killed_at(root, call, number)
        died += code == -signal.SIGKILL
        before = acknowledged(folder)
        if len(before) == STEPS + 1:
            break
    assert died
    before = acknowledged(folder)
    make(root, plan(root, Resume()), policy=AT_ONCE)
    assert_whole(folder, before)


def test_a_killed_paid_call_counts_as_possibly_billed_and_is_not_doubled(tmp_path: Path) -> None:
    with served() as fake:
        root, folder = prepared(tmp_path, editor="nano-banana-pro", extra={})
        fake.latency = 300.0
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(root), "none", "0"],
            cwd=Path(__file__).parents[2],
            env=os.environ,
            stdout=subprocess.DEVNULL,
        )
        assert fake.called.wait(240)
        child.kill()
        child.wait()
        fake.latency = 0.0
        before = acknowledged(folder)
        report = make(root, plan(root, Resume()), policy=AT_ONCE)
        assert_whole(folder, before)
        totals = Ledger().totals()
        assert fake.calls() == STEPS + 1
        assert totals.open == 0
        assert totals.possible > 0
        assert totals.spent >= fake.total - 1e-6
        assert report.runs[0].total_usd == pytest.approx(totals.spent)
    lost = [line for line in read_attempts(folder) if line.get("outcome") == "lost"]
    assert [line["step"] for line in lost] == [1]


@pytest.mark.slow
def test_fifty_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(20261201)
    root, folder = prepared(tmp_path, steps=STEPS, repeats=1)
    known: dict[str, str] = {}
    for _ in range(50):
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(root), "none", "0"],
            cwd=Path(__file__).parents[2],
            env=os.environ,
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.12))
        child.kill()
        child.wait()
        child.stdout.close()
        found = acknowledged(folder)
        assert known.items() <= found.items()
        known = found
        if len(known) == STEPS + 1:
            root, folder = prepared(tmp_path, steps=STEPS, repeats=1)
            known = {}
    make(root, plan(root, Resume()), policy=AT_ONCE)
    assert_whole(folder, known)
