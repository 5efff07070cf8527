"""What the runs of one call share: editors, limiters, the ledger with its caps, how to stop."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from b100tui.editors.protocol import Editor
from b100tui.editors.registry import open_editor
from b100tui.editors.table import Row, Table, table
from b100tui.engine.events import Progress, Tell
from b100tui.engine.ledger import Caps, Ledger, new_id
from b100tui.engine.limiter import Limiter
from b100tui.engine.policy import Policy
from b100tui.engine.stopping import Stop
from b100tui.model.records import RunPlan
from b100tui.workspace.settings import Settings

_MOST_ASIDE = 32
Opener = Callable[[str, Row, RunPlan], Editor]


def quiet(event: Progress) -> None:
    """Tell nobody."""


class Batch:
    """Shared by the threads of one call of the engine."""

    def __init__(
        self,
        root: Path,
        *,
        id: str = "",
        caps: Caps | None = None,
        policy: Policy | None = None,
        stop: Stop | None = None,
        tell: Tell = quiet,
        settings: Settings | None = None,
        opener: Opener = open_editor,
    ) -> None:
        self.root = root
        self.id = id or new_id()
        self.caps = caps or Caps()
        self.policy = policy or Policy()
        self.stop = stop or Stop()
        self.tell = tell
        self.settings = settings or Settings()
        self.chance = random.Random()
        self.table: Table = table()
        self.ledger = Ledger()
        self._opener = opener
        self._mutex = threading.Lock()
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="beside")
        self._waiting = threading.Semaphore(_MOST_ASIDE)
        self._limiters: dict[str, Limiter] = {}
        self._editors: dict[tuple[str, str], Editor] = {}

    def row(self, plan: RunPlan) -> Row:
        """Return the table's row for the run's editor, with the model that the plan froze."""
        row = self.table.editor(plan.editor)
        return msgspec.structs.replace(row, model=plan.model or row.model)

    def editor(self, plan: RunPlan) -> Editor:
        """Return the editor for one run; one client serves all runs of an editor."""
        row = self.row(plan)
        if row.kind == "simulate":
            return self._opener(plan.editor, row, plan)
        with self._mutex:
            key = plan.editor, row.model
            if key not in self._editors:
                self._editors[key] = self._opener(plan.editor, row, plan)
            return self._editors[key]

    def aside(self, work: Callable[..., object], *words: object) -> None:
        """Do `work` beside the runs; left out while more than a few wait: it must be optional."""
        if self._waiting.acquire(blocking=False):
            done = self._beside.submit(work, *words)
            done.add_done_callback(lambda _: self._waiting.release())

    def close(self) -> None:
        """End what editors keep running: a pipeline's process and its memory."""
        self._beside.shutdown()
        for editor in self._editors.values():
            end = getattr(editor, "close", None)
            if callable(end):
                end()

    def limiter(self, plan: RunPlan) -> Limiter:
        """Return the one limiter of the run's model."""
        row = self.row(plan)
        with self._mutex:
            if row.model not in self._limiters:
                self._limiters[row.model] = Limiter(
                    row.concurrency,
                    per_minute=row.calls_per_minute,
                    usd_per_ten_minutes=row.usd_per_ten_minutes,
                )
            return self._limiters[row.model]
