"""The main screen: runs, picture, slider, metrics, reasoning and facts of one step."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer

from b100tui.index.rows import RunRow
from b100tui.model.text import clean_line
from b100tui.terminal.targets import Target
from b100tui.tui.actions import ACTIONS, DIGITS, Action
from b100tui.tui.drawing import grouped, plural, size
from b100tui.tui.facts import step_facts, step_reasoning
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.grid_actions import GridActions
from b100tui.tui.screens.marking_actions import MarkActions
from b100tui.tui.screens.run_actions import RunActions
from b100tui.tui.screens.run_data import RunData
from b100tui.tui.screens.step_actions import StepActions
from b100tui.tui.screens.work_actions import WorkActions
from b100tui.tui.trajectory import Trajectory
from b100tui.tui.tree import RunTree, title
from b100tui.tui.widgets.bars import KeyLine, StatusLine
from b100tui.tui.widgets.lines import Span
from b100tui.tui.widgets.metric_panel import MetricPanel
from b100tui.tui.widgets.picture import PictureView
from b100tui.tui.widgets.run_tree import RunTreeView
from b100tui.tui.widgets.step_slider import SliderState, StepSlider

ATTACH_AFTER = 0.35  # importing duckdb holds the interpreter: not while the first keys come
ALL_OPEN_UP_TO = 60
OPEN_AFTER = 0.08  # a run is opened once the cursor rests: a held key passes many
NARROW_BELOW = 84  # one column: a list beside it would leave the picture less than 53 cells
SHORT_TITLE = 36
WIDTHS = [(0, "-narrow"), (NARROW_BELOW, "-pair"), (100, "-middle"), (160, "-wide")]
HEIGHTS = [(0, "-low"), (32, "-tall"), (44, "-high")]


class PictureBox(Vertical, can_focus=True, inherit_bindings=False):
    """The bordered place of the picture."""


class MainScreen(StepActions, RunActions, GridActions, RunData, WorkActions, MarkActions):
    """What `b100 explore` opens."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(",".join(a.keys), f"run('{a.id}')", a.about, show=False, id=a.id)
            for a in ACTIONS
            if not a.typed
        ),
        *(Binding(digit, f"digit('{digit}')", show=False) for digit in DIGITS),
    ]

    def __init__(self, actions: Sequence[Action], size: tuple[int, int] = (80, 24)) -> None:
        """`size` is a guess: classes that fit from the start save a pass over all styles."""
        start = "picture-box" if size[0] < NARROW_BELOW else "runs"
        fitting = (_fitting(size[0], WIDTHS), _fitting(size[1], HEIGHTS), f"-at-{start}")
        super().__init__(" ".join(fitting))
        self._panel = start
        self.actions = {action.id: action for action in actions}
        self._picture_said = ""
        self._open_timer: Timer | None = None
        self._to_its_end = False

    def compose(self) -> ComposeResult:
        """Lay out the panels."""
        yield StatusLine(id="status")
        with Horizontal(id="body"):
            with Vertical(id="runs-box"):
                yield RunTreeView(id="runs")
            with PictureBox(id="picture-box"):
                yield StatusLine(id="title")
                yield PictureView(id="picture")
            yield Vertical(id="words")  # filled after the first paint: it shows run names sooner
        yield StepSlider(id="slider")
        yield MetricPanel(id="metrics")
        yield KeyLine(tuple(self.actions.values()), id="keys")

    def on_mount(self) -> None:
        """Show what the snapshot has; the index comes after the first paint."""
        explorer = self.explorer
        self.probes = explorer.probes
        self.query_one("#picture", PictureView).attach(explorer.pipeline)
        titled(self.query_one("#runs-box"), "Runs")
        place = explorer.place
        if place is not None:
            self.position.step, self.position.reference = place.step, place.reference
        else:
            self.position.reference = explorer.settings.reference
        first = explorer.first
        if first is not None:
            self.take_runs(RunTree(first.rows))
        start = "picture-box" if self.app.size.width < NARROW_BELOW else "runs"
        if start != self._panel:
            self._mark_panel(start)
        self.call_after_refresh(self._fill_words)
        self.call_after_refresh(self.query_one("#" + start).focus)
        self.show_status()
        self.set_timer(ATTACH_AFTER if first else 0.01, self.attach)

    def _fill_words(self) -> None:
        self.query_one("#words").mount_all((self.reasoning, self.facts))

    # Actions

    def action_run(self, name: str) -> None:
        """Run the action with this id."""
        self.act(self.actions[name])

    def act(self, action: Action) -> None:
        """Run `action`, or say why it cannot be used."""
        if action.later:
            self.say(f"{action.about}: {action.later}")
            return
        if action.id.startswith("step.") and action.id != "step.play":
            self.stop_playing()
        getattr(self, action.handler)()

    @on(KeyLine.Chosen)
    def _key_clicked(self, event: KeyLine.Chosen) -> None:
        self.act(event.action)

    @property
    def keys_at_once(self) -> bool:
        """True but while a filter is typed."""
        return not self.filtering

    def action_digit(self, digit: str) -> None:
        """Digits collect into a step number."""
        self.position.type_digit(digit)
        self.show_slider()

    # Runs

    def take_runs(self, tree: RunTree) -> None:
        """Show a run list; open the wanted or remembered run as soon as it is in it."""
        runs = self.runs
        opened = self.opened.run if self.opened else None
        wanted = self._wanted_run(tree) if opened is None else opened
        if self.explorer.total_runs(len(tree.rows)) > ALL_OPEN_UP_TO:
            known = {group.key for group in runs.tree_of_runs.groups}
            runs.closed |= tree.closed_but(wanted) - known
        runs.show(tree)
        if self.awaited in tree.by_run:
            self._show_awaited(tree.rows[tree.by_run[self.awaited]])
            return
        if self.filter_text:
            self.apply_filter()
        if not tree.rows and self.searched:
            self._say_no_runs()
        at = tree.by_run.get(wanted) if wanted else None
        if at is not None:
            row = tree.rows[at]
            if opened is None:
                runs.go_to_run(row.run)
            self.open_run(row)
            self.show_title()
        self.show_status()

    def _say_no_runs(self) -> None:
        """Say in the picture's place that there is nothing to show, and what tells why."""
        root = clean_line(str(self.explorer.root))
        left = f" ({plural(self.left_out, 'file')} left out)" if self.left_out else ""
        reason = f"no run was found in {root}{left}; b100 scan {root} says why"
        nothing = Target(None, label="no run", reason=reason)
        self.query_one("#picture", PictureView).show(nothing, (nothing,), 0)

    def _show_awaited(self, row: RunRow) -> None:
        """Open a run that has just been begun and follow its end."""
        self.awaited = ""
        self.clear_filter()
        self.runs.go_to_run(row.run)
        self._to_its_end = True
        self.open_run(row)
        self.show_title()
        self.show_status()

    def _wanted_run(self, tree: RunTree) -> str | None:
        """Return the id of the run to open first: asked for, remembered, else the first.

        None while the wanted one may still come.
        """
        if not tree.rows:
            return None
        place = self.explorer.place
        if place is None or not place.run:
            return tree.rows[0].run
        if place.run in tree.by_run:
            return place.run
        if not self.explorer.settled:
            return None
        near = [run for run in tree.by_run if run.startswith(place.run)]
        if len(near) != 1:
            count = f"fits {len(near)} runs" if near else "is not here"
            self.say(f"run {place.run} {count}; the first is shown", bad=True)
        return near[0] if near else tree.rows[0].run

    @on(RunTreeView.Opened)
    def _run_chosen(self, event: RunTreeView.Opened) -> None:
        if self._open_timer is not None:
            self._open_timer.stop()
        self._open_timer = self.set_timer(OPEN_AFTER, partial(self._open_chosen, event.row))

    def _open_chosen(self, row: RunRow) -> None:
        if self.opened is None or row.run != self.opened.run:
            self.open_run(row)
            self.show_title()

    def take_run(self, trajectory: Trajectory) -> None:
        """Show a run at the present step, or follow its end where it has grown."""
        before = self.trajectory
        self.trajectory = trajectory
        self.take_line(
            trajectory, another=before is not None and before.row.run != trajectory.row.run
        )
        self.ordered_for = None
        if before is not None and before.row.run == trajectory.row.run:
            self.position.grow(trajectory)
        else:
            self.position.following = False
            self.position.go(trajectory, self.position.step)
        if self._to_its_end:
            self._to_its_end = False
            self.position.go(trajectory, trajectory.last)
        self.want_probes(trajectory)
        self.show_position()

    # Steps

    def go_to_step(self, step: int) -> None:
        """Go to `step` of the shown run, clamped."""
        if self.trajectory is None:
            return
        self.position.typed = ""
        if self.position.go(self.trajectory, step):
            self.show_position()
        else:
            self.show_slider()

    @on(StepSlider.Moved)
    def _slider_moved(self, event: StepSlider.Moved) -> None:
        self.stop_playing()
        self.go_to_step(event.step)

    def show_position(self) -> None:
        """Draw everything that depends on the step: text at once, the picture as it can."""
        trajectory = self.trajectory
        if trajectory is None:
            return
        step = self.position.step
        reference = self.position.usable_reference(trajectory)
        key = (id(trajectory), reference)
        if self.ordered_for != key:
            self.ordered, self.ordered_for = trajectory.ordered(reference), key
        self.show_slider()
        note = "measuring the probes ..." if self.probing else "no scores yet: S scores this run"
        self.metric_panel.show(self.ordered, step, reference, note)
        self.reasoning.show(step_reasoning(trajectory, step), self.words)
        self.facts.show(step_facts(trajectory, step))
        self.show_title()
        self.show_picture()
        self.show_status()

    def show_slider(self) -> None:
        """Draw the slider."""
        trajectory, position = self.trajectory, self.position
        if trajectory is None:
            return
        self.slider.show(
            SliderState(
                first=trajectory.first,
                last=trajectory.last,
                step=position.step,
                reference=position.usable_reference(trajectory),
                missing=trajectory.missing,
                failed=trajectory.failed,
                onset=trajectory.row.onset,
                marked=frozenset(trajectory.marks),
                planned=trajectory.row.steps_planned,
                playing=position.playing,
                following=position.following and self._growing(trajectory),
                typed=position.typed,
            )
        )

    @staticmethod
    def _growing(trajectory: Trajectory) -> bool:
        row = trajectory.row
        return bool(row.steps_planned and trajectory.last < row.steps_planned and not row.stopped)

    def show_title(self) -> None:
        """Name run and step above the picture; only that line is drawn again."""
        row = self.opened
        if row is None:
            return
        line = self.query_one("#title", StatusLine)
        words = f" {self.picture_words()} "
        free = line.size.width - len(words) - 2
        label = ("SIM  " if free < SHORT_TITLE else "SIMULATED  ") if row.simulated else ""
        room = free - len(label)
        name = title(row, room if room > 0 else None)
        left: list[Span] = [(f" {name}  ", "status--root"), (label, "status--warn")]
        line.show(left=left, right=[(words, "status--dim")])

    @on(PictureView.Shown)
    def _picture_shown(self, event: PictureView.Shown) -> None:
        self._picture_said = f"{event.protocol} {size(event.bytes)} · {event.ms:.0f} ms"
        self.show_status()
        self.show_title()

    # Status

    def show_status(self) -> None:
        """Draw the status line; nothing else is laid out again."""
        explorer = self.explorer
        name = clean_line(explorer.root.name or str(explorer.root))
        left: list[Span] = [(" b100 ", "status--brand"), (f" {name}/ ", "status--root")]
        rows = self.runs.tree_of_runs.rows
        total = explorer.total_runs(len(rows))
        if rows:
            steps = sum(row.steps for row in rows)
            if explorer.first is not None and len(rows) < total:
                steps = explorer.first.total_steps
            counts = [plural(total, "run"), plural(steps, "step")]
            if self.ordered:
                counts.append(plural(len(self.ordered), "metric"))
            left.append((" " + " · ".join(counts), "status--dim"))
        elif self.searched:
            left.append((" no runs", "status--warn"))
        elif not self.indexing:
            left.append((" looking for runs ...", "status--dim"))
        right: list[Span] = []
        if self.indexing:
            right.append((clean_line(self.indexing) + "   ", "status--warn"))
        if self.jobs_said:
            right.append((self.jobs_said + "   ", "status--warn"))
        if self.probing:
            right.append(("measuring probes   ", "status--warn"))
        right.append((self._picture_said or explorer.pictures_in_words(), "status--dim"))
        if self.trajectory is not None:
            reference = self.position.usable_reference(self.trajectory)
            right.append((f"   ref {grouped(reference)} ", "status--root"))
        self.status.show(left=left, right=right)

    def on_screen_suspend(self) -> None:
        """Something lies over the picture now."""
        self.query_one("#picture", PictureView).cover_changed()

    def on_screen_resume(self) -> None:
        """The picture may be bare again."""
        self.query_one("#picture", PictureView).cover_changed()

    def on_unmount(self) -> None:
        """Let go of the index and its helper process."""
        if self.indexer is not None:
            self.indexer.close()
        if self.catalogue is not None:
            self.catalogue.close()


def _fitting(size: int, breaks: list[tuple[int, str]]) -> str:
    return max((low, name) for low, name in breaks if low <= size)[1]
