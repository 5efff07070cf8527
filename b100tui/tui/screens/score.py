"""The scoring dialog: metrics to tick, runs, steps, what it takes, and the start of the job."""

import os
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input, Static

from b100tui.index.rows import RunRow
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line, duration
from b100tui.tui.drawing import grouped, plural, size
from b100tui.tui.facts import Block
from b100tui.tui.scorer import Choice, Counted, Known, Plan, Scorer, Wish, count_steps, make_plan
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.overlay import Overlay
from b100tui.tui.widgets.lines import LinesView, Span, TextPanel
from b100tui.tui.wrapping import fit

KEYS = "space a n p tick · w runs · Tab steps · Enter starts · Esc"
NAME_CELLS = 18
USUAL_PIXELS = 2816 * 1504


def plan_blocks(plan: Plan) -> list[Block]:
    """Return what a plan takes, in words."""
    missing = plan.wanted - plan.there
    images = f"{plural(plan.images, 'picture')} of {plural(plan.runs, 'run')}"
    values = f"{plural(missing, 'value')} to make, {grouped(plan.there)} there already"
    took = f"about {duration(plan.seconds)}" if plan.seconds >= 1 else ""
    if plan.untimed:
        unknown = f"{plural(len(plan.untimed), 'metric')} never timed here"
        took = f"{took} and {unknown}" if took else f"not known: {unknown}"
    if not missing:
        took = "nothing to do"
    return [
        (("plan    ", "text--key"), (f"{images}; {values}", "")),
        (("time    ", "text--key"), (took or "a moment", "")),
        (("memory  ", "text--key"), (f"about {size(round(plan.memory))}", "")),
    ]


class MetricTicks(LinesView):
    """One line a metric, with a tick; those that cannot run say why and cannot be ticked."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text--key", "text--dim", "text--good", "ticks--cursor",
    }  # fmt: skip

    class Ticked(Message):
        """The ticks have changed."""

    def __init__(self) -> None:
        super().__init__(id="ticks")
        self.choices: Sequence[Choice] = ()
        self.ticked: set[str] = set()
        self.cursor = 0

    def show(self, choices: Sequence[Choice], ticked: set[str]) -> None:
        """List `choices`, those that can run first."""
        self.choices = sorted(choices, key=lambda choice: not choice.ready)
        self.ticked = ticked
        self.set_line_count(len(choices))
        self.refresh()

    @property
    def wanted(self) -> tuple[str, ...]:
        """The ids of the ticked metrics, in order."""
        return tuple(c.metric.id for c in self.choices if c.metric.id in self.ticked)

    def move(self, delta: int) -> None:
        """Move the cursor."""
        self.cursor = max(0, min(len(self.choices) - 1, self.cursor + delta))
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, immediate=True)
        self.refresh()

    def toggle(self) -> None:
        """Tick or untick the metric under the cursor."""
        if self.cursor < len(self.choices) and self.choices[self.cursor].ready:
            self.tick(self.ticked ^ {self.choices[self.cursor].metric.id})

    def tick(self, names: set[str]) -> None:
        """Tick exactly the metrics `names` that can run."""
        self.ticked = names & {c.metric.id for c in self.choices if c.ready}
        self.refresh()
        self.post_message(self.Ticked())

    def on_click(self, event: events.Click) -> None:
        """A click ticks."""
        at = event.y + self.scroll_offset.y
        if at < len(self.choices):
            self.cursor = at
            self.toggle()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        at = y + self.scroll_offset.y
        width = self.size.width
        if not self.choices and y == 0:
            return self.strip([(" looking which metrics can run ...", "text--dim")], width)
        if at >= len(self.choices):
            return self.blank(width)
        spans = _choice_spans(self.choices[at], self.choices[at].metric.id in self.ticked)
        if at == self.cursor and self.has_focus:
            text = "".join(text for text, _ in spans)
            spans = [(fit(text, width), "ticks--cursor")]
        return self.strip(spans, width)

    def on_focus(self) -> None:
        """The cursor shows the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows the focus."""
        self.refresh()


def _choice_spans(choice: Choice, ticked: bool) -> list[Span]:
    metric = choice.metric
    name = fit(clean_line(metric.name or metric.id), NAME_CELLS)
    if not choice.ready:
        why = clean_line(f"{choice.reason}; {choice.fix}" if choice.fix else choice.reason)
        return [(f"  –  {name} {why}", "text--dim")]
    mark = "[x]" if ticked else "[ ]"
    about = "paper" if metric.paper else metric.backend
    versus = "  against the reference step" if metric.needs_reference else ""
    return [
        (f" {mark} ", "text--good" if ticked else ""), (f"{name} ", ""),
        (about + versus, "text--dim"),
    ]  # fmt: skip


class ScoreScreen(Overlay[str]):
    """Asks what to score; gives back the id of the job, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", "tick", id="score.tick"),
        Binding("a", "tick_all", "tick all that can run", id="score.all"),
        Binding("n", "tick_none", "tick none", id="score.none"),
        Binding("p", "tick_probes", "tick the probes", id="score.probes"),
        Binding("w", "scope", "which runs", id="score.scope"),
        Binding("enter", "start", "start", id="score.start"),
        Binding("tab,shift+tab", "other", "steps or metrics", id="score.other", priority=True),
        Binding("k", "move(-1)", "up", id="score.up"),
        Binding("j", "move(1)", "down", id="score.down"),
    ]

    class Chosen(Message):
        """The metrics there are."""

        def __init__(self, choices: Sequence[Choice]) -> None:
            super().__init__()
            self.choices = choices

    class Planned(Message):
        """What the wish takes, or what is wrong with it."""

        def __init__(self, token: int, plan: Plan | None, error: B100Error | None) -> None:
            super().__init__()
            self.token = token
            self.plan = plan
            self.error = error

    class Begun(Message):
        """The job has started."""

        def __init__(self, job: str) -> None:
            super().__init__()
            self.job = job

    def __init__(self, scorer: Scorer, scopes: Mapping[str, Sequence[RunRow]], all_of: str) -> None:
        """`scopes` names groups of runs, the first is asked for at first; `all_of` means all."""
        super().__init__()
        self._scorer = scorer
        self._scopes = {name: rows for name, rows in scopes.items() if rows}
        self._all = all_of
        self._scope = next(iter(self._scopes))
        self._token = 0
        self._plan: Plan | None = None
        self._known: dict[tuple[str, str], tuple[Counted, Known]] = {}
        self._starting = False

    def compose(self) -> ComposeResult:
        """Metrics, which runs and steps, what it takes."""
        with Vertical(id="score", classes="box"):
            yield MetricTicks()
            yield Static("", id="scope", markup=False)
            with Horizontal(id="steps-row"):
                yield Static("steps   ", id="steps-word", markup=False)
                yield Input(placeholder="all, or 1,5,10-20, every:10", compact=True, id="steps")
            yield TextPanel("", id="plan")

    def on_mount(self) -> None:
        """Ask which metrics can run."""
        titled(self.query_one("#score"), "Score", KEYS)
        self.query_one(MetricTicks).focus()
        self._show_scope()
        self._choose()

    # What there is

    @work(thread=True, group="choices", exit_on_error=False)
    def _choose(self) -> None:
        try:
            choices = self._scorer.choices()
        except B100Error as error:
            self.post_message(self.Planned(self._token, None, error))
        else:
            self.post_message(self.Chosen(choices))

    @on(Chosen)
    def _take_choices(self, event: Chosen) -> None:
        usual = {c.metric.id for c in event.choices if c.ready and c.usual}
        self.query_one(MetricTicks).show(event.choices, usual)
        self._replan()

    # The plan

    @property
    def wish(self) -> Wish:
        """What is asked for now."""
        rows = () if self._scope == self._all else self._scopes[self._scope]
        metrics = self.query_one(MetricTicks).wanted
        steps = self.query_one("#steps", Input).value.strip()
        return Wish(tuple(row.run for row in rows), metrics, steps)

    @on(MetricTicks.Ticked)
    @on(Input.Changed, "#steps")
    def _replan(self) -> None:
        self._token += 1
        self._plan = None
        self._make_plan(self._token, self.wish, self._scope)

    @work(thread=True, exclusive=True, group="plan", exit_on_error=False)
    def _make_plan(self, token: int, wish: Wish, scope: str) -> None:
        rows = self._scopes[scope]
        try:
            key = (scope, wish.steps)
            if key not in self._known:
                counted = count_steps(rows, wish.steps)
                self._known[key] = counted, self._scorer.known(rows, counted.steps)
            counted, known = self._known[key]
            pixels = max((s[0] * s[1] for row in rows for s in row.sizes), default=USUAL_PIXELS)
            memory = self._scorer.memory(wish.metrics, pixels)
            plan = make_plan(counted, wish, known, memory, os.cpu_count() or 1)
        except B100Error as error:
            self.post_message(self.Planned(token, None, error))
        else:
            self.post_message(self.Planned(token, plan, None))

    @on(Planned)
    def _take_plan(self, event: Planned) -> None:
        if event.token != self._token:
            return
        self._plan = event.plan
        panel = self.query_one("#plan", TextPanel)
        if event.error is not None:
            self._starting = False
            hint = f"; {event.error.hint}" if event.error.hint else ""
            panel.show([((clean_line(event.error.message + hint), "text--bad"),)])
        elif event.plan is not None:
            panel.show(plan_blocks(event.plan))

    # Keys

    def action_tick(self) -> None:
        """Tick the metric under the cursor."""
        self.query_one(MetricTicks).toggle()

    def action_tick_all(self) -> None:
        """Tick all that can run."""
        ticks = self.query_one(MetricTicks)
        ticks.tick({choice.metric.id for choice in ticks.choices})

    def action_tick_none(self) -> None:
        """Tick none."""
        self.query_one(MetricTicks).tick(set())

    def action_tick_probes(self) -> None:
        """Tick the probes, or take their ticks away."""
        ticks = self.query_one(MetricTicks)
        probes = {c.metric.id for c in ticks.choices if c.metric.backend == "probes" and c.usual}
        ticks.tick(ticks.ticked - probes if probes <= ticks.ticked else ticks.ticked | probes)

    def action_scope(self) -> None:
        """Take the next group of runs."""
        names = list(self._scopes)
        self._scope = names[(names.index(self._scope) + 1) % len(names)]
        self._show_scope()
        self._replan()

    def _show_scope(self) -> None:
        told = f"runs    {self._scope}" + ("  (w: others)" if len(self._scopes) > 1 else "")
        self.query_one("#scope", Static).update(told, layout=False)

    def action_other(self) -> None:
        """Go between the metrics and the steps."""
        steps = self.query_one("#steps", Input)
        (self.query_one(MetricTicks) if steps.has_focus else steps).focus()

    def action_move(self, delta: int) -> None:
        """Move among the metrics."""
        self.query_one(MetricTicks).move(delta)

    @on(Input.Submitted, "#steps")
    def action_start(self) -> None:
        """Start the job, once it is known what it takes."""
        plan, wish = self._plan, self.wish
        if plan is None or self._starting:
            return
        if plan.wanted <= plan.there:
            self.notify("nothing to score: tick a metric that lacks values", markup=False)
            return
        self._starting = True
        names = wish.metrics[0] if len(wish.metrics) == 1 else plural(len(wish.metrics), "metric")
        self._begin(self._token, wish, f"{names} of {self._scope}")

    @work(thread=True, group="begin", exit_on_error=False)
    def _begin(self, token: int, wish: Wish, title: str) -> None:
        try:
            job = self._scorer.begin(wish, title)
        except B100Error as error:
            self.post_message(self.Planned(token, None, error))
        else:
            self.post_message(self.Begun(job))

    @on(Begun)
    def _begun(self, event: Begun) -> None:
        self.dismiss(event.job)
