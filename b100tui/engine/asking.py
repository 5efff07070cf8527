"""The attempts at one step: reserve, write the intent, call, settle, judge the reply, try again."""

import time
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.editors.prices import Cost, edit_cost
from b100tui.editors.protocol import Editor, FailureClass, Outcome, Parameters
from b100tui.editors.table import Row
from b100tui.engine.attempts import append_attempts, sync_attempts
from b100tui.engine.batch import Batch
from b100tui.engine.events import Progress
from b100tui.engine.ledger import Line, new_id, now
from b100tui.engine.policy import decide
from b100tui.engine.received import fault_of, is_blank
from b100tui.engine.runplan import PlannedRun
from b100tui.model.errors import BudgetError
from b100tui.model.text import clean_line
from b100tui.workspace.atomic import at_once
from b100tui.workspace.crash import without_secrets

_DEADLINES = {"512": 300.0, "1K": 300.0, "2K": 420.0, "4K": 900.0}
_LOCAL_DEADLINE = 3600.0
_FLEX_DEADLINE = 1500.0
_LOCAL = {"diffusers", "command", "comfyui"}
_SAID = 500


class Answer(Struct, frozen=True, kw_only=True):
    """What the attempts came to: a checked picture, or why there is none.

    `ended` is None with a picture; else the failure class, "budget" or "interrupted".
    """

    outcome: Outcome | None = None
    ended: str | None = None
    reason: str = ""
    attempts: int = 0
    started: str = ""
    finished: str = ""
    seconds: float = 0.0
    intent: str = ""
    settled: float = 0.0
    possible: float = 0.0


class Money:
    """Dollars of one run in this call."""

    def __init__(self) -> None:
        self.settled = 0.0
        self.possible = 0.0


class Asker:
    """Asks one run's editor, attempt by attempt."""

    def __init__(self, batch: Batch, planned: PlannedRun, editor: Editor, row: Row) -> None:
        self.batch = batch
        self.planned = planned
        self.editor = editor
        self.row = row
        self.money = Money()
        self._limiter = batch.limiter(planned.plan)

    def ask(
        self, step: int, image: bytes, mime: str, prompt: str, parameters: Parameters
    ) -> Answer:
        """Return the answer for `step`; waits, retries and money are dealt with here."""
        tries: dict[FailureClass, int] = {}
        stop = self.batch.stop
        cost = edit_cost(self.row, parameters.resolution, turns=len(parameters.history))
        parameters = msgspec.structs.replace(
            parameters,
            deadline_seconds=self._deadline(parameters.resolution),
            cancelled=stop.abort.is_set,
        )
        attempt = 0
        while True:
            attempt += 1
            with self._limiter.slot(
                cost.worst,
                given_up=stop.finish.is_set,
                waiting=lambda seconds: self._tell_waiting(step, seconds, "rate limit"),
            ) as got:
                if not got:
                    return Answer(ended="interrupted", reason=stop.reason, attempts=attempt - 1)
                try:
                    answer = self._attempt(step, attempt, image, mime, prompt, parameters, cost)
                except BudgetError as error:
                    return Answer(ended="budget", reason=error.message, attempts=attempt - 1)
            outcome = answer.outcome
            assert outcome is not None
            if outcome.image is not None:
                self._limiter.succeeded()
                return answer
            ended = self._after(step, attempt, outcome, tries)
            if ended is not None:
                return msgspec.structs.replace(answer, outcome=outcome, **ended)

    def _attempt(
        self,
        step: int,
        attempt: int,
        image: bytes,
        mime: str,
        prompt: str,
        parameters: Parameters,
        cost: Cost,
    ) -> Answer:
        plan, id = self.planned.plan, new_id()
        paid = cost.worst > 0
        started = now()
        if paid:
            self.batch.ledger.reserve(
                Line(
                    kind="reserve",
                    id=id,
                    usd=cost.worst,
                    time=started,
                    batch=self.batch.id,
                    root=str(self.batch.root),
                    run=plan.run,
                    step=step,
                    attempt=attempt,
                    editor=plan.editor,
                    model=self.editor.model,
                    purpose="edit",
                ),
                self.batch.caps,
                durable=False,
            )
        common = {"id": id, "step": step, "attempt": attempt}
        append_attempts(
            self.planned.folder,
            {
                "kind": "intent",
                **common,
                "time": started,
                "prompt": prompt,
                "editor": plan.editor,
                "model": self.editor.model,
                "reserved": cost.worst,
                "seed": parameters.seed,
            },
            durable=False,
        )
        # Nothing is sent before both are on disk; together they take one round of its journal.
        flushes = [lambda: sync_attempts(self.planned.folder)]
        at_once([*flushes, self.batch.ledger.flush] if paid else flushes)
        self.batch.tell(Progress(kind="asking", run=plan.run, step=step, total=self.planned.last))
        clock = time.monotonic()
        outcome = _checked(_called(self.editor, image, mime, prompt, parameters), image)
        seconds = time.monotonic() - clock
        usd, possible = self._settle(id, outcome, cost, paid)
        ended = now()
        if outcome.image is None:
            append_attempts(
                self.planned.folder,
                {
                    "kind": "outcome",
                    **common,
                    "time": ended,
                    "outcome": _word(outcome.failure),
                    "failure": outcome.failure,
                    "message": outcome.message,
                    "finish_reason": outcome.finish_reason,
                    "finish_message": outcome.finish_message,
                    "model_version": outcome.model_version,
                    "prompt": prompt,
                    "usage": outcome.usage,
                    "settled": usd,
                    "possibly_billed": possible,
                },
                durable=False,
            )
        return Answer(
            outcome=outcome,
            attempts=attempt,
            started=started,
            finished=ended,
            seconds=seconds,
            intent=id,
            settled=usd,
            possible=possible,
        )

    def _settle(self, id: str, outcome: Outcome, cost: Cost, paid: bool) -> tuple[float, float]:
        """Write what the call cost; return (settled, possibly billed)."""
        if not paid:
            return 0.0, 0.0
        ledger = self.batch.ledger
        unknown = outcome.cost_usd is None
        if outcome.possibly_billed or (unknown and outcome.image is not None):
            usd = max(cost.worst, outcome.cost_usd or 0.0)
            ledger.possibly_billed(id, usd)
            self.money.possible += usd
            return 0.0, usd
        usd = outcome.cost_usd or 0.0
        ledger.settle(id, usd)
        self.money.settled += usd
        return usd, 0.0

    def _after(
        self, step: int, attempt: int, outcome: Outcome, tries: dict[FailureClass, int]
    ) -> dict[str, Any] | None:
        """Wait for the next attempt (None), or say how it ended."""
        batch, failure = self.batch, outcome.failure
        assert failure is not None
        if failure == "cancelled" or batch.stop.abort.is_set():
            return {"ended": "interrupted", "reason": batch.stop.reason or outcome.message}
        tries[failure] = tries.get(failure, 0) + 1
        decision = decide(batch.policy, outcome, tries, batch.chance)
        said = ": ".join(filter(None, (outcome.finish_reason, outcome.message)))
        batch.tell(Progress(kind="failed", run=self.planned.plan.run, step=step, message=said))
        if decision.do == "stop_batch":
            batch.stop.end(said)
        if decision.do != "again":
            times = f" after {attempt} attempts" if attempt > 1 else ""
            return {"ended": failure, "reason": f"step {step}: {failure}: {said}{times}"}
        if failure == "wait" or (failure == "backoff" and outcome.message.startswith("503")):
            self._limiter.overloaded()
        if decision.pause:
            self._limiter.pause(decision.seconds)
            return None  # the slot counts down, for every run alike
        if self._wait(step, decision.seconds, said):
            return {"ended": "interrupted", "reason": batch.stop.reason}
        return None

    def _wait(self, step: int, seconds: float, why: str) -> bool:
        """Wait, telling the countdown once a second; True when asked to stop meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._tell_waiting(step, left, why)
            if self.batch.stop.wait(min(left, 1.0)):
                return True
        return self.batch.stop.finish.is_set()

    def _tell_waiting(self, step: int, seconds: float, why: str) -> None:
        self.batch.tell(
            Progress(
                kind="waiting", run=self.planned.plan.run, step=step, message=why, seconds=seconds
            )
        )

    def _deadline(self, resolution: str | None) -> float:
        own = self.batch.settings.deadline(self.planned.plan.editor)
        if own is not None:
            return own
        if self.row.kind in _LOCAL:
            return _LOCAL_DEADLINE
        by_size = _DEADLINES.get(resolution or "2K", _DEADLINES["4K"])
        return max(by_size, _FLEX_DEADLINE) if self.row.tier == "flex" else by_size


def _called(
    editor: Editor, image: bytes, mime: str, prompt: str, parameters: Parameters
) -> Outcome:
    """Call the adapter; a fault of the adapter itself ends this run only."""
    try:
        return editor.edit(image, mime, prompt, parameters)
    except Exception as error:
        said = without_secrets(clean_line(f"{type(error).__name__}: {error}"))[:_SAID]
        return Outcome(
            failure="fatal_run",
            message=f"the {editor.kind} adapter broke: {said}",
            possibly_billed=True,
        )


def _checked(outcome: Outcome, image: bytes) -> Outcome:
    """Turn a picture that may not enter the chain into the failure that it is."""
    if outcome.image is None:
        return outcome
    fault = fault_of(outcome.image.data)
    if not fault or (fault == "blank" and is_blank(image)):
        return outcome
    failure: FailureClass = "no_image" if fault == "blank" else "backoff"
    return msgspec.structs.replace(
        outcome, image=None, failure=failure, message=f"the picture received is {fault}"
    )


def _word(failure: FailureClass | None) -> str:
    """Return the outcome word of attempts.jsonl."""
    if failure in ("refused", "no_image", "cancelled"):
        return failure
    return "failed"
