"""What the main screen reads: the index, the run list, the opened run, and their changes."""

import gc
import math
import time
from typing import Any

import msgspec
from textual import on, work
from textual.worker import Worker

from b100tui.index.rows import RunRow
from b100tui.model.errors import B100Error, StoreError
from b100tui.tui.messages import Attached, Changed, Failed, Indexing, RunRead, RunsRead
from b100tui.tui.processes import Indexer, ProbeRunner
from b100tui.tui.screens.base import ExplorerState
from b100tui.tui.screens.broken import tell_broken
from b100tui.tui.trajectory import Trajectory, make_trajectory
from b100tui.tui.tree import RunTree

POLL_SECONDS = 1.0
POLL_SHARE = 5.0  # long polls (a run of many thousand steps) take a sixth of the time at most
KEPT_RUNS = 32
INDEXING = "indexing"


class RunData(ExplorerState):
    """Workers that read, and handlers that take what they found."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self.indexer: Indexer | None = None
        self.probes: ProbeRunner | None = None
        self.indexing = ""
        self.probing = False
        self._read: dict[str, Trajectory] = {}
        self.searched = False  # whether a run list was read, were it empty
        self.left_out: int | None = None
        self._told: dict[str, str] = {}
        self._next_poll = 0.0

    # The index

    @work(thread=True, exclusive=True, group="attach", exit_on_error=False)
    def attach(self) -> None:
        """Open the index; there may be none yet."""
        try:
            catalogue = self.explorer.open_catalogue(self.explorer.root)
        except StoreError:
            catalogue = None  # the indexer makes one and says so
        self.post_message(Attached(catalogue))

    @on(Attached)
    def _attached(self, event: Attached) -> None:
        if self.catalogue is None:
            self.catalogue = event.catalogue
            if event.catalogue is None:
                gc.enable()  # nobody knows when the run list comes
            else:
                self.read_runs()
                self.set_interval(POLL_SECONDS, self.poll)
        if self.indexer is None and self.explorer.keep_fresh:
            self.keep_fresh()
        self.show_status()

    @work(thread=True, exclusive=True, group="indexer", exit_on_error=False)
    def keep_fresh(self) -> None:
        """Run the indexer beside the screen and pass on what it says."""
        try:
            self.indexer = Indexer(self.explorer.root)
        except B100Error as error:
            self.post_message(Failed("keeping the index fresh", error))
            return
        for report in self.indexer.reports():
            self.post_message(_message(report))

    def look_for_news(self) -> None:
        """Have the indexer look at the folder now."""
        if self.indexer is not None:
            self.indexer.nudge()

    @on(Indexing)
    def _indexing(self, event: Indexing) -> None:
        self.indexing = event.words
        self._told.pop(INDEXING, None)
        if not event.words and self.catalogue is None:
            self.attach()
        self.show_status()

    @on(Changed)
    def _changed(self) -> None:
        self.indexing = ""
        self._told.clear()
        self._read.clear()
        if self.catalogue is None:
            self.attach()
        else:
            self.read_runs()
        self.show_status()

    @work(thread=True, exclusive=True, group="poll", exit_on_error=False)
    def poll(self) -> None:
        """Ask the index for news and start wanted probes."""
        catalogue, began = self.catalogue, time.monotonic()
        if catalogue is None or began < self._next_poll:
            return
        self._next_poll = math.inf  # while one waits for a slow disk no other begins
        try:
            if self.probes is not None:
                self.probing = self.probes.advance()
            if catalogue.poll():
                self.post_message(Changed())
        except B100Error as error:
            self.post_message(Failed("looking for news", error))
        finally:
            self._next_poll = time.monotonic() + POLL_SHARE * (time.monotonic() - began)

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        known = event.error.message in self._told.values()
        self._told[event.doing] = event.error.message
        if event.doing == INDEXING:
            root = self.explorer.root
            self.indexing = event.error.message.replace(str(root), root.name)
            self.show_status()
        if known:
            return  # a poll that fails each second says so once
        hint = f"; {event.error.hint}" if event.error.hint else ""
        self.say(f"{event.doing}: {event.error.message}{hint}", bad=True)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that broke costs its own work: tell it, keep the log, go on."""
        tell_broken(self, event)

    # The run list

    @work(thread=True, exclusive=True, group="runs", exit_on_error=False)
    def read_runs(self) -> None:
        """Read the whole run list."""
        catalogue = self.catalogue
        if catalogue is None:
            return
        try:
            rows = catalogue.runs()
        except B100Error as error:
            self.post_message(Failed("reading the runs", error))
        else:
            self.post_message(RunsRead(RunTree(rows)))

    @on(RunsRead)
    def _runs_read(self, event: RunsRead) -> None:
        self.searched = True
        if event.left_out is not None:
            self.left_out = event.left_out
        self.take_runs(event.tree)
        if not gc.isenabled():
            # Once, at the end of the start: what is loaded by now stays, and is never looked
            # through again. Frozen later, screens that were just left would stay for good.
            gc.freeze()
            gc.enable()

    # The opened run

    def open_run(self, row: RunRow) -> None:
        """Show `row`: at once when it was read before, else as soon as a worker has read it."""
        self.token += 1
        self.opened = row
        known = self._read.get(row.run)
        if known is not None and known.row == row:
            self.take_run(known)
        elif self.catalogue is not None:
            self.read_run(self.token, row)

    @work(thread=True, exclusive=True, group="run", exit_on_error=False)
    def read_run(self, token: int, row: RunRow) -> None:
        """Read one run's steps, series, verdicts and marks."""
        from b100tui.metrics.registry import known

        catalogue = self.catalogue
        if catalogue is None or token != self.token:
            return
        try:
            series = catalogue.series(row.run)
            metrics = {one.metric: found for one in series if (found := known(one.metric))}
            trajectory = make_trajectory(
                row,
                catalogue.steps(row.run),
                series,
                metrics,
                catalogue.verdicts(row.run),
                catalogue.marks(row.run),
            )
        except B100Error as error:
            self.post_message(Failed(f"reading {row.run}", error))
        else:
            self.post_message(RunRead(token, trajectory))

    @on(RunRead)
    def _run_read(self, event: RunRead) -> None:
        self._read[event.trajectory.row.run] = event.trajectory
        while len(self._read) > KEPT_RUNS:
            self._read.pop(next(iter(self._read)))
        if event.token == self.token:
            self.take_run(event.trajectory)

    def want_probes(self, trajectory: Trajectory) -> None:
        """Have the probes measured when this run's newest picture has none."""
        good = [step.step for step in trajectory.steps if step.status == "ok"]
        if self.probes is None or not good:
            return
        measured = (s for s in trajectory.series if s.metric.backend == "probes")
        if not any(good[-1] in series.values for series in measured):
            self.probing = self.probes.want(trajectory.row.run, good[-1]) or self.probing

    # What the screen's own part does with it

    def take_runs(self, tree: RunTree) -> None:
        """Show a run list."""
        raise NotImplementedError

    def take_run(self, trajectory: Trajectory) -> None:
        """Show a run."""
        raise NotImplementedError

    def show_status(self) -> None:
        """Draw the status line."""
        raise NotImplementedError


def _message(report: dict[str, Any]) -> Indexing | Changed | Failed | RunsRead:
    """Return what a line of the indexer means."""
    if "rows" in report:
        rows = msgspec.convert(report["rows"], list[RunRow])
        return RunsRead(RunTree(rows), report.get("left_out"))
    if "error" in report:
        return Failed(INDEXING, B100Error(str(report["error"]), str(report.get("hint", ""))))
    if "held" in report:
        return Indexing(str(report["held"]))
    if "generation" in report:
        return Changed() if report.get("changed") else Indexing("")
    return Indexing(f"indexing {report.get('done', 0)} of {report.get('total', 0)} steps")
