"""The writing dialog: a strip or steps let out, where to, and the command that does it."""

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.paid import FORM_KEYS, Form
from b100tui.tui.widgets.form import ChoiceRow, WordRow
from b100tui.tui.widgets.lines import TextPanel
from b100tui.tui.writer import KINDS, Sheet, What, Writer, sheet_words, shown, target

STRIP_STEPS = "1,5,10,20,50,100"


class WriteScreen(Form[str]):
    """Asks what to write where; gives back the id of the job, or None."""

    class Planned(Message):
        """The command that would be run, or why it cannot be."""

        def __init__(self, token: int, words: str, error: B100Error | None = None) -> None:
            super().__init__()
            self.token = token
            self.words = words
            self.error = error

    class Begun(Message):
        """The job has started, or why it cannot."""

        def __init__(self, job: str, error: B100Error | None = None) -> None:
            super().__init__()
            self.job = job
            self.error = error

    def __init__(self, writer: Writer, run: str, step: int, filter: str) -> None:
        super().__init__()
        self._writer = writer
        self._run = run
        self._step = step
        self._filter = filter
        self._starting = False
        self._token = 0

    def compose(self) -> ComposeResult:
        """The rows, then the command."""
        name = clean_line(self._run).replace("/", "-").replace(" ", "-")
        with Vertical(id="write", classes="box"):
            yield ChoiceRow("what", id="what")
            yield WordRow("steps", STRIP_STEPS, id="strip-steps")
            yield WordRow("captions", placeholder="metrics, such as niqe,brisque", id="caption")
            yield ChoiceRow("until", id="until")
            yield WordRow("filter", self._filter, "all steps", id="export-filter")
            yield WordRow("to", f"{name}.png", id="out")
            yield TextPanel("", id="plan")

    def on_mount(self) -> None:
        """Offer what can be written."""
        titled(self.query_one("#write"), "Write", FORM_KEYS)
        until = [("", "the end of each run"), ("onset", "the onset"), ("limit", "the limit"),
                 (str(self._step), f"step {self._step}")]  # fmt: skip
        self.choice("until").offer(until)
        self.choice("what").offer(list(KINDS.items()))
        self.choice("what").focus()
        self._fit_rows()

    def sheet(self) -> Sheet:
        """Return what is asked for now."""
        what: What = next(kind for kind in KINDS if kind == self.choice("what").value)
        return Sheet(
            what=what,
            run=self._run,
            out=self.word("out"),
            steps=self.word("strip-steps"),
            caption=self.word("caption"),
            until=self.choice("until").value,
            filter=self.word("export-filter"),
        )

    def _fit_rows(self) -> None:
        strip = self.choice("what").value == "strip"
        for name in ("strip-steps", "caption"):
            self.query_one(f"#{name}", Widget).disabled = not strip
        for name in ("until", "export-filter"):
            self.query_one(f"#{name}", Widget).disabled = strip
        out = self.query_one("#out", Input)
        bare = out.value.removesuffix(".png")
        out.value = f"{bare}.png" if strip else bare
        self._replan()

    @on(ChoiceRow.Changed)
    def _chosen(self) -> None:
        self._fit_rows()

    @on(Input.Changed)
    def _replan(self) -> None:
        if not self.choice("what").value:
            return
        self._token += 1
        self._look(self._token, self.sheet())

    @work(thread=True, exclusive=True, group="plan", exit_on_error=False)
    def _look(self, token: int, sheet: Sheet) -> None:
        """Look whether the name is free: the disk may be slow."""
        try:
            words = shown(sheet_words(sheet, target(sheet)))
        except B100Error as error:
            self.post_message(self.Planned(token, "", error))
        else:
            self.post_message(self.Planned(token, words))

    @on(Planned)
    def _planned(self, event: Planned) -> None:
        if event.token != self._token:
            return
        if event.error is not None:
            self.refuse(event.error)
            return
        blocks = [(("does    ", "text--key"), (clean_line(event.words), ""))]
        self.query_one("#plan", TextPanel).show(blocks)

    @on(Input.Submitted)
    def action_start(self) -> None:
        """Begin."""
        if not self._starting:
            self._starting = True
            self._begin(self.sheet())

    @work(thread=True, group="begin", exit_on_error=False)
    def _begin(self, sheet: Sheet) -> None:
        try:
            job = self._writer.begin(sheet)
        except B100Error as error:
            self.post_message(self.Begun("", error))
        else:
            self.post_message(self.Begun(job))

    @on(Begun)
    def _begun(self, event: Begun) -> None:
        self._starting = False
        if event.error is not None:
            self.refuse(event.error)
        else:
            self.dismiss(event.job)
