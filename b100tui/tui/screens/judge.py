"""The judging dialog: whom to ask about which steps, the cost, a cap, and the start."""

from collections.abc import Mapping, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from b100tui.index.rows import RunRow
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.asker import Asker, JudgeChoice, Price, Question
from b100tui.tui.drawing import grouped, plural
from b100tui.tui.facts import Block
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.paid import FORM_KEYS, PaidForm
from b100tui.tui.widgets.form import ChoiceRow, WordRow
from b100tui.tui.widgets.lines import TextPanel


def price_blocks(price: Price) -> list[Block]:
    """Return what judging takes, in words."""
    plan = f"{plural(price.steps, 'step')}, {grouped(price.summaries)} with a reasoning summary"
    cost = "free" if price.most <= 0 else f"at most ${price.most:,.2f}; known answers cost nothing"
    ask = "the summary's text alone is sent, with the question of the paper's Figure 8"
    return [
        (("plan    ", "text--key"), (plan, "")),
        (("cost    ", "text--key"), (cost, "")),
        (("asked   ", "text--key"), (ask, "text--dim")),
    ]


class JudgeScreen(PaidForm[str]):
    """Asks whom to ask; gives back the id of the job, or None."""

    class Offered(Message):
        """The judges there are."""

        def __init__(self, judges: Sequence[JudgeChoice]) -> None:
            super().__init__()
            self.judges = judges

    class Priced(Message):
        """What the question costs, or what is wrong with it."""

        def __init__(self, token: int, price: Price | None, error: B100Error | None) -> None:
            super().__init__()
            self.token = token
            self.price = price
            self.error = error

    class Begun(Message):
        """The job has started."""

        def __init__(self, job: str) -> None:
            super().__init__()
            self.job = job

    def __init__(self, asker: Asker, scopes: Mapping[str, Sequence[RunRow]], all_of: str) -> None:
        """`scopes` names groups of runs, the first is meant at first; `all_of` means all."""
        super().__init__()
        self._asker = asker
        self._scopes = scopes
        self._all = all_of
        self._judges: Sequence[JudgeChoice] = ()
        self._token = 0
        self._price: Price | None = None
        self._starting = False

    def compose(self) -> ComposeResult:
        """The rows, then what it costs."""
        with Vertical(id="judge", classes="box"):
            yield ChoiceRow("judge", id="who")
            yield ChoiceRow("runs", id="which")
            yield WordRow("steps", placeholder="all, or 1,5,10-20, every:10", id="steps")
            yield from self.paid_rows()
            yield TextPanel("", id="plan")

    def on_mount(self) -> None:
        """Ask who can judge."""
        titled(self.query_one("#judge"), "Judge the reasoning", FORM_KEYS)
        self.choice("which").offer([(name, name) for name in self._scopes])
        self.choice("who").focus()
        self._offer()

    @work(thread=True, group="offer", exit_on_error=False)
    def _offer(self) -> None:
        try:
            judges = self._asker.judges()
        except B100Error as error:
            self.post_message(self.Priced(self._token, None, error))
        else:
            self.post_message(self.Offered(judges))

    @on(Offered)
    def _offered(self, event: Offered) -> None:
        self._judges = event.judges
        first = next((at for at, judge in enumerate(event.judges) if judge.ready), 0)
        self.choice("who").offer([(one.id, _words(one)) for one in event.judges], first)
        self._replan()

    @property
    def _judge(self) -> JudgeChoice | None:
        return next((one for one in self._judges if one.id == self.choice("who").value), None)

    def question(self) -> Question:
        """Return what is asked for now."""
        scope = self.choice("which").value
        runs = () if scope == self._all else tuple(row.run for row in self._scopes[scope])
        return Question(judge=self.choice("who").value, runs=runs, steps=self.word("steps"))

    # What it costs

    @on(ChoiceRow.Changed)
    def _chosen(self) -> None:
        self._replan()

    @on(Input.Changed, "#steps")
    def _replan(self) -> None:
        self._token += 1
        self._price = None
        if self._judges:
            self._read(self._token, self._scopes[self.choice("which").value], self.question())

    @work(thread=True, exclusive=True, group="price", exit_on_error=False)
    def _read(self, token: int, rows: Sequence[RunRow], question: Question) -> None:
        try:
            price = self._asker.price(rows, question)
        except B100Error as error:
            self.post_message(self.Priced(token, None, error))
        else:
            self.post_message(self.Priced(token, price, None))

    @on(Priced)
    def _priced(self, event: Priced) -> None:
        if event.token != self._token:
            return
        self._starting = False
        if event.error is not None:
            self.refuse(event.error)
        elif event.price is not None:
            self._price = event.price
            self.show_paid(event.price.most)
            blocks = price_blocks(event.price)
            judge = self._judge
            if judge is not None and not judge.ready:
                lacks = clean_line(f"{judge.reason}: {judge.fix}")
                blocks.insert(0, ((lacks, "text--bad"),))
            self.query_one("#plan", TextPanel).show(blocks)

    # Starting

    @on(Input.Submitted)
    def action_start(self) -> None:
        """Begin, with a cap and a typed yes where it costs."""
        price, judge = self._price, self._judge
        if price is None or judge is None or self._starting:
            return
        if not price.steps:
            self.notify("no step to judge", markup=False)
            return
        if not judge.ready:
            self.notify(f"{judge.id}: {judge.reason}", severity="warning", markup=False)
            return
        agreed, budget = self.agreed(price.most)
        if agreed:
            self._starting = True
            title = f"{judge.model} on {self.choice('which').value}"
            self._begin(self._token, self.question(), budget, title, price.steps)

    @work(thread=True, group="begin", exit_on_error=False)
    def _begin(
        self, token: int, question: Question, budget: float | None, title: str, total: int
    ) -> None:
        try:
            job = self._asker.begin(question, budget, title, total)
        except B100Error as error:
            self.post_message(self.Priced(token, None, error))
        else:
            self.post_message(self.Begun(job))

    @on(Begun)
    def _begun(self, event: Begun) -> None:
        self.dismiss(event.job)


def _words(judge: JudgeChoice) -> str:
    words = judge.id if judge.id == judge.model else f"{judge.id} ({judge.model})"
    return words if judge.ready else f"{words} - {judge.reason}"
