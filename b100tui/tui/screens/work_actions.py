"""The actions that have work done: the jobs, and what is told of them on the main screen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.timer import Timer

from b100tui.index.rows import RunRow
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.drawing import plural
from b100tui.tui.messages import Attached, JobsSeen
from b100tui.tui.screens.base import ExplorerState

if TYPE_CHECKING:
    from b100tui.jobs.records import Job
    from b100tui.tui.maker import Begun

WATCH_SECONDS = 2.0
MANY_RUNS = 2000  # more names than this do not belong on a command line


class WorkActions(ExplorerState):
    """Jobs are watched from the moment the index is there."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self.jobs_said = ""
        self.awaited = ""  # a run that is being made and is to be shown once it is there
        self._jobs: dict[str, Job] | None = None
        self._watch_timer: Timer | None = None
        self._looking = False

    @on(Attached)
    def _watch(self) -> None:
        if self._watch_timer is None:
            self.look_for_jobs()
            self._watch_timer = self.set_interval(WATCH_SECONDS, self._look_again)

    def _look_again(self) -> None:
        if not self._looking:  # of a slow disk one thread waits, not one a tick
            self.look_for_jobs()

    @work(thread=True, exclusive=True, group="jobs", exit_on_error=False)
    def look_for_jobs(self) -> None:
        """Read what the jobs are at."""
        self._looking = True
        try:
            self.post_message(JobsSeen(self.explorer.desk.jobs()))
        except B100Error as error:
            self.log(f"the jobs cannot be read: {error.message}")  # t tells it
        finally:
            self._looking = False

    @on(JobsSeen)
    def _jobs_seen(self, event: JobsSeen) -> None:
        self.take_jobs(event.jobs)

    def take_jobs(self, jobs: "Sequence[Job]") -> None:
        """Tell on reopening what goes on, later what has ended; say the rest in the status line."""
        from b100tui.tui.jobwords import LIVE, banner, ended_words, greeting

        before = self._jobs
        self._jobs = {job.id: job for job in jobs}
        if before is None:
            words = greeting(jobs)
            if words:
                self.say(words)
        else:
            for job in jobs:
                known = before.get(job.id)
                if known is not None and known.state in LIVE and job.state not in LIVE:
                    self.say(ended_words(job), bad=job.state in {"failed", "lost", "partial"})
        said = banner(jobs)
        if said != self.jobs_said:
            self.jobs_said = said
            self.show_status()

    def do_act_jobs(self) -> None:
        """Open the jobs."""
        self.open_jobs()

    def open_jobs(self, chosen: str = "") -> None:
        """Open the jobs with the job `chosen` under the cursor."""
        from b100tui.tui.screens.jobs import JobsScreen

        self.app.push_screen(JobsScreen(self.explorer.desk, self.take_jobs, chosen))

    # Scoring

    def do_act_score(self) -> None:
        """Ask what to score, then have it done by a job."""
        from b100tui.tui.screens.score import ScoreScreen

        if self.catalogue is None or not self.runs.tree_of_runs.rows:
            self.say("the index is not ready yet")
            return
        scopes, every = self._scopes()
        screen = ScoreScreen(self.explorer.scorer(self.catalogue), scopes, every)
        self.app.push_screen(screen, self._score_begun)

    def _scopes(self) -> tuple[dict[str, Sequence[RunRow]], str]:
        """Return the groups of runs that work can be done on by name, and the name of all."""
        rows = self.runs.tree_of_runs.rows
        here = self.trajectory.row if self.trajectory is not None else self.runs.run
        scopes: dict[str, Sequence[RunRow]] = {}
        if here is not None:
            scopes[clean_line(here.run)] = (here,)
        wanted = self.runs.wanted
        if wanted is not None and 0 < len(wanted) <= MANY_RUNS:
            scopes[plural(len(wanted), "listed run")] = [rows[at] for at in wanted]
        every = f"all {plural(len(rows), 'run')}"
        scopes[every] = rows
        return scopes, every

    def _score_begun(self, job: str | None) -> None:
        if job is not None:
            self.say("scoring goes on beside you; t shows it")
            self.look_for_jobs()

    # Judging

    def do_act_judge(self) -> None:
        """Ask whom to ask about the reasoning, then have it done by a job."""
        from b100tui.tui.screens.judge import JudgeScreen

        if self.catalogue is None or not self.runs.tree_of_runs.rows:
            self.say("the index is not ready yet")
            return
        scopes, every = self._scopes()
        screen = JudgeScreen(self.explorer.asker(self.catalogue), scopes, every)
        self.app.push_screen(screen, self._judge_begun)

    def _judge_begun(self, job: str | None) -> None:
        if job is not None:
            self.say("the judge is asked beside you; t shows it")
            self.look_for_jobs()

    # Writing

    def do_act_write(self) -> None:
        """Ask what to write where, then have it done by a job."""
        from b100tui.tui.screens.write import WriteScreen
        from b100tui.tui.writer import RootWriter

        if self.trajectory is None:
            self.say("no run is open yet")
            return
        writer = self.explorer.writer or RootWriter(self.explorer.root, self.explorer.config)
        run, step = self.trajectory.row.run, self.position.step
        self.app.push_screen(WriteScreen(writer, run, step, self.filter_text), self._write_begun)

    def _write_begun(self, job: str | None) -> None:
        if job is not None:
            self.say("it is written beside you; t shows it")
            self.look_for_jobs()

    # Editing

    def do_act_edit(self) -> None:
        """Ask how to go on from this step, then have it done by a job."""
        from b100tui.tui.screens.edit import EditScreen

        if self.catalogue is None or self.trajectory is None:
            self.say("no run is open yet")
            return
        maker = self.explorer.maker(self.catalogue)
        screen = EditScreen(maker, self.trajectory.row, self.position.step)
        self.app.push_screen(screen, self._edit_begun)

    def _edit_begun(self, begun: "Begun | None") -> None:
        if begun is None:
            return
        self.say("steps come under the cursor as they are made; t shows the job")
        self.awaited = begun.run
        self.look_for_news()
        self.look_for_jobs()

    def look_for_news(self) -> None:
        """Have the index look at the folder now; the screen's own part overrides it."""
        raise NotImplementedError

    def show_status(self) -> None:
        """Draw the status line; the screen's own part overrides it."""
        raise NotImplementedError
