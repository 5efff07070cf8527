"""The editing dialog: how to go on from a step, what it would take, a cap, and the start."""

from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from b100tui.index.rows import RunRow
from b100tui.model.errors import B100Error, UsageError
from b100tui.model.text import clean_line, duration
from b100tui.tui.drawing import plural
from b100tui.tui.facts import Block
from b100tui.tui.maker import (
    OWN_PROMPT,
    Begun,
    Choices,
    EditorChoice,
    Maker,
    Order,
    Way,
    decimal,
    first_editor,
    whole_number,
)
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.paid import FORM_KEYS, PaidForm
from b100tui.tui.widgets.form import ChoiceRow, WordRow
from b100tui.tui.widgets.lines import TextPanel

if TYPE_CHECKING:
    from b100tui.engine.estimate import Estimate

FEW_STEPS = "10"
MINUTE = 60.0  # estimates are no finer
KEY, BAD, DIM = "text--key", "text--bad", "text--dim"


def estimate_blocks(told: "Estimate") -> list[Block]:
    """Return an estimate in words: pictures, time, disk, dollars and the provider's limits."""
    seconds = told.hours * 3600
    took = f"about {duration(seconds)}" if seconds >= MINUTE else "less than a minute"
    many = f"{plural(told.images, 'picture')}, {took}, {told.gigabytes:,.2f} GB"
    blocks: list[Block] = [(("plan    ", KEY), (many, ""))]
    if told.is_free:
        return [*blocks, (("cost    ", KEY), ("free: nothing leaves this machine", ""))]
    usd = told.usd
    cost = f"likely ${usd.likely:,.2f} (${usd.low:,.2f} to ${usd.high:,.2f})"
    cost += f", prices of {told.price_table_date}"
    blocks.append((("cost    ", KEY), (cost, "")))
    return blocks + [(("limit   ", KEY), (clean_line(text), DIM)) for text in told.limits]


class EditScreen(PaidForm[Begun]):
    """Asks how to go on from one step; gives back what was begun, or None."""

    class Offered(Message):
        """What can be chosen."""

        def __init__(self, choices: Choices) -> None:
            super().__init__()
            self.choices = choices

    class Quoted(Message):
        """What the order takes, or what is wrong with it."""

        def __init__(
            self, token: int, told: "Estimate | None", error: B100Error | None = None
        ) -> None:
            super().__init__()
            self.token = token
            self.told = told
            self.error = error

    class Started(Message):
        """The job has begun."""

        def __init__(self, begun: Begun) -> None:
            super().__init__()
            self.begun = begun

    def __init__(self, maker: Maker, row: RunRow, step: int) -> None:
        super().__init__()
        self._maker = maker
        self._row = row
        self._step = step
        self._choices = Choices(editors=(), recipes=())
        self._token = 0
        self._told: Estimate | None = None
        self._starting = False

    def compose(self) -> ComposeResult:
        """The rows, then what it takes."""
        with Vertical(id="edit", classes="box"):
            yield ChoiceRow("way", id="way")
            yield ChoiceRow("editor", id="editor")
            yield ChoiceRow("recipe", id="recipe")
            yield WordRow("own prompt", placeholder="instead of a recipe", id="prompt")
            yield WordRow("steps", FEW_STEPS, id="count")
            yield WordRow("seed", placeholder="none, fixed:S or per-step:S", id="seed")
            yield WordRow("temperature", placeholder="the editor's own", id="temperature")
            yield ChoiceRow("resolution", id="resolution")
            yield from self.paid_rows()
            yield TextPanel("", id="plan")

    def on_mount(self) -> None:
        """Ask what can be chosen."""
        titled(self.query_one("#edit"), f"Edit from {self._row.run}@{self._step}", FORM_KEYS)
        self.query_one("#way").focus()
        self._offer()

    @work(thread=True, group="offer", exit_on_error=False)
    def _offer(self) -> None:
        try:
            choices = self._maker.choices(self._row.run)
        except B100Error as error:
            self.post_message(self.Quoted(self._token, None, error))
        else:
            self.post_message(self.Offered(choices))

    @on(Offered)
    def _offered(self, event: Offered) -> None:
        self._choices = choices = event.choices
        at_end = self._step == self._row.last_step
        fork: tuple[str, str] = ("fork", f"a new run from step {self._step}")
        more: tuple[str, str] = ("continue", f"more steps of this run after {self._row.last_step}")
        ways = [fork] if choices.fixed else ([more, fork] if at_end else [fork, more])
        self.choice("way").offer(ways)
        words = [(one.id, _editor_words(one)) for one in choices.editors]
        self.choice("editor").offer(words, first_editor(choices.editors, self._row.editor))
        recipes = [(name, name) for name in choices.recipes] + [(OWN_PROMPT, OWN_PROMPT)]
        names = [name for name, _ in recipes]
        usual = next((name for name in (self._row.recipe, "replicate") if name in names), names[0])
        self.choice("recipe").offer(recipes, names.index(usual))
        self._fit_rows()
        self._replan()

    # The rows

    @property
    def _editor(self) -> EditorChoice | None:
        id = self.choice("editor").value
        return next((one for one in self._choices.editors if one.id == id), None)

    def _fit_rows(self) -> None:
        """Switch off what does not go with the way or the editor."""
        editor = self._editor
        frozen = self.choice("way").value == "continue"
        for name in ("editor", "recipe", "prompt", "seed", "temperature", "resolution"):
            self.query_one(f"#{name}", Widget).disabled = frozen
        if editor is None or frozen:
            return
        own = self.choice("recipe").value == OWN_PROMPT
        self.query_one("#prompt", Input).disabled = not own
        self.query_one("#seed", Input).disabled = not editor.seed
        self.query_one("#temperature", Input).disabled = not editor.temperature
        sizes = [("", "the editor's own"), *((size, size) for size in editor.resolutions)]
        if len(editor.resolutions) > 1:
            sizes.append(("interleaved", "interleaved"))
        resolution = self.choice("resolution")
        kept = [size for size, _ in sizes]
        before = resolution.value
        resolution.offer(sizes, kept.index(before) if before in kept else 0)
        resolution.disabled = not editor.resolutions

    def order(self) -> Order:
        """Return what is asked for now. Raises UsageError for a word that cannot be read."""
        way: Way = "continue" if self.choice("way").value == "continue" else "fork"
        count = whole_number(self.word("count"), "steps")
        row = self._row
        if way == "continue":
            return Order(way=way, run=row.run, step=self._step, image=row.image, steps=count)
        recipe = self.choice("recipe").value
        return Order(
            way=way,
            run=row.run,
            step=self._step,
            image=row.image,
            steps=count,
            editor=self.choice("editor").value,
            recipe="" if recipe == OWN_PROMPT else recipe,
            prompt=self.word("prompt") if recipe == OWN_PROMPT else "",
            seed=self.word("seed"),
            temperature=decimal(self.word("temperature"), "temperature"),
            resolution=self.choice("resolution").value,
        )

    # What it takes

    @on(ChoiceRow.Changed)
    def _chosen(self) -> None:
        self._fit_rows()
        self._replan()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.input.id not in {"cap", "yes"} and self._choices.editors:
            self._replan()

    def _replan(self) -> None:
        self._token += 1
        self._told = None
        try:
            order = self.order()
        except B100Error as error:
            self.refuse(error)
            return
        if order.way == "fork" and not (order.recipe or order.prompt):
            self.tell("write your own prompt", DIM)
            return
        self._quote(self._token, order)

    @work(thread=True, exclusive=True, group="quote", exit_on_error=False)
    def _quote(self, token: int, order: Order) -> None:
        try:
            told = self._maker.quote(order)
        except B100Error as error:
            self.post_message(self.Quoted(token, None, error))
        else:
            self.post_message(self.Quoted(token, told))

    @on(Quoted)
    def _quoted(self, event: Quoted) -> None:
        if event.token != self._token:
            return
        self._starting = False
        if event.error is not None:
            self.refuse(event.error)
        elif event.told is not None:
            self._told = told = event.told
            self.show_paid(told.usd.high)
            self._show(told)

    def _show(self, told: "Estimate") -> None:
        blocks = estimate_blocks(told)
        way, editor = self.choice("way").value, self._editor
        if way == "fork" and editor is not None and not editor.ready:
            blocks.insert(0, ((clean_line(f"{editor.reason}: {editor.fix}"), BAD),))
        elif editor is not None and editor.simulated and way == "fork":
            blocks.append((("note    ", KEY), ("SIMULATED: b100's own degrader", DIM)))
        if self._choices.fixed:
            blocks.append((("fork    ", KEY), (self._choices.fixed, DIM)))
        self.query_one("#plan", TextPanel).show(blocks)

    # Starting

    @on(Input.Submitted)
    def action_start(self) -> None:
        """Start: at once where it is free, else with a cap and a typed yes."""
        told, editor = self._told, self._editor
        if told is None or self._starting:
            return
        way = self.choice("way").value
        if way == "fork" and editor is not None and not editor.ready:
            self.notify(f"{editor.title}: {editor.reason}", severity="warning", markup=False)
            return
        agreed, budget = self.agreed(told.usd.high)
        if not agreed:
            return
        try:
            order = self.order()
        except UsageError as error:  # typed since the estimate that is shown
            self.notify(f"{error.message}; {error.hint}", severity="warning", markup=False)
            return
        self._starting = True
        self._begin(self._token, order, budget)

    @work(thread=True, group="begin", exit_on_error=False)
    def _begin(self, token: int, order: Order, budget: float | None) -> None:
        try:
            begun = self._maker.begin(order, budget)
        except B100Error as error:
            self.post_message(self.Quoted(token, None, error))
        else:
            self.post_message(self.Started(begun))

    @on(Started)
    def _started(self, event: Started) -> None:
        self.dismiss(event.begun)


def _editor_words(editor: EditorChoice) -> str:
    words = f"{editor.title} ({editor.id})" if editor.title != editor.id else editor.id
    return words if editor.ready else f"{words} - {editor.reason}"
