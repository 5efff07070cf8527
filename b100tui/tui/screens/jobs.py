"""The jobs: how far each is, what failed and why, what it says, and the keys that steer it."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from b100tui.jobs.records import Job
from b100tui.jobs.tail import Place, Tail
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.desk import Desk, Verb
from b100tui.tui.jobwords import LOG_LINES, job_details, job_line
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.overlay import Overlay
from b100tui.tui.widgets.lines import LinesView, TextPanel
from b100tui.tui.wrapping import fit

LOOK_SECONDS = 1.0
MOST_LINES = 6
KEYS = "p pause · r resume · f retry failed · c cancel · Esc"
NO_JOBS = "no jobs yet: S scores runs, e makes steps; both go on when you leave"


class JobList(LinesView, can_focus=False):
    """One line a job, the newest first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--key", "text--dim", "text--bad", "jobs--cursor"}

    class Chosen(Message):
        """The cursor came to another job."""

    def __init__(self) -> None:
        super().__init__(id="job-list")
        self.jobs: Sequence[Job] = ()
        self.cursor = 0

    @property
    def job(self) -> Job | None:
        """The job under the cursor."""
        return self.jobs[self.cursor] if self.cursor < len(self.jobs) else None

    def show(self, jobs: Sequence[Job]) -> None:
        """List `jobs`; the job under the cursor keeps the cursor."""
        keep = self.job
        self.jobs = jobs
        ids = [job.id for job in jobs]
        at = ids.index(keep.id) if keep and keep.id in ids else self.cursor
        self.cursor = max(0, min(at, len(jobs) - 1))
        self.set_line_count(len(jobs))
        height = max(1, min(MOST_LINES, len(jobs)))
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height
        self.refresh()

    def move(self, delta: int) -> None:
        """Move the cursor."""
        self.go_to(self.cursor + delta)

    def go_to(self, line: int) -> None:
        """Put the cursor on `line`, clamped."""
        line = max(0, min(len(self.jobs) - 1, line))
        if line != self.cursor:
            self.cursor = line
            self.scroll_to_region(Region(0, line, 1, 1), animate=False, immediate=True)
            self.refresh()
            self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        self.go_to(event.y + self.scroll_offset.y)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        at = y + self.scroll_offset.y
        if not self.jobs and y == 0:
            return self.strip([(f" {NO_JOBS}", "text--dim")], self.size.width)
        if at >= len(self.jobs):
            return self.blank(self.size.width)
        spans = [(" ", ""), *job_line(self.jobs[at])]
        if at == self.cursor:
            text = "".join(text for text, _ in spans)
            spans = [(fit(text, self.size.width), "jobs--cursor")]
        return self.strip(spans, self.size.width)


class JobsScreen(Overlay[None]):
    """Shows and steers the jobs of one folder."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t,q", "close", "close", id="jobs.close"),
        Binding("p", "steer('pause')", "pause", id="jobs.pause"),
        Binding("r", "steer('resume')", "resume", id="jobs.resume"),
        Binding("f", "steer('retry')", "retry what failed", id="jobs.retry"),
        Binding("c", "cancel", "cancel", id="jobs.cancel"),
        Binding("k", "move(-1)", "up", id="jobs.up"),
        Binding("j", "move(1)", "down", id="jobs.down"),
        Binding("pageup", "scroll(-1)", "details up", id="jobs.details-up"),
        Binding("pagedown", "scroll(1)", "details down", id="jobs.details-down"),
    ]

    class Seen(Message):
        """The jobs as they are now, and what is new in the one under the cursor."""

        def __init__(self, jobs: Sequence[Job], tail: Tail | None, error: B100Error | None) -> None:
            super().__init__()
            self.jobs = jobs
            self.tail = tail
            self.error = error

    class Steered(Message):
        """A job was asked to do something, or why it cannot be."""

        def __init__(self, error: B100Error | None) -> None:
            super().__init__()
            self.error = error

    def __init__(self, desk: Desk, seen: Callable[[Sequence[Job]], None], chosen: str = "") -> None:
        """`seen` is told the jobs whenever they were looked at; `chosen` is opened first."""
        super().__init__()
        self._desk = desk
        self._tell = seen
        self._wanted = chosen
        self._places: dict[str, Place] = {}
        self._logs: dict[str, list[str]] = {}
        self._to_cancel = ""
        self._reading = False

    def compose(self) -> ComposeResult:
        """The jobs above, the details of one below."""
        with Vertical(id="jobs", classes="box"):
            yield JobList()
            yield TextPanel("", id="job")

    def on_mount(self) -> None:
        """Look now and every second."""
        titled(self.query_one("#jobs"), "Jobs", KEYS)
        self._look()
        self.set_interval(LOOK_SECONDS, self._look_again)

    @property
    def listed(self) -> JobList:
        """The list."""
        return self.query_one(JobList)

    # Looking

    def _look_again(self) -> None:
        if not self._reading:  # of a slow disk one thread waits, not one a tick
            self._look()

    def _look(self) -> None:
        job = self.listed.job
        id = self._wanted or (job.id if job is not None else "")
        self._read(id, self._places.get(id))

    @work(thread=True, exclusive=True, group="look", exit_on_error=False)
    def _read(self, id: str, place: Place | None) -> None:
        tail = error = None
        jobs: Sequence[Job] = ()
        self._reading = True
        try:
            jobs = self._desk.jobs()
            first = id or (jobs[0].id if jobs else "")
            if first:
                tail = self._desk.tail(first, place if first == id else None)
        except B100Error as fault:
            error = fault
        finally:
            self._reading = False
        self.post_message(self.Seen(jobs, tail, error))

    @on(Seen)
    def _seen(self, event: Seen) -> None:
        if event.error is not None and not event.jobs:
            titled(self.query_one("#jobs"), "Jobs", event.error.message)
            return
        self.listed.show(event.jobs)
        self._tell(event.jobs)
        if event.tail is not None:
            self._take(event.tail)
        self._show_details()

    def _take(self, tail: Tail) -> None:
        id = tail.job.id
        if self._places.get(id) != tail.place:
            log = self._logs.setdefault(id, [])
            log += [line for line in tail.log.split("\n") if line.strip()]
            del log[:-LOG_LINES]
            self._places[id] = tail.place
        if id == self._wanted:
            self._wanted = ""
            ids = [job.id for job in self.listed.jobs]
            if id in ids:
                self.listed.go_to(ids.index(id))

    @on(JobList.Chosen)
    def _chosen(self) -> None:
        self._to_cancel = ""
        titled(self.query_one("#jobs"), "Jobs", KEYS)
        self.query_one("#job", TextPanel).scroll_to(y=0, animate=False)
        self._show_details()
        self._look()

    def _show_details(self) -> None:
        job = self.listed.job
        panel = self.query_one("#job", TextPanel)
        panel.show(job_details(job, self._logs.get(job.id, [])) if job else [], keep_place=True)

    # Steering

    def action_steer(self, verb: Verb) -> None:
        """Ask the job under the cursor to do something."""
        job = self.listed.job
        self._to_cancel = ""
        titled(self.query_one("#jobs"), "Jobs", KEYS)
        if job is not None:
            self._steer(verb, job.id)

    def action_cancel(self) -> None:
        """Cancel the job under the cursor, when asked twice."""
        job = self.listed.job
        if job is None:
            return
        if self._to_cancel == job.id:
            self.action_steer("cancel")
            return
        self._to_cancel = job.id
        titled(self.query_one("#jobs"), "Jobs", "c again ends it for good; what is done stays")

    @work(thread=True, group="steer", exit_on_error=False)
    def _steer(self, verb: Verb, id: str) -> None:
        try:
            self._desk.steer(verb, id)
        except B100Error as error:
            self.post_message(self.Steered(error))
        else:
            self.post_message(self.Steered(None))

    @on(Steered)
    def _steered(self, event: Steered) -> None:
        if event.error is not None:
            hint = f"; {event.error.hint}" if event.error.hint else ""
            words = clean_line(event.error.message + hint)
            self.notify(words, severity="warning", markup=False)
        self._look()

    # Moving

    def action_move(self, delta: int) -> None:
        """Move among the jobs."""
        self.listed.move(delta)

    def action_scroll(self, pages: int) -> None:
        """Scroll the details."""
        panel = self.query_one("#job", TextPanel)
        panel.move(pages * panel.page)
