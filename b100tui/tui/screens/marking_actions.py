"""Marking from the main screen: `m` asks, a worker writes, `u` writes the counter-record."""

import secrets
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual import on, work
from textual.message import Message

from b100tui.model.errors import B100Error
from b100tui.model.records import MarkRecord
from b100tui.tui.messages import Failed
from b100tui.tui.screens.analysis_actions import AnalysisActions
from b100tui.tui.trajectory import Trajectory
from b100tui.tui.widgets.picture import PictureView

if TYPE_CHECKING:
    from b100tui.tui.marking import Placed, Wanted


class Marked(Message):
    """A record is on disk: a mark, or with `undo` the taking back of one."""

    def __init__(self, record: MarkRecord) -> None:
        super().__init__()
        self.record = record


class MarkActions(AnalysisActions):
    """Marks a step, takes marks back, opens blind marking."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self._last_mode = ""
        self._set_here: list[MarkRecord] = []  # what this session set, oldest first

    # Asking

    def do_act_mark(self) -> None:
        """Ask which failure the shown step has."""
        trajectory = self.trajectory
        if trajectory is None or self.position.step not in trajectory.at:
            return
        from b100tui.tui.screens.marking import MarkScreen

        step = self.position.step
        run = trajectory.row.run
        reason = "a region needs the step's own picture in view (Esc)"

        def chosen(wanted: "Wanted | str | None") -> None:
            if wanted == "blind":
                self._mark_blind(trajectory)
            elif wanted is not None and not isinstance(wanted, str):
                self._last_mode = wanted.mode
                self.write_mark(run, step, wanted)

        self.app.push_screen(
            MarkScreen(f"{run}@{step}", self._placed, reason, self._last_mode), chosen
        )

    def _placed(self) -> "Placed | None":
        """Return where the picture lies; None where a region on it would mean nothing."""
        from b100tui.tui.marking import Placed, window
        from b100tui.tui.widgets.picture_lines import margins

        view = self.query_one("#picture", PictureView)
        trajectory, frame = self.trajectory, view.frame
        step = trajectory.at.get(self.position.step) if trajectory is not None else None
        look = getattr(self, "look", None)
        if step is None or not step.width or not step.height or frame is None or look is None:
            return None
        if look.compare or look.difference or self.flicker_reference:
            return None
        area = view.content_region
        if not area.area:
            return None  # another panel stands in its place
        left, top = margins(area.size, frame.columns, frame.rows)
        across, down = view.cell_pixels
        size = (step.width, step.height)
        pixels = (frame.columns * across, frame.rows * down)
        return Placed(
            cells=(area.x + left, area.y + top, frame.columns, frame.rows),
            source=window(size, look.zoom, look.centre, pixels),
            size=size,
        )

    def _mark_blind(self, trajectory: Trajectory) -> None:
        from b100tui.tui.screens.marking_blind import BlindScreen

        run = trajectory.row.run

        def write(step: int, wanted: "Wanted") -> None:
            self.write_mark(run, step, wanted, blind=True)

        def take_back() -> None:
            blind = [one for one in self._set_here if one.blind]
            if blind:
                self._take_back(blind[-1])

        pictures = self.explorer.pipeline
        seed = secrets.randbits(32)
        self.app.push_screen(BlindScreen(pictures, trajectory.steps, seed, write, take_back))

    # Writing

    @work(thread=True, group="marks", exit_on_error=False)
    def write_mark(self, run: str, step: int, wanted: "Wanted", blind: bool = False) -> None:
        """Write a mark as `b100 mark` does, in a worker."""
        from b100tui.report.marks import new_mark, write_marks

        try:
            record = new_mark(
                run, step, wanted.mode, region=wanted.region, note=wanted.note, blind=blind
            )
            write_marks(self.explorer.root, record)
        except B100Error as error:
            self.post_message(Failed("marking", error))
        else:
            self.post_message(Marked(record))

    def do_act_unmark(self) -> None:
        """Take back the last mark of this session, else one's newest on the shown step."""
        mark = self._set_here[-1] if self._set_here else self._own_mark()
        if mark is None:
            self.say("there is no mark of yours on this step")
        else:
            self._take_back(mark)

    def _own_mark(self) -> MarkRecord | None:
        from b100tui.report.marks import annotator

        by = annotator()
        here = self.trajectory.marks.get(self.position.step, ()) if self.trajectory else ()
        return max((one for one in here if one.by == by), key=lambda one: one.time, default=None)

    @work(thread=True, group="marks", exit_on_error=False)
    def _take_back(self, mark: MarkRecord) -> None:
        from b100tui.report.marks import undoing, write_marks

        record = undoing(mark)
        try:
            write_marks(self.explorer.root, record)
        except B100Error as error:
            self.post_message(Failed("taking a mark back", error))
        else:
            self.post_message(Marked(record))

    # Showing

    @on(Marked)
    def _marked(self, event: Marked) -> None:
        from b100tui.report.marks import modes
        from b100tui.tui.marking import mode_name
        from b100tui.tui.screens.marking_blind import BlindScreen

        record = event.record
        self._set_here = [one for one in self._set_here if one.id != record.id]
        if not record.undo:
            self._set_here.append(record)
        self._show_mark(record)
        blind = next((one for one in self.app.screen_stack if isinstance(one, BlindScreen)), None)
        if blind is not None:
            blind.noted(record)  # no word of the step, which blind marking hides
            return
        done = "taken back" if record.undo else "marked"
        how = "" if record.undo else " (u takes it back)"
        self.say(f"{done}: {mode_name(modes(), record.mode)}, {record.run}@{record.step}{how}")

    def _show_mark(self, record: MarkRecord) -> None:
        """Show the record at once; the index takes it in a moment later."""
        trajectory = self.trajectory
        if trajectory is None or trajectory.row.run != record.run:
            return
        marks = dict(trajectory.marks)
        kept = tuple(one for one in marks.get(record.step, ()) if one.id != record.id)
        marks[record.step] = kept if record.undo else (*kept, record)
        self.trajectory = replace(trajectory, marks={n: many for n, many in marks.items() if many})
        self.show_position()
