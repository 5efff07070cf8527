"""run.json is frozen, its hash follows what is asked, attempts are appended whole."""

from pathlib import Path

import msgspec
import pytest

from b100tui.engine.attempts import append_attempts
from b100tui.engine.runfolder import plan_hash, read_plan, write_plan, write_stopped
from b100tui.model.errors import StoreError
from b100tui.model.records import RunPlan

PLAN = RunPlan(
    run="a/b/run-0", image="a", recipe="replicate", setting="b", editor="sim-pro", repeat=0
)


def test_a_plan_reads_back_and_is_never_written_twice(tmp_path: Path) -> None:
    write_plan(tmp_path, PLAN)
    assert read_plan(tmp_path) == PLAN
    with pytest.raises(StoreError, match="frozen"):
        write_plan(tmp_path, PLAN)


def test_the_hash_follows_what_is_asked_and_nothing_else() -> None:
    asked = plan_hash(PLAN, ("copy",))
    later = msgspec.structs.replace(PLAN, created="later", steps_planned=50, run="c/d/run-1")
    assert plan_hash(later, ("copy",)) == asked
    assert plan_hash(PLAN, ("copy it",)) != asked
    warmer = msgspec.structs.replace(PLAN, parameters={"temperature": 0.4})
    assert plan_hash(warmer, ("copy",)) != asked


@pytest.mark.parametrize("text", [None, "{", '{"run": 1}'])
def test_a_plan_that_cannot_be_read_is_named(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(StoreError, match=r"run\.json"):
        read_plan(tmp_path)


def test_attempts_are_lines_in_the_order_they_were_made(tmp_path: Path) -> None:
    append_attempts(tmp_path, {"kind": "intent", "step": 1})
    append_attempts(tmp_path, {"kind": "outcome", "step": 1}, {"kind": "intent", "step": 2})
    lines = (tmp_path / "attempts.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line)["kind"] for line in lines] == ["intent", "outcome", "intent"]


def test_attempts_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"attempts\.jsonl"):
        append_attempts(tmp_path / "gone", {"kind": "intent", "step": 1})


def test_a_stop_says_step_and_reason(tmp_path: Path) -> None:
    write_stopped(tmp_path, {"step": 4, "failure": "refused", "reason": "declined"})
    told = msgspec.json.decode((tmp_path / "stopped.json").read_bytes())
    assert told == {"schema": 1, "step": 4, "failure": "refused", "reason": "declined"}
