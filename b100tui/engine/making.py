"""Makes one run: from its folder as it lies to its last planned step, each step committed whole."""

import hashlib
import math
import os
from pathlib import Path
from typing import Any

import msgspec

from b100tui.editors.protocol import Editor, Parameters, Turn
from b100tui.editors.registry import other_endpoint
from b100tui.engine.asking import Answer, Asker
from b100tui.engine.attempts import append_attempts
from b100tui.engine.batch import Batch
from b100tui.engine.chain import Chain, input_step, read_attempts, read_chain, set_aside
from b100tui.engine.commit import commit_step, file_facts
from b100tui.engine.drafts import keep_drafts
from b100tui.engine.events import Progress, RunReport
from b100tui.engine.ledger import now
from b100tui.engine.previews import keep_previews
from b100tui.engine.rescue import adopt, rescue
from b100tui.engine.runfolder import PLAN, STOPPED, extend_plan, write_plan, write_stopped
from b100tui.engine.runplan import PlannedRun, extra_of, prompt_of, resolution_of, seed_of
from b100tui.engine.sidecars import sidecar_of
from b100tui.model.errors import UNPARSABLE, B100Error, PictureError, StoreError
from b100tui.model.records import Sidecar
from b100tui.workspace.locks import hold
from b100tui.workspace.places import make_private, workspace_dir

# Ends that say nothing about the request: a plain `resume` goes on after them.
RESUMABLE = {"budget", "interrupted", "fatal_all", "unavailable"}


def make_run(batch: Batch, planned: PlannedRun) -> RunReport:
    """Make or go on with one run and say what became of it; never raises for its own failures."""
    plan = planned.plan
    batch.tell(Progress(kind="run_started", run=plan.run, total=planned.last, done=planned.done))
    maker = _Maker(batch, planned)
    try:
        locks = make_private(workspace_dir(batch.root) / "locks")
        lock = locks / f"{plan.run.replace('/', '+')}.lock"
        with hold(lock, f"edit {plan.run}"):
            report = maker.make()
    except B100Error as error:
        report = maker.report("failed", error.message)
    except OSError as error:
        report = maker.report("failed", f"{error.filename or planned.folder}: {error.strerror}")
    batch.tell(
        Progress(
            kind="run_ended",
            run=plan.run,
            step=report.steps_done,
            message=report.reason,
            usd=report.usd,
            done=report.steps_done,
            total=planned.last,
        )
    )
    return report


def begin(root: Path, planned: PlannedRun) -> None:
    """Make the folder of a new run with run.json and step 0; does nothing that is done already.

    Raises StoreError, PictureError.
    """
    initial, folder, plan = planned.initial, planned.folder, planned.plan
    if initial is None:
        return
    try:
        data = initial.read_bytes() if isinstance(initial, Path) else initial
    except OSError as error:
        where = error.filename or "the initial picture"
        raise PictureError(f"cannot read {where}: {error.strerror}", "name it again") from error
    facts = file_facts(data, 0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make {folder}: {error.strerror}", "free space, or write elsewhere with --into"
        ) from error
    if not (folder / PLAN).exists():
        write_plan(folder, plan)
    if not (folder / "step-000.json").exists():
        set_aside(folder)
        first = Sidecar(
            run=plan.run,
            step=0,
            output=facts,
            simulated=plan.simulated,
            warnings=("SIMULATED",) if plan.simulated else (),
        )
        commit_step(folder, data, first)


class _Maker:
    """Walks one run; `chain` grows by one sidecar a step."""

    def __init__(self, batch: Batch, planned: PlannedRun) -> None:
        self.batch = batch
        self.planned = planned
        self.plan = planned.plan
        self.folder = planned.folder
        self.steps: list[Sidecar] = []
        self.spent_before = 0.0
        self.newest = ("", b"")  # hash and bytes of the last committed picture
        self.asker: Asker | None = None

    def make(self) -> RunReport:
        if not self.planned.exists:
            begin(self.batch.root, self.planned)
        elif self.planned.last > self.plan.steps_planned:
            self.plan = extend_plan(self.folder, self.planned.last)
        attempts = read_attempts(self.folder)
        self.steps = list(self._recovered(attempts).steps)
        if not self.steps:
            raise StoreError(f"{self.folder} has no step 0", "make the run anew with b100 edit new")
        if self.steps[-1].step >= self.planned.last:
            return self.report("done")
        self._same_place()
        (self.folder / STOPPED).unlink(missing_ok=True)
        editor = self.batch.editor(self.plan)
        self.asker = Asker(self.batch, self.planned, editor, self.batch.row(self.plan))
        while self.steps[-1].step < self.planned.last:
            if self.batch.stop.finish.is_set():
                return self.report("stopped", self.batch.stop.reason)
            step = self.steps[-1].step + 1
            answer = self._step(editor, step)
            if answer.ended is not None:
                if answer.ended != "interrupted":
                    self._stopped(step, answer)
                return self.report("stopped", answer.reason)
        return self.report("done")

    def _same_place(self) -> None:
        """A run that a fake service began is not gone on with by a real one, nor the reverse."""
        began = self.plan.parameters.get("endpoint")
        now_at = other_endpoint(self.batch.row(self.plan))
        if began != now_at:
            raise StoreError(
                f"{self.plan.run} was begun at {began or 'the provider'} and would go on at "
                f"{now_at or 'the provider'}",
                "point the editor back (base_url in editors.toml), or fork the run",
            )

    def report(self, status: Any, reason: str = "") -> RunReport:
        money = self.asker.money if self.asker else None
        usd = (money.settled + money.possible) if money else 0.0
        return RunReport(
            run=self.plan.run,
            steps_done=max(0, len(self.steps) - 1),
            status=status,
            reason=reason,
            usd=round(usd, 6),
            total_usd=round(self.spent_before + usd, 6),
            possibly_billed_usd=round(money.possible if money else 0.0, 6),
        )

    def _recovered(self, attempts: list[dict[str, Any]]) -> Chain:
        """Verify the chain, set loose images aside, and close intents that a crash left open."""
        set_aside(self.folder)
        adopt(self.batch.root, self.plan, self.folder)
        chain = read_chain(self.folder, self.plan)
        ended = {str(line.get("id")) for line in attempts if line.get("kind") == "outcome"}
        self.spent_before = sum(
            _dollars(line.get("settled")) + _dollars(line.get("possibly_billed"))
            for line in attempts
            if line.get("kind") == "outcome"
        )
        for line in attempts:
            if line.get("kind") != "intent" or str(line.get("id")) in ended:
                continue
            self.spent_before += self._close(line, chain)
        return chain

    def _close(self, intent: dict[str, Any], chain: Chain) -> float:
        """Write the outcome of an attempt that no outcome line tells of; return its dollars."""
        id, step = str(intent.get("id")), intent.get("step")
        reserved = _dollars(intent.get("reserved"))
        told = self.batch.ledger.ended(id)
        if told is None and self.batch.ledger.is_open(id):
            self.batch.ledger.possibly_billed(id, reserved)
        settled = told.usd if told is not None and told.kind == "settle" else 0.0
        possible = 0.0 if settled or not reserved else (told.usd if told else reserved)
        committed = isinstance(step, int) and step <= chain.last
        line = {
            "kind": "outcome",
            "id": id,
            "step": step,
            "attempt": intent.get("attempt"),
            "time": now(),
            "outcome": "ok" if committed else "lost",
            "message": "" if committed else "the process ended before this step was committed",
            "settled": settled,
            "possibly_billed": possible,
        }
        append_attempts(self.folder, line)
        return settled + possible

    def _step(self, editor: Editor, step: int) -> Answer:
        assert self.asker is not None
        source = self.steps[input_step(self.plan.inputs, step)].output
        if self.newest[0] == source.sha256:
            data = self.newest[1]  # as it was received a moment ago
        else:
            data = _picture(self.folder, source.file, source.sha256)
        parameters = self._parameters(editor, step)
        prompt = prompt_of(self.plan, step)
        answer = self.asker.ask(step, data, source.mime, prompt, parameters)
        if answer.ended is None:
            self._commit(step, editor, prompt, parameters, answer, source)
        # Last: a disk that has no room for drafts must not cost the picture that was paid for.
        if answer.outcome is not None and answer.outcome.drafts:
            keep_drafts(self.folder, step, answer)
        return answer

    def _parameters(self, editor: Editor, step: int) -> Parameters:
        able = editor.capabilities
        temperature = self.plan.parameters.get("temperature")
        return Parameters(
            seed=seed_of(self.plan, step) if able.seed else None,
            temperature=temperature if able.temperature else None,
            resolution=resolution_of(self.plan, step) if able.resolutions else None,
            aspect_ratio=self.plan.parameters.get("aspect_ratio"),
            thinking=self.plan.parameters.get("thinking"),
            history=self._history(step) if self.plan.session == "single" else (),
            extra=extra_of(self.plan),
            run=self.plan.run,
            step=step,
        )

    def _history(self, step: int) -> tuple[Turn, ...]:
        turns = []
        for sidecar in self.steps[1:step]:
            before, after = self.steps[sidecar.step - 1].output, sidecar.output
            turns.append(
                Turn(
                    prompt=sidecar.prompt or "",
                    image=_picture(self.folder, before.file, before.sha256),
                    mime=before.mime,
                    answer=_picture(self.folder, after.file, after.sha256),
                    answer_mime=after.mime,
                    reply=sidecar.reply,
                )
            )
        return tuple(turns)

    def _commit(
        self,
        step: int,
        editor: Editor,
        prompt: str,
        parameters: Parameters,
        answer: Answer,
        source: Any,
    ) -> None:
        assert answer.outcome is not None and answer.outcome.image is not None
        assert self.asker is not None
        data = answer.outcome.image.data
        sidecar = sidecar_of(
            self.plan, editor, step, prompt, parameters, answer, source, self.steps
        )
        try:
            commit_step(self.folder, data, sidecar)
        except (StoreError, OSError) as error:
            kept = rescue(self.batch.root, self.plan, data, sidecar)
            reason = getattr(error, "message", str(error))
            raise StoreError(
                f"step {step}: {reason}; the paid picture is kept in {kept}",
                "free space, then b100 edit resume takes it over",
            ) from error
        self.batch.aside(keep_previews, self.batch.root, self.folder / sidecar.output.file)
        self.steps.append(sidecar)
        self.newest = (sidecar.output.sha256, data)
        append_attempts(
            self.folder,
            {
                "kind": "outcome",
                "id": answer.intent,
                "step": step,
                "attempt": answer.attempts,
                "time": now(),
                "outcome": "ok",
                "finish_reason": sidecar.finish_reason,
                "settled": answer.settled,
                "possibly_billed": answer.possible,
            },
            durable=False,
        )
        self.batch.tell(
            Progress(
                kind="committed",
                run=self.plan.run,
                step=step,
                seconds=answer.seconds,
                usd=answer.settled + answer.possible,
                done=step,
                total=self.planned.last,
            )
        )

    def _stopped(self, step: int, answer: Answer) -> None:
        outcome = answer.outcome
        write_stopped(
            self.folder,
            {
                "run": self.plan.run,
                "step": step,
                "failure": answer.ended,
                "reason": answer.reason,
                "finish_reason": outcome.finish_reason if outcome else None,
                "finish_message": outcome.finish_message if outcome else None,
                "time": now(),
                "simulated": self.plan.simulated,
            },
        )


def stopped_for(folder: Path) -> tuple[str, str] | None:
    """Return (failure class, reason) of a run that ended early, None for one that did not."""
    try:
        told = msgspec.json.decode((folder / STOPPED).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, *UNPARSABLE):
        return "unknown", "stopped; the reason cannot be read"
    if not isinstance(told, dict):
        return "unknown", "stopped; the reason cannot be read"
    return str(told.get("failure")), str(told.get("reason"))


def _dollars(told: Any) -> float:
    """Return the dollars of an attempts line; what is no amount counts as none."""
    amount = isinstance(told, int | float) and not isinstance(told, bool)
    return float(told) if amount and 0 <= told < math.inf else 0.0


def _picture(folder: Path, name: str, sha256: str) -> bytes:
    """Return the bytes of a committed picture; StoreError when they are not those any more."""
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"cannot read {path}: {error.strerror}", "bring the folder back"
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise StoreError(f"{os.fspath(path)} was changed since it was committed", "fork before it")
    return data
