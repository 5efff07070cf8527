"""The one call behind `b100 edit` and the explorer's `e`: plan, then make.

    planned = plan(root, New(images=(path,), ask=Ask(editor="simulate", steps=5)))
    told = estimate(planned)                 # b100tui.engine.estimate
    report = make(root, planned, Limits(budget=10.0), tell=show, stop=stop)

`prepare` writes the run folders without making a step, so that a detached `b100 edit resume`
can take them over.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from b100tui.editors.registry import open_editor
from b100tui.engine.batch import Batch, Opener, quiet
from b100tui.engine.events import EditReport, RunReport, Tell
from b100tui.engine.ledger import Caps
from b100tui.engine.making import begin, make_run
from b100tui.engine.planning import plan
from b100tui.engine.policy import Policy
from b100tui.engine.request import Limits
from b100tui.engine.runfolder import extend_plan
from b100tui.engine.runplan import PlannedRun
from b100tui.engine.stopping import Stop, interruptible
from b100tui.workspace.settings import Settings

__all__ = ["make", "plan", "prepare"]


def make(
    root: Path,
    planned: Sequence[PlannedRun],
    limits: Limits | None = None,
    *,
    settings: Settings | None = None,
    policy: Policy | None = None,
    stop: Stop | None = None,
    tell: Tell = quiet,
    opener: Opener = open_editor,
) -> EditReport:
    """Make the planned runs, several at once, each step of a run after the one before it.

    `tell` is called from worker threads. In the main thread ctrl-c finishes the running steps
    and a second one aborts them. Failures of a run end that run only and stand in the report;
    raises UsageError when an editor cannot run here at all, StoreError without a ledger.
    """
    limits = limits or Limits()
    settings = settings or Settings()
    caps = Caps(
        batch=limits.budget,
        run=limits.run_budget,
        day=limits.day if limits.day is not None else settings.edit.day_usd,
        month=limits.month if limits.month is not None else settings.edit.month_usd,
    )
    batch = Batch(
        root,
        id=limits.batch,
        caps=caps,
        policy=policy,
        stop=stop,
        tell=tell,
        settings=settings,
        opener=opener,
    )
    for run in (one for one in planned if one.done < one.last):
        batch.editor(run.plan)  # one that cannot run here is told before a folder is made
    with interruptible(batch.stop), closing(batch):
        reports = _all(batch, planned, max(1, limits.jobs))
    return EditReport(
        runs=tuple(reports),
        usd=round(sum(one.usd for one in reports), 6),
        possibly_billed_usd=round(sum(one.possibly_billed_usd for one in reports), 6),
        interrupted=batch.stop.reason == "interrupted",
    )


def prepare(root: Path, planned: Sequence[PlannedRun]) -> tuple[str, ...]:
    """Write run.json and step 0 of runs that are new, raise the length of others; return ids."""
    for run in planned:
        if run.exists:
            extend_plan(run.folder, max(run.last, run.plan.steps_planned))
        else:
            begin(root, run)
    return tuple(run.plan.run for run in planned)


def _all(batch: Batch, planned: Sequence[PlannedRun], jobs: int) -> list[RunReport]:
    if len(planned) <= 1:
        return [make_run(batch, run) for run in planned]
    with ThreadPoolExecutor(min(jobs, len(planned)), thread_name_prefix="edit") as pool:
        return list(pool.map(lambda run: make_run(batch, run), planned))
