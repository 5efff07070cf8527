"""Asks a judge model whether each reasoning summary mentions noise, after the paper's Figure 8.

Answers are cached by content, raw replies kept, and what cannot be read as yes or no is told as
unparsed: never counted as no.
"""

import hashlib
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Literal

from msgspec import Struct

from b100tui.analysis.firstyes import first_yes, run_yes
from b100tui.editors.judges import Judge, Said, open_judge, worst_cost
from b100tui.editors.protocol import FailureClass, Outcome
from b100tui.editors.registry import is_simulated_judge
from b100tui.editors.table import JudgeRow, table
from b100tui.engine.ledger import Caps, Ledger, Line, new_id, now
from b100tui.engine.policy import Policy, decide
from b100tui.engine.stopping import Stop, interruptible
from b100tui.model.errors import B100Error, BudgetError, StoreError, UsageError
from b100tui.model.records import Section, VerdictRecord
from b100tui.workspace.parts import PartWriter, part_files, read_part
from b100tui.workspace.places import config_dir, workspace_dir, workspace_dirs

Verdict = Literal["yes", "no", "unparsed", "no_summary"]
TEMPLATE = "judge.txt"
_DEADLINE = 180.0
_WORD = re.compile(r"\W*(\w+)")
_TRIES_UNPARSED = 2


class JudgeItem(Struct, frozen=True, kw_only=True):
    """One step to judge; `group` names the setting whose first-yes step is reported."""

    run: str
    step: int
    sections: tuple[Section, ...]
    group: str = ""


class FirstYesRow(Struct, frozen=True, kw_only=True):
    """First-yes step of a group, over its runs; censored runs never said yes."""

    group: str
    median: float | None
    restricted_mean: float | None
    mean: float | None
    sd: float | None
    n: int
    censored: int


class JudgeReport(Struct, frozen=True, kw_only=True):
    """What judging came to. `asked` counts calls' steps, `cached` answers that were known."""

    asked: int = 0
    cached: int = 0
    yes: int = 0
    no: int = 0
    unparsed: int = 0
    no_summary: int = 0
    failed: int = 0
    usd: float = 0.0
    first_yes: tuple[FirstYesRow, ...] = ()
    reasons: dict[str, int] = {}
    interrupted: bool = False


def template() -> str:
    """Return the question with {summary} in it; the user's judge.txt replaces the shipped one.

    Raises UsageError where it cannot be read or {summary} is missing.
    """
    own = config_dir() / TEMPLATE
    if own.is_file():
        try:
            text = own.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {own}: {error}", "save it as UTF-8") from error
        if "{summary}" not in text:
            raise UsageError(f"{own} has no {{summary}}", "say where the summary goes")
        return text
    return files("b100tui.engine").joinpath(TEMPLATE).read_text(encoding="utf-8")


def summary_of(sections: Sequence[Section]) -> str:
    """Return a reasoning summary as one text, titles bold as models write them."""
    parts = [f"**{one.title}**\n\n{one.text}" if one.title else one.text for one in sections]
    return "\n\n\n".join(part.strip() for part in parts if part.strip())


def content_hash(question: str, summary: str, model: str) -> str:
    """Return what an answer is cached by; 64 hex digits."""
    return hashlib.sha256("\x1f".join((question, summary, model)).encode()).hexdigest()


def parse(reply: str) -> Verdict:
    """Return yes, no, or unparsed: the first word counts, without case and punctuation."""
    found = _WORD.match(reply)
    word = found[1].casefold() if found else ""
    return "yes" if word == "yes" else "no" if word == "no" else "unparsed"


def judge_cost(items: Sequence[JudgeItem], name: str) -> float:
    """Return the most dollars that judging `items` may cost, cached answers included."""
    row, question = table().judge(name), template()
    return sum(
        worst_cost(row, question + summary)
        for one in items
        if (summary := summary_of(one.sections))
    )


def judge(  # noqa: PLR0913
    root: Path,
    items: Sequence[JudgeItem],
    name: str,
    *,
    caps: Caps | None = None,
    batch: str = "",
    jobs: int = 8,
    policy: Policy | None = None,
    stop: Stop | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
    opener: Callable[[JudgeRow], Judge] = open_judge,
) -> JudgeReport:
    """Judge `items` with model `name` and append the verdicts; a failure costs its step only.

    Calls of one `batch` id share the cap. Steps without a summary are recorded without a call.
    Raises UsageError when the judge cannot be asked at all.
    """
    row = table().judge(name)
    worker = _Worker(root, row, caps or Caps(), policy or Policy(), stop or Stop(), opener)
    worker.batch = batch or worker.batch
    total, done = len(items), 0
    mutex = threading.Lock()

    def one(item: JudgeItem) -> None:
        nonlocal done
        worker.judge(item)
        with mutex:
            done += 1
            tell(done, total)

    with closing(worker), interruptible(worker.stop), ThreadPoolExecutor(max(1, jobs)) as pool:
        list(pool.map(one, items))
    return worker.report(items)


class _Worker:
    def __init__(
        self,
        root: Path,
        row: JudgeRow,
        caps: Caps,
        policy: Policy,
        stop: Stop,
        opener: Callable[[JudgeRow], Judge],
    ) -> None:
        self.root, self.row, self.caps = root, row, caps
        self.policy, self.stop = policy, stop
        self.question = template()
        self.simulated = is_simulated_judge(row)
        self._opener = opener
        self._judge: Judge | None = None
        self._chance = random.Random()
        self.batch = new_id()
        self._ledger = Ledger()
        self._mutex = threading.Lock()
        self._writer = PartWriter(workspace_dir(root) / "verdicts")
        self._known, self._there = _known_verdicts(root)
        self._verdicts: dict[tuple[str, int], str | None] = {}
        self._counts: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._usd = 0.0

    def close(self) -> None:
        self._writer.close()

    def judge(self, item: JudgeItem) -> None:
        summary = summary_of(item.sections)
        key = content_hash(self.question, summary, self.row.model)
        if not summary:
            self._store(item, key, "no_summary", cached=(item.run, item.step, key) in self._there)
            return
        known = self._known.get(key)
        if known is not None:
            self._count("cached")
            there = (item.run, item.step, key) in self._there
            self._store(item, key, known.verdict, reply=known.reply, cached=there)
            return
        if self.stop.finish.is_set():
            self._failed(item, key, self.stop.reason, write=False)
            return
        self._ask(item, key, self.question.replace("{summary}", summary))

    def _ask(self, item: JudgeItem, key: str, prompt: str) -> None:
        tries: dict[FailureClass, int] = {}
        unparsed = 0
        spent = 0.0
        while True:
            try:
                said, usd = self._call(item, prompt)
            except B100Error as error:
                if isinstance(error, BudgetError):
                    self.stop.end(error.message)
                self._failed(item, key, error.message, write=False)
                return
            spent += usd
            if isinstance(said, Said):
                verdict = parse(said.text)
                unparsed += verdict == "unparsed"
                if verdict != "unparsed" or unparsed >= _TRIES_UNPARSED:
                    self._count("asked")
                    self._store(item, key, verdict, reply=said.text, usd=spent)
                    return
                continue
            assert said.failure is not None
            tries[said.failure] = tries.get(said.failure, 0) + 1
            decision = decide(self.policy, said, tries, self._chance)
            if decision.do == "stop_batch":
                self.stop.end(said.message)
            asked_to_stop = decision.do == "again" and self.stop.wait(decision.seconds)
            if decision.do != "again" or asked_to_stop:
                self._count("asked")
                self._failed(item, key, said.message, write=said.failure != "cancelled")
                return

    def _call(self, item: JudgeItem, prompt: str) -> tuple[Said | Outcome, float]:
        """Make one paid call; return the reply and the dollars it counts for."""
        cost, id = worst_cost(self.row, prompt), new_id()
        if cost:
            self._ledger.reserve(
                Line(
                    kind="reserve",
                    id=id,
                    usd=cost,
                    time=now(),
                    batch=self.batch,
                    root=str(self.root),
                    run=item.run,
                    step=item.step,
                    editor=self.row.kind,
                    model=self.row.model,
                    purpose="judge",
                ),
                self.caps,
            )
        with self._mutex:
            if self._judge is None:
                self._judge = self._opener(self.row)
        said = self._judge.ask(prompt, deadline=_DEADLINE, cancelled=self.stop.abort.is_set)
        if isinstance(said, Said):
            usd, possible = said.usd, False
        else:
            possible = said.possibly_billed
            usd = cost if possible else (said.cost_usd or 0.0)
        if cost:
            (self._ledger.possibly_billed if possible else self._ledger.settle)(id, usd)
        with self._mutex:
            self._usd += usd
        return said, usd

    def _store(
        self,
        item: JudgeItem,
        key: str,
        verdict: Verdict | None,
        *,
        reply: str | None = None,
        error: str | None = None,
        usd: float | None = None,
        cached: bool = False,
    ) -> None:
        """Append a verdict unless this very step has it already."""
        record = VerdictRecord(
            run=item.run,
            step=item.step,
            verdict=verdict,
            model=self.row.model,
            content_hash=key,
            reply=reply,
            error=error,
            usd=usd,
            simulated=self.simulated,
            time=now(),
        )
        with self._mutex:
            if not cached:
                self._writer.append(record)
            if verdict is not None:
                self._counts[verdict] += 1
                self._known.setdefault(key, record)
            self._verdicts[item.run, item.step] = verdict

    def _count(self, name: str) -> None:
        with self._mutex:
            self._counts[name] += 1

    def _failed(self, item: JudgeItem, key: str, why: str, *, write: bool) -> None:
        with self._mutex:
            self._counts["failed"] += 1
            self._reasons[why] += 1
        if write:
            self._store(item, key, None, error=why)

    def report(self, items: Sequence[JudgeItem]) -> JudgeReport:
        groups: dict[str, dict[str, dict[int, str | None]]] = {}
        for item in items:
            runs = groups.setdefault(item.group or item.run, {})
            runs.setdefault(item.run, {})[item.step] = self._verdicts.get((item.run, item.step))
        rows = []
        for group, runs in groups.items():
            told = first_yes([run_yes(run, verdicts) for run, verdicts in runs.items()])
            rows.append(
                FirstYesRow(
                    group=group,
                    median=told.median,
                    restricted_mean=told.restricted_mean,
                    mean=told.mean,
                    sd=told.sd,
                    n=told.n,
                    censored=told.censored,
                )
            )
        names = ("asked", "cached", "yes", "no", "unparsed", "no_summary", "failed")
        return JudgeReport(
            **{name: self._counts[name] for name in names},
            usd=round(self._usd, 6),
            first_yes=tuple(rows),
            reasons=dict(self._reasons),
            interrupted=self.stop.reason == "interrupted",
        )


def _known_verdicts(
    root: Path,
) -> tuple[dict[str, VerdictRecord], set[tuple[str, int, str]]]:
    """Return answers by content, and which steps hold which already; StoreError for a part."""
    known: dict[str, VerdictRecord] = {}
    there: set[tuple[str, int, str]] = set()
    for path in part_files(workspace_dirs(root), "verdicts"):
        try:
            for record, _ in read_part(path, VerdictRecord):
                if isinstance(record, VerdictRecord) and record.verdict is not None:
                    there.add((record.run, record.step, record.content_hash))
                    known[record.content_hash] = record
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    return known, there
