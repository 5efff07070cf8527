"""What was acknowledged during a storm, and whether all of it is there once at the end."""

import hashlib
from collections import Counter
from pathlib import Path

import msgspec

from b100tui.engine.chain import read_attempts, read_chain
from b100tui.engine.ledger import Ledger, Line
from b100tui.engine.runfolder import read_plan
from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.model.records import MarkRecord, ScoreRecord, Sidecar
from b100tui.model.scan import LeftOut
from b100tui.workspace.parts import part_files, read_part
from b100tui.workspace.places import state_dir, workspace_dir
from tests.e2e.storm_folder import KEPT

KINDS = ("scores", "marks", "verdicts", "notes")


class Books:
    """Copies of what has been written so far: append-only files, and the steps of edits."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._grown: dict[Path, tuple[int, bytes]] = {}
        self._steps: dict[Path, str] = {}

    def note(self) -> None:
        """Note what is acknowledged now: whole lines, and steps that have a sidecar."""
        for path in self._files():
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue  # seen by the listing, not yet there or its run just made
            whole = data[: data.rfind(b"\n") + 1]
            self._grown[path] = (len(whole), hashlib.sha256(whole).digest())
        for path in self.root.glob("*/*/run-*/attempts.jsonl"):
            for sidecar in path.parent.glob("step-*.json"):
                self._steps[sidecar] = hashlib.sha256(sidecar.read_bytes()).hexdigest()

    def _files(self) -> list[Path]:
        workspace = workspace_dir(self.root)
        parts = [path for kind in KINDS for path in part_files([workspace], kind)]
        views = [path for path in (workspace / "views.jsonl",) if path.exists()]
        ledger = [path for path in (state_dir() / "ledger.jsonl",) if path.exists()]
        return [*parts, *views, *ledger, *sorted(self.root.glob("*/*/run-*/attempts.jsonl"))]

    def lost(self) -> list[str]:
        """Return in words what was acknowledged and is not there as it was."""
        found = []
        for path, (length, digest) in self._grown.items():
            now = path.read_bytes()[:length] if path.exists() else b""
            if hashlib.sha256(now).digest() != digest:
                found.append(f"{path} lost or changed lines")
        for path, sidecar in self._steps.items():
            if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != sidecar:
                found.append(f"{path} is gone or changed")
        return found


def records(root: Path, kind: str, type_: type) -> list[object]:
    """Return all records of `kind`; a torn or damaged line of anybody is a defect here."""
    found: list[object] = []
    for path in part_files([workspace_dir(root)], kind):
        for one, _ in read_part(path, type_):
            assert not isinstance(one, LeftOut), one
            found.append(one)
    return found


def assert_marks_once(root: Path, marks: list[str]) -> None:
    """Every acknowledged mark stands once in the parts and once in the index."""
    found = [one for one in records(root, "marks", MarkRecord) if isinstance(one, MarkRecord)]
    undone = {one.id for one in found if one.undo}
    written = Counter(one.id for one in found if not one.undo)
    assert {name: count for name, count in written.items() if count != 1} == {}
    refresh(root)
    index = open_index(root)
    try:
        index.poll()
        kept = Counter(mark.id for row in index.runs() for mark in index.marks(row.run))
    finally:
        index.close()
    assert {name: kept[name] for name in marks if kept[name] != 1 and name not in undone} == {}


def assert_scores_once(root: Path) -> None:
    """The index has one score a run, step and metric, and those of the kept run as written."""
    kept: dict[tuple[int, str], set[float]] = {}
    for one in records(root, "scores", ScoreRecord):
        assert isinstance(one, ScoreRecord)
        if one.run == KEPT and one.value is not None:
            kept.setdefault((one.step, one.metric), set()).add(one.value)
    refresh(root)
    index = open_index(root)
    try:
        index.poll()
        doubled = index.ask(
            "SELECT run, step, metric FROM score GROUP BY ALL HAVING count(*) > 1 LIMIT 5"
        )
        assert doubled == []
        steps = [step.step for step in index.steps(KEPT) if step.status == "ok"]
        assert steps == list(range(len(steps)))
        shown = {
            (step, series.metric): value
            for series in index.series(KEPT)
            for step, value in zip(series.steps, series.values, strict=True)
        }
    finally:
        index.close()
    wrong = {key: shown.get(key) for key, values in kept.items() if shown.get(key) not in values}
    assert wrong == {}


def assert_money_and_steps_once(root: Path, billed: float) -> None:
    """Every paid call stands in ledger and attempts, no reservation is open, no step is doubled."""
    totals = Ledger().totals()
    assert totals.open == 0
    assert totals.spent >= billed - 1e-6 >= totals.settled - 2e-6
    reserved: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    ledger = state_dir() / "ledger.jsonl"
    for text in ledger.read_bytes().splitlines() if ledger.exists() else ():
        line = msgspec.json.decode(text, type=Line)
        (reserved if line.kind == "reserve" else ended)[line.id] += 1
    assert {id for id, count in reserved.items() if count != 1} == set()
    assert ended == reserved
    outputs: Counter[str] = Counter()
    for path in sorted(root.glob("*/*/run-*/attempts.jsonl")):
        folder = path.parent
        plan = read_plan(folder)
        chain = read_chain(folder, plan)
        assert [one.step for one in chain.steps] == list(range(len(chain.steps))), folder
        for one in chain.steps[1:]:
            assert isinstance(one, Sidecar)
            data = (folder / one.output.file).read_bytes()
            assert hashlib.sha256(data).hexdigest() == one.output.sha256
            if not plan.editor.startswith(("sim", "simulate")):
                outputs[one.output.sha256] += 1
        lines = Counter((line["kind"], line["id"]) for line in read_attempts(folder))
        assert {key for key, count in lines.items() if count != 1} == set(), folder
        assert all(("outcome", id) in lines for kind, id in lines if kind == "intent"), folder
    assert {sha for sha, count in outputs.items() if count != 1} == set()
