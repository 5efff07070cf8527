"""What the judging dialog asks: judges, what the questions would cost, and to begin."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from b100tui.index.rows import RunRow
from b100tui.tui.catalogue import Catalogue
from b100tui.tui.scorer import chosen_steps


class JudgeChoice(Struct, frozen=True, kw_only=True):
    """A judge as the dialog shows it; without `ready` it can be priced but not asked."""

    id: str
    model: str
    ready: bool = True
    reason: str = ""
    fix: str = ""


class Question(Struct, frozen=True, kw_only=True):
    """Whom to ask about which steps; no `runs` means all, empty `steps` all from 1."""

    judge: str
    runs: tuple[str, ...] = ()
    steps: str = ""


class Price(Struct, frozen=True, kw_only=True):
    """Steps asked about, those with a summary among them, and the most dollars it may cost."""

    steps: int
    summaries: int
    most: float


class Asker(Protocol):
    """The seam of the judging dialog; every method is called from worker threads."""

    def judges(self) -> Sequence[JudgeChoice]:
        """Return the judges there are. Raises B100Error."""
        ...

    def price(self, rows: Sequence[RunRow], question: Question) -> Price:
        """Return what asking about `rows` may cost; nothing is sent. Raises B100Error."""
        ...

    def begin(self, question: Question, budget: float | None, title: str, total: int) -> str:
        """Start a job of `total` steps capped at `budget` dollars; return its id."""
        ...


class RootAsker:
    """Judges the runs of one folder by `b100 judge` in a job."""

    def __init__(self, root: Path, catalogue: Catalogue, config: str | None) -> None:
        self.root = root
        self.catalogue = catalogue
        self.config = config

    def judges(self) -> Sequence[JudgeChoice]:
        """Return the judges of the editors' table, with whether each has a key."""
        from b100tui.editors.keys import find_key, key_place
        from b100tui.editors.table import table

        found = []
        for id, row in table().judges.items():
            needs_key = row.kind == "gemini" or row.base_url is None
            lacking = needs_key and find_key(row.kind, row.key_variable) is None
            found.append(
                JudgeChoice(
                    id=id,
                    model=row.model,
                    ready=not lacking,
                    reason="no API key" if lacking else "",
                    fix=key_place(row.kind, row.key_variable) if lacking else "",
                )
            )
        return found

    def price(self, rows: Sequence[RunRow], question: Question) -> Price:
        """Return what asking about `rows` may cost; nothing is sent. Raises B100Error."""
        from b100tui.engine.judge import JudgeItem, judge_cost

        items = []
        for row in rows:
            wanted = set(chosen_steps(row, question.steps)) - {0}
            items += [
                JudgeItem(run=row.run, step=step.step, sections=step.sections)
                for step in self.catalogue.steps(row.run)
                if step.status == "ok" and step.step in wanted
            ]
        return Price(
            steps=len(items),
            summaries=sum(bool(item.sections) for item in items),
            most=judge_cost(items, question.judge),
        )

    def begin(self, question: Question, budget: float | None, title: str, total: int) -> str:
        """Start a job of `total` steps capped at `budget` dollars; return its id."""
        from b100tui.jobs import b100, start

        words = ["judge", *question.runs, "--root", str(self.root), "--model", question.judge]
        words += ["--yes", "--budget", f"{budget or 0:g}"]
        words += ["--steps", question.steps] if question.steps else []
        words += ["--config", self.config] if self.config else []
        argv = b100(*words)
        return start(self.root, "judge", argv, total, title, retry_argv=argv)
